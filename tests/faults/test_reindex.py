"""A reindex that is stopped, begun anew, or meets what the index refuses, while writes go on."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from m4a.application import index_upkeep
from m4a.application.index_upkeep import rebuild
from m4a.application.recall import Recall, recall
from m4a.application.remember import Remember, remember
from m4a.application.upkeep import Renewed
from m4a.domain.memory import Embedding, Filters
from m4a.domain.owner import Caller, Owner
from m4a.ports import Embedder, Purpose
from m4a.ports.indexing import ExpectedState
from tests.faults.faults import is_bulk
from tests.faults.site import TEXTS, Site
from tests.support.https import HttpsClient
from tests.support.proxy_faults import only, rewritten


def test_a_reindex_asks_as_often_for_many_users_as_for_one_with_as_many_memories(site: Site) -> None:
    site.poller.pause()
    users = [Caller(Owner("default", f"user {number}"), "", "test", "r-1") for number in range(12)]
    for user in users:
        remember(site.service, user, Remember(content=TEXTS[0]))
    before = len(site.index.asked)

    site.reindex()

    asked = [one.path.partition("?") for one in site.index.asked[before:]]
    waits = [path for path, _, options in asked if "wait_for" in options or path.endswith("/_refresh")]
    assert sum(path == "/_bulk" for path, _, _ in asked) == 1
    assert waits == [f"/{site.name}-g2-write/_refresh", f"/{site.name}-g2-write/_doc/marker"]
    for user in users:
        found = recall(site.service, user, Recall(query="tent", filters=Filters()))
        assert (len(found.ranked), found.degraded) == (1, ())


def test_a_reindex_that_was_stopped_goes_on_where_it_can_and_misses_nothing(
    site: Site, alice: HttpsClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_upkeep, "FILL_BATCH", 2)
    ids = [alice.call("remember", content=text)["memory_id"] for text in TEXTS]
    site.catch_up()
    assert next(rebuild(site.service, site.indexing, site.operator.maintenance)).seen == 2
    alice.call("forget", memory_id=ids[2], reason="it is back")
    late = alice.call("remember", content="The lamp is lent to Otto")["memory_id"]
    assert alice.call("recall", query="what is lent").degraded == []
    site.catch_up()

    site.reindex()

    assert list(site.indexing.admin.writers()) == [2]
    found = alice.call("recall", query="what is lent")
    assert (sorted(found.ids), found.degraded, site.entries()) == (sorted([*ids[:2], late]), [], 3)


class Renamed:
    """The same embedder as another model."""

    model = "another"

    def __init__(self, real: Embedder) -> None:
        self.dense_weight, self.similar_floor = real.dense_weight, real.similar_floor
        self._real = real

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        return [replace(one, model=self.model) for one in self._real.embed(texts, purpose)]


def test_a_reindex_that_was_stopped_is_done_anew_for_another_model(site: Site, alice: HttpsClient) -> None:
    for text in TEXTS:
        alice.call("remember", content=text)
    site.catch_up()
    indices = site.backends.indices.indices
    assert next(rebuild(site.service, site.indexing, site.operator.maintenance)).seen == 3
    assert list(site.indexing.admin.writers()) == [1, 2]

    other = replace(site.service, embedder=Renamed(site.service.embedder))
    steps = rebuild(other, site.indexing, site.operator.maintenance)
    assert next(steps).seen == 3
    assert list(site.indexing.admin.writers()) == [1, 3]
    assert list(steps) == []

    marker = site.indexing.admin.marker()
    assert marker and (marker.generation, marker.model) == (3, "another")
    assert list(indices.get(index=f"{site.name}-g*")) == [f"{site.name}-g3"]
    assert site.entries() == 3


def test_a_generation_that_searches_went_to_before_the_reindex_was_stopped_serves_to_the_end(
    site: Site, alice: HttpsClient
) -> None:
    made = alice.call("remember", content=TEXTS[0])["memory_id"]
    site.catch_up()
    admin = site.indexing.admin
    *_, _done = rebuild(site.service, site.indexing, site.operator.maintenance)
    site.indexing.state.write(ExpectedState(1, 1))  # as a reindex leaves it that dies before its last word

    other = replace(site.service, embedder=Renamed(site.service.embedder))
    steps = rebuild(other, site.indexing, site.operator.maintenance)
    next(steps)
    assert (admin.searched(), list(admin.writers())) == (2, [2, 3])
    assert alice.call("recall", query="tent").ids == [made]
    assert list(steps) == []
    assert (admin.searched(), list(admin.writers())) == (3, [3])


def test_a_memory_that_the_index_refuses_is_named_and_left_out(site: Site, alice: HttpsClient) -> None:
    ids = [alice.call("remember", content=text)["memory_id"] for text in TEXTS]
    site.catch_up()

    def refuse_one(answer: dict[str, Any]) -> dict[str, Any]:
        refused = {"status": 400, "error": {"type": "no", "reason": "no"}}
        items = [{"index": refused} if ids[1] in str(item) else item for item in answer["items"]]
        return {**answer, "errors": True, "items": items}

    with site.index.failing(only(is_bulk, rewritten(refuse_one))):
        *_, done = rebuild(site.service, site.indexing, site.operator.maintenance)

    assert done == Renewed(3, 0, (ids[1],))
    assert list(site.indexing.admin.writers()) == [2]

"""The index is deleted, made again empty, or restored from an old copy: it is not believed, and a reindex mends it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.application import index_upkeep
from m4a.application.index_upkeep import beat, rebuild
from m4a.application.recall import Recall, recall
from m4a.application.remember import Remember, remember
from m4a.application.upkeep import Renewed
from m4a.domain.memory import Embedding, Filters
from m4a.domain.owner import Caller, Owner
from m4a.domain.text import RULES
from m4a.ports import Embedder, Purpose
from m4a.ports.indexing import ExpectedState, Marker
from tests.faults.faults import is_bulk
from tests.faults.site import Site
from tests.support.https import HttpsClient
from tests.support.proxy_faults import only, rewritten
from tests.support.waiting import until

TEXTS = ("The tent is lent to Marie", "The stove is lent to Paul", "The map is lent to Ines")


def delete(site: Site) -> None:
    site.backends.indices.indices.delete(index=f"{site.name}-*")


def make_again(site: Site) -> None:
    """Empty, with all its names, and without a marker."""
    delete(site)
    admin = OpenSearchGenerations(site.backends.indices, site.name, local_node())
    admin.create_generation(1, site.service.embedder.model, site.indexing.dimensions)
    admin.promote(1)


def mark(site: Site, number: int) -> None:
    """The marker that the first generation had at this beat."""
    marker = Marker(generation=1, rules=RULES, model=site.service.embedder.model, complete=True, beat=number)
    assert site.indexing.admin.set_marker(marker)


def restore(site: Site) -> None:
    """As it was before anything was written, when its beat was the first."""
    make_again(site)
    mark(site, 1)


LOSSES: Mapping[str, tuple[Callable[[Site], None], str]] = {
    "deleted": (delete, "search_unavailable"),
    "made again": (make_again, "index_outdated"),
    "restored": (restore, "index_outdated"),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_an_index_that_lost_its_entries_is_not_believed_until_it_is_made_anew(
    site: Site, alice: HttpsClient, loss: str
) -> None:
    lose, code = LOSSES[loss]
    ids = [alice.call("remember", content=text)["memory_id"] for text in TEXTS]
    site.catch_up()
    assert beat(site.indexing) and beat(site.indexing)
    site.forget_what_was_read()
    assert alice.call("recall", query="what is lent").degraded == []

    lose(site)

    lost = alice.call("recall", query="who has the tent")
    assert (sorted(lost.ids), lost.ids[0], lost.degraded) == (sorted(ids), ids[0], [code])
    nobody = alice.call("recall", query="who has the tent", tags=["no such tag"])
    assert (nobody["memories"], nobody.degraded) == ([], [code])
    late = alice.call("remember", content="The lamp is lent to Otto")
    assert late["created"]
    alice.call("forget", memory_id=ids[2], reason="it is back")
    assert not beat(site.indexing)

    site.reindex()

    found = alice.call("recall", query="what is lent")
    assert (sorted(found.ids), found.degraded) == (sorted([*ids[:2], late["memory_id"]]), [])
    assert beat(site.indexing)
    site.recover()
    assert (site.entries(), site.pending()) == (3, [])
    whole = alice.call("recall", query="what is lent")
    assert sorted(whole.ids) == sorted(found.ids) and whole.degraded == []


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


def test_an_index_restored_to_a_time_before_the_newest_beat_is_noticed_within_a_minute(
    site: Site, alice: HttpsClient
) -> None:
    made = alice.call("remember", content=TEXTS[0])
    site.catch_up()
    alice.call("recall", query="tent")
    for _ in range(3):
        assert beat(site.indexing)
    restore(site)
    mark(site, 2)

    site.forget_what_was_read()

    lost = alice.call("recall", query="who has the tent")
    assert (lost.ids, lost.degraded) == ([made["memory_id"]], ["index_outdated"])


def test_writes_make_no_index_where_there_is_none(site: Site, alice: HttpsClient) -> None:
    delete(site)
    made = alice.call("remember", content=TEXTS[0])
    alice.call("update_memory", memory_id=made["memory_id"], content=TEXTS[1])
    alice.call("forget", memory_id=made["memory_id"], reason="it is back")
    until(lambda: len(site.poller.dead_letters) == 3)
    assert not beat(site.indexing)
    assert site.backends.indices.indices.get(index=f"{site.name}*") == {}

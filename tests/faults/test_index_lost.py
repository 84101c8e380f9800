"""The index is deleted, made again empty, or restored from an old copy: it is not believed, and a reindex mends it."""

from collections.abc import Callable, Mapping

import pytest

from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.application.index_upkeep import beat
from m4a.domain.text import RULES
from m4a.ports.indexing import Marker
from tests.faults.site import TEXTS, Site
from tests.support.https import HttpsClient
from tests.support.waiting import until


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

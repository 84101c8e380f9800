"""The indexer fails, or dies, between any two of its steps: no change is lost, none counts as searchable too soon."""

from typing import Any

import pytest

from m4a.application.indexing import confirm_searchable, index_changes, write_present
from m4a.application.remember import Remember, remember
from m4a.domain.owner import Caller, Owner
from m4a.ports.indexing import MemoryRef, OutboxRef, Truth
from tests.faults.faults import THROTTLED, asks_for, concerns, is_bulk, of_items, refused_with, unread
from tests.faults.site import ALICE, Site
from tests.support.https import HttpsClient
from tests.support.proxy import Fault, Request
from tests.support.proxy_faults import answering, first, lost_answer, lost_request, only, rewritten
from tests.support.waiting import until

SETTLEMENT = asks_for("DeleteItem")
BOB = Owner("default", "bob")


class Died(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


class DiesBeforeSettling:
    """The store, to an indexer that dies when it has written."""

    def __init__(self, truth: Truth) -> None:
        self.read = truth.read

    def settle(self, refs: object) -> frozenset[OutboxRef]:
        raise Died


def refs_of(site: Site, owner: Owner = ALICE) -> list[OutboxRef]:
    """What the stream would bring, oldest first."""
    entries = site.service.outbox.pending(owner, 1_000)
    return [OutboxRef(MemoryRef(owner.key, one.memory_id), one.change_id, one.rev) for one in entries]


def after_the_first(fault: Fault) -> Fault:
    """The fault meets all requests but the first."""
    asked: list[Request] = []

    def later(request: Request) -> bool:
        asked.append(request)
        return len(asked) > 1

    return only(later, fault)


def both_wrote(site: Site, alice: HttpsClient) -> tuple[list[OutboxRef], list[OutboxRef]]:
    """What the stream would bring of Alice, and of Bob."""
    site.poller.pause()
    alice.call("remember", content="The stove is lent to Paul")
    remember(site.service, Caller(BOB, "bob", "test", "r"), Remember(content="The tent is lent to Marie"))
    return refs_of(site), refs_of(site, BOB)


BULK_FAULTS: dict[str, Fault] = {
    "the answer is lost": lost_answer,
    "throttled": answering(429, b"{}"),
    "failed": answering(500, b"{}"),
    "a page": answering(200, b"<html>", "text/html"),
    "says of nothing what became of it": rewritten(lambda answer: {**answer, "items": []}),
    "items failed": of_items(refused_with(503)),
    "items older than what is there": of_items(refused_with(409)),
}


@pytest.mark.parametrize("fault", BULK_FAULTS)
def test_what_could_not_be_indexed_stays_pending_and_is_found(site: Site, alice: HttpsClient, fault: str) -> None:
    old = alice.call("remember", content="The tent is lent to Marie")["memory_id"]
    gone = alice.call("remember", content="The map is lent to Ines")["memory_id"]
    site.catch_up()

    with site.index.failing(only(is_bulk, BULK_FAULTS[fault])):
        new = alice.call("remember", content="The stove is lent to Paul")["memory_id"]
        alice.call("update_memory", memory_id=old, content="The tent is lent to Otto")
        alice.call("forget", memory_id=gone, reason="it is back")
        until(lambda: len(site.poller.dead_letters) == 3)
        assert sorted(site.pending()) == sorted([new, old, gone])
        found = alice.call("recall", query="what is lent to Otto, Ines, Paul or Marie")

    assert (sorted(found.ids), found.degraded) == (sorted([new, old]), [])
    assert site.sweep().settled == 3
    assert (site.pending(), site.entries()) == ([], 2)
    whole = alice.call("recall", query="Otto", limit=1)
    assert (whole.ids, whole.degraded) == ([old], [])


def test_a_bulk_that_succeeds_at_the_second_try_is_settled_by_the_stream(site: Site, alice: HttpsClient) -> None:
    with site.index.failing(only(is_bulk, first(2, lost_answer))):
        alice.call("remember", content="The stove is lent to Paul")
        site.catch_up()
    assert (site.poller.dead_letters, site.entries()) == ([], 1)


def test_a_settlement_that_fails_leaves_the_change_pending(site: Site, alice: HttpsClient) -> None:
    with site.table.failing(only(SETTLEMENT, answering(500))):
        new = alice.call("remember", content="The stove is lent to Paul")["memory_id"]
        until(lambda: len(site.poller.dead_letters) == 1)
        found = alice.call("recall", query="who has the stove")
        assert site.pending() == [new]
    assert (found.ids, found.degraded) == ([new], [])
    assert site.sweep().settled == 1
    assert (site.pending(), site.entries()) == ([], 1)


def test_an_indexer_that_dies_after_the_bulk_write_loses_nothing(site: Site, alice: HttpsClient) -> None:
    site.poller.pause()
    new = alice.call("remember", content="The stove is lent to Paul")["memory_id"]
    with pytest.raises(Died):
        index_changes(DiesBeforeSettling(site.indexing.truth), site.indexing.writer, refs_of(site))

    assert (site.entries(), site.pending()) == (1, [new])
    found = alice.call("recall", query="who has the stove")
    assert (found.ids, found.degraded) == ([new], [])
    assert site.sweep().settled == 1
    assert (site.entries(), site.pending()) == (1, [])
    settled = alice.call("recall", query="who has the stove")
    assert settled["memories"][0]["score"] == pytest.approx(found["memories"][0]["score"], abs=1e-3)


def test_one_entry_that_the_index_refuses_for_what_it_is_holds_up_no_other(site: Site, alice: HttpsClient) -> None:
    def poison(answer: dict[str, Any]) -> dict[str, Any]:
        first_one, *others = answer["items"]
        refused = {action: refused_with(400)(item) for action, item in first_one.items()}
        return {**answer, "items": [refused, *others]}

    site.poller.pause()
    bad = alice.call("remember", content="The stove is lent to Paul")["memory_id"]
    site.clock.advance(seconds=1)
    good = alice.call("remember", content="The tent is lent to Marie")["memory_id"]
    with site.index.failing(only(is_bulk, rewritten(poison))):
        result = index_changes(site.indexing.truth, site.indexing.writer, refs_of(site))

    assert [ref.memory.memory_id for ref in result.failed] == [bad]
    assert site.pending() == [bad]
    assert sorted(alice.call("recall", query="what is lent").ids) == sorted([bad, good])


def test_the_table_that_fails_under_the_indexer_settles_nothing(site: Site, alice: HttpsClient) -> None:
    site.poller.pause()
    new = alice.call("remember", content="The stove is lent to Paul")["memory_id"]
    refs = refs_of(site)
    with site.table.failing(only(asks_for("BatchGetItem"), lost_request)):
        result = index_changes(site.indexing.truth, site.indexing.writer, refs)
    assert (result.settled, list(result.failed), list(result.unanswered)) == ((), refs, refs)
    assert (site.pending(), site.entries()) == ([new], 0)
    site.poller.go_on()
    site.catch_up()
    assert site.entries() == 1


def test_an_owner_whose_memories_the_table_does_not_give_holds_up_no_other(site: Site, alice: HttpsClient) -> None:
    hers, his = both_wrote(site, alice)
    with site.table.failing(unread(ALICE)):
        result = index_changes(site.indexing.truth, site.indexing.writer, [*hers, *his])
    assert (result.settled, result.failed, result.unanswered) == (tuple(his), tuple(hers), tuple(hers))
    assert (refs_of(site), refs_of(site, BOB), site.entries()) == (hers, [], 0)


def test_an_owner_who_can_not_be_read_again_after_the_write_holds_up_no_other(site: Site, alice: HttpsClient) -> None:
    hers, his = both_wrote(site, alice)
    with site.table.failing(only(asks_for("BatchGetItem"), after_the_first(unread(ALICE)))):
        result = index_changes(site.indexing.truth, site.indexing.writer, [*hers, *his])
    assert (result.settled, result.failed) == (tuple(his), tuple(hers))
    assert (refs_of(site), site.entries()) == (hers, 1)


def test_an_owner_whose_entries_the_table_does_not_delete_holds_up_no_other(site: Site, alice: HttpsClient) -> None:
    hers, his = both_wrote(site, alice)
    refused = only(SETTLEMENT, only(concerns(ALICE), answering(500)))
    with site.table.failing(refused):
        result = index_changes(site.indexing.truth, site.indexing.writer, [*hers, *his])
    assert (result.settled, result.failed, result.unanswered) == (tuple(his), tuple(hers), tuple(hers))
    assert (refs_of(site), refs_of(site, BOB)) == (hers, [])


def test_where_a_search_confirms_an_owner_who_can_not_be_read_holds_up_no_other(site: Site, alice: HttpsClient) -> None:
    hers, his = both_wrote(site, alice)
    write_present(site.indexing.truth, site.indexing.writer, [ref.memory for ref in (*hers, *his)])
    with site.table.failing(unread(ALICE)):
        result = confirm_searchable(site.indexing.truth, site.indexing.writer, [*hers, *his])
    assert (result.settled, result.waiting) == (tuple(his), tuple(hers))
    assert (refs_of(site), refs_of(site, BOB)) == (hers, [])


def test_where_the_second_look_fails_no_search_confirms_that_a_memory_is_gone(site: Site, alice: HttpsClient) -> None:
    hers, _ = both_wrote(site, alice)
    alice.call("forget", memory_id=hers[0].memory.memory_id, reason="it is back")
    write_present(site.indexing.truth, site.indexing.writer, [hers[0].memory])
    with site.table.failing(only(asks_for("BatchGetItem"), after_the_first(THROTTLED))):
        result = confirm_searchable(site.indexing.truth, site.indexing.writer, hers)
    assert (result.settled, result.waiting) == ((), tuple(hers))


def test_an_index_that_confirms_nothing_leaves_all_waiting(site: Site, alice: HttpsClient) -> None:
    hers, his = both_wrote(site, alice)
    write_present(site.indexing.truth, site.indexing.writer, [ref.memory for ref in (*hers, *his)])
    with site.index.failing(answering(503, b"{}")):
        result = confirm_searchable(site.indexing.truth, site.indexing.writer, [*hers, *his])
    assert (result.settled, result.waiting) == ((), (*hers, *his))

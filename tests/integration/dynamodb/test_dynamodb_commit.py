"""Commits when DynamoDB is slow, overrun, or in the middle of other transactions."""

import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from botocore.exceptions import ClientError

from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import MAX_HISTORY, Memory, Version
from m4a.domain.records import Change, CommitResult, Committed, GuardHeld, Moved
from tests.contract.building import ANN, Scribe, erasure, insertion, key_of, replacement
from tests.support.dynamodb import Dynamo, cancel, fail, lose_answer, lose_request

COLLISION = cancel(["None", "TransactionConflict"])


def stored(dynamo: Dynamo, memory: Memory) -> Memory | None:
    return dynamo.store.get(ANN, [memory.memory_id]).get(memory.memory_id)


def with_history(ann: Scribe, versions: int) -> tuple[Memory, tuple[Version, ...]]:
    """A memory that brings so many earlier versions, which are in no table yet."""
    memory = ann.memory("The last.", version=versions + 1)
    earlier = [replace(memory, version=number, content=f"Version {number}.") for number in range(1, versions + 1)]
    return memory, tuple(Version.of(one, memory.updated_at) for one in earlier)


@pytest.mark.parametrize("kind", ["insertion", "replacement", "erasure"])
def test_a_change_whose_answer_was_lost_is_committed_once(dynamo: Dynamo, ann: Scribe, kind: str) -> None:
    first = ann.update(ann.remember("Ann rides the bus."), "Ann rides a bicycle.")
    second = ann.memory("Ann walks.")
    changes = {
        "insertion": insertion(second, key=key_of("k")),
        "replacement": replacement(first, ann.changed(first, "Ann walks.")),
        "erasure": erasure(first, ann.tick()),
    }
    outbox = len(dynamo.outbox.pending(ANN, 100))
    dynamo.client.script("transact_write_items", lose_answer)
    result = dynamo.store.commit(ANN, changes[kind])
    receipt = dynamo.log.receipts(ANN, [first.memory_id]).get(first.memory_id)
    assert result == Committed(receipt)
    assert (receipt is not None and receipt.versions_erased == 2) == (kind == "erasure")
    assert len(dynamo.outbox.pending(ANN, 100)) == outbox + 1
    assert len(dynamo.log.audit(ANN, None, 10).items) == 3


def test_a_change_that_did_not_arrive_is_sent_again(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.memory("Ann rides the bus.")
    dynamo.client.script("transact_write_items", lose_request, fail("InternalServerError", 500))
    assert dynamo.store.commit(ANN, insertion(memory)) == Committed()
    assert stored(dynamo, memory) == memory
    assert len(dynamo.pauses) == 2


def test_an_outcome_that_stays_unknown_is_never_called_unchanged(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.memory("Ann rides the bus.")
    dynamo.client.script("transact_write_items", lose_answer, *[fail("ThrottlingException")] * 9)
    with pytest.raises(Unavailable, match="not known"):
        dynamo.store.commit(ANN, insertion(memory))
    assert stored(dynamo, memory) == memory


def test_a_change_that_is_still_under_way_is_never_called_unchanged(dynamo: Dynamo, ann: Scribe) -> None:
    dynamo.client.script("transact_write_items", *[fail("TransactionInProgressException")] * 5)
    with pytest.raises(Unavailable, match="not known"):
        dynamo.store.commit(ANN, insertion(ann.memory("Ann rides the bus.")))


def test_a_change_that_was_still_under_way_is_found_to_be_made(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.memory("Ann rides the bus.")
    dynamo.client.script("transact_write_items", lose_answer, fail("TransactionInProgressException"))
    assert dynamo.store.commit(ANN, insertion(memory)) == Committed()
    assert stored(dynamo, memory) == memory


def test_a_commit_is_tried_again_while_the_table_is_overrun(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.memory("Ann rides the bus.")
    overrun = fail("ProvisionedThroughputExceededException"), cancel(["ThrottlingError"])
    dynamo.client.script("transact_write_items", *overrun, COLLISION)
    assert dynamo.store.commit(ANN, insertion(memory)) == Committed()
    assert stored(dynamo, memory) == memory


def test_after_five_collisions_a_commit_gives_up_and_has_changed_nothing(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.memory("Ann rides the bus.")
    dynamo.client.script("transact_write_items", *[COLLISION] * 5)
    with pytest.raises(Throttled):
        dynamo.store.commit(ANN, insertion(memory))
    assert len(dynamo.client.requests("transact_write_items")) == 5
    assert dynamo.sort_keys() == []


def test_a_mistake_in_a_request_is_not_tried_again(dynamo: Dynamo, ann: Scribe) -> None:
    dynamo.client.script("transact_write_items", cancel(["ValidationError"]))
    with pytest.raises(ClientError):
        dynamo.store.commit(ANN, insertion(ann.memory("Ann rides the bus.")))
    assert len(dynamo.client.requests("transact_write_items")) == 1


def test_a_full_history_is_imported_and_erased_in_one_transaction_each(dynamo: Dynamo, ann: Scribe) -> None:
    memory, archive = with_history(ann, MAX_HISTORY)
    memory = replace(memory, importance="high")
    change = insertion(memory, archive=archive, keeps_id=True, key=key_of("k"))
    assert dynamo.store.commit(ANN, change) == Committed()
    assert len(dynamo.sort_keys("H#")) == MAX_HISTORY
    receipt = ann.forget(memory)
    assert receipt.versions_erased == MAX_HISTORY + 1
    assert [len(request["TransactItems"]) < 100 for request in dynamo.client.requests("transact_write_items")] == [
        True,
        True,
    ]
    assert {key[:2] for key in dynamo.sort_keys()} == {"A#", "K#", "P#", "X#"}


def test_a_history_with_gaps_keeps_its_newest_versions_too(dynamo: Dynamo, ann: Scribe) -> None:
    memory, archive = with_history(ann, MAX_HISTORY)
    memory = replace(memory, version=500)
    ann.commit(insertion(memory, archive=archive, keeps_id=True))
    memory = ann.update(ann.update(memory, importance="high"), importance="low")
    numbers = [version.version for version in dynamo.store.history(ANN, memory.memory_id)]
    assert numbers == [501, 500, *range(MAX_HISTORY, 2, -1)]


def test_an_update_that_keeps_type_and_text_does_not_touch_the_guard(dynamo: Dynamo, ann: Scribe) -> None:
    ann.update(ann.remember("Ann rides the bus."), importance="high")
    rows = dynamo.client.requests("transact_write_items")[-1]["TransactItems"]
    keys = [one.get("Item", one.get("Key"))["sk"]["S"] for row in rows for one in row.values()]
    assert sorted(key[:2] for key in keys) == ["A#", "C#", "H#", "M#", "P#"]


def test_of_threads_that_insert_one_text_one_succeeds_and_the_others_learn_its_id(dynamo: Dynamo, ann: Scribe) -> None:
    memories = [ann.memory("Ann rides the bus.") for _ in range(6)]
    results = in_threads(dynamo, [insertion(memory) for memory in memories])
    (winner,) = [memory for memory, result in zip(memories, results, strict=True) if result == Committed()]
    assert [result for result in results if result != Committed()] == [GuardHeld(winner.memory_id)] * 5
    assert len(dynamo.sort_keys("M#")) == len(dynamo.sort_keys("A#")) == len(dynamo.sort_keys("P#")) == 1


def test_of_threads_that_update_one_memory_one_succeeds(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.remember("Ann rides the bus.")
    changes = [replacement(memory, ann.changed(memory, f"Ann takes line {number}.")) for number in range(6)]
    results = in_threads(dynamo, changes)
    assert sorted(type(result).__name__ for result in results) == ["Committed", *["Moved"] * 5]
    (winner,) = [change for change, result in zip(changes, results, strict=True) if result != Moved()]
    assert stored(dynamo, memory) == winner.after
    assert len(dynamo.sort_keys("D#")) == len(dynamo.sort_keys("H#")) == 1


@pytest.fixture
def busy_threads() -> Generator[None]:
    """Threads take turns far more often than they would."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("busy_threads")
def test_no_answered_write_is_lost_among_refused_ones(dynamo: Dynamo, ann: Scribe) -> None:
    """A refused transaction is rolled back. What stands in for DynamoDB must not roll back others with it."""
    held = ann.remember("Held.")
    memories = [ann.memory(f"Number {number}.") for number in range(40)]
    refused = [ann.memory("Held.") for _ in memories]
    changes = [insertion(memory) for pair in zip(memories, refused, strict=True) for memory in pair]
    results = in_threads(dynamo, changes)
    assert results == [Committed(), GuardHeld(held.memory_id)] * len(memories)
    assert dynamo.sort_keys("M#") == sorted(f"M#{memory.memory_id}" for memory in (held, *memories))


def in_threads(dynamo: Dynamo, changes: list[Change]) -> list[CommitResult]:
    """Commits them, as many at once as there are threads."""
    threads = min(len(changes), 8)
    start = Barrier(threads, timeout=30)

    def commit(change: Change) -> CommitResult:
        if change in changes[:threads]:
            start.wait()
        return dynamo.store.commit(ANN, change)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(commit, changes))

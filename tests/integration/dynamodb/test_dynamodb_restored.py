"""A restored table whose items are not all of one moment."""

from dataclasses import replace

import pytest

from m4a.adapters.dynamodb.keys import GUARD, MEMORY, Key
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.domain.errors import Throttled
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Memory
from m4a.domain.records import Change, Committed, GuardHeld
from tests.contract.building import ANN, START, Scribe, erasure, insertion
from tests.support.dynamodb import Dynamo, Step, cancel, fail, lose_answer


def replayed(memory: Memory) -> Change:
    """The erasure of a memory that had come back, with the receipt that it had before."""
    change = erasure(memory, START)
    assert change.receipt
    return replace(change, receipt=replace(change.receipt, change_id=new_ulid(START)))


def test_strays_of_a_forgotten_memory_are_erased_and_its_text_is_free_again(dynamo: Dynamo, ann: Scribe) -> None:
    gone = ann.update(ann.remember("Ann rides the bus.", importance="high"), "Ann rides a bicycle.")
    kept = ann.update(ann.remember("Ann plays chess.", importance="high"), "Ann plays go.")
    dynamo.table.delete(Key(ANN.key, MEMORY + gone.memory_id))
    again = ann.memory("Ann rides a bicycle.")
    assert not isinstance(dynamo.store.commit(ANN, insertion(again)), Committed)
    before = len(dynamo.sort_keys())
    assert dynamo.forgotten.clear_strays(ANN, {gone.memory_id}) == 3
    assert len(dynamo.sort_keys()) == before - 3
    assert not [sk for sk in dynamo.sort_keys() if gone.memory_id in sk and not sk.startswith("P#")]
    assert isinstance(dynamo.store.commit(ANN, insertion(again)), Committed)
    assert dynamo.store.get(ANN, [kept.memory_id]) == {kept.memory_id: kept}
    assert len(dynamo.store.history(ANN, kept.memory_id)) == 1


def test_a_replay_leaves_the_guard_of_a_newer_memory_with_the_same_text(dynamo: Dynamo, ann: Scribe) -> None:
    back = ann.remember("Ann rides the bus.")
    dynamo.table.delete(Key(ANN.key, GUARD + back.guard.hex()))
    newer = ann.remember("Ann rides the bus.")
    assert isinstance(dynamo.store.commit(ANN, replayed(back)), Committed)
    assert dynamo.store.commit(ANN, insertion(ann.memory("Ann rides the bus."))) == GuardHeld(newer.memory_id)


def test_a_replay_frees_the_text_of_a_memory_that_had_come_back(dynamo: Dynamo, ann: Scribe) -> None:
    back = ann.remember("Ann rides the bus.")
    assert isinstance(dynamo.store.commit(ANN, replayed(back)), Committed)
    assert dynamo.sort_keys(GUARD) == []


@pytest.mark.parametrize(
    "step",
    [cancel(["TransactionConflict"]), cancel(["ThrottlingError"]), fail("ThrottlingException"), lose_answer],
    ids=["collision", "cancelled", "throttled", "lost"],
)
def test_a_stray_is_erased_although_the_table_is_busy(dynamo: Dynamo, ann: Scribe, step: Step) -> None:
    gone = ann.remember("Ann rides the bus.")
    dynamo.table.delete(Key(ANN.key, MEMORY + gone.memory_id))
    dynamo.client.script("transact_write_items", step, step)
    dynamo.forgotten.clear_strays(ANN, {gone.memory_id})
    assert dynamo.sort_keys(GUARD) == []


def test_a_stray_that_stays_is_told(dynamo: Dynamo, ann: Scribe) -> None:
    gone = ann.remember("Ann rides the bus.")
    dynamo.table.delete(Key(ANN.key, MEMORY + gone.memory_id))
    dynamo.client.script("transact_write_items", *[cancel(["TransactionConflict"])] * ATTEMPTS)
    with pytest.raises(Throttled):
        dynamo.forgotten.clear_strays(ANN, {gone.memory_id})


def test_a_guard_that_became_another_memorys_is_no_stray(dynamo: Dynamo, ann: Scribe) -> None:
    gone = ann.remember("Ann rides the bus.")
    dynamo.client.script("transact_write_items", cancel(["ConditionalCheckFailed"]))
    assert dynamo.forgotten.clear_strays(ANN, {gone.memory_id}) == 0

"""What ``Forgotten`` promises, and a commit that brings the receipt of an earlier erasure."""

from dataclasses import replace
from datetime import timedelta

from m4a.domain.ids import new_ulid
from m4a.domain.records import Change, Committed, IdTaken, Trace
from tests.contract.building import ANN, BOB, START, Scribe, erasure, event, insertion
from tests.contract.conftest import Backend, refused


def earlier(change: Change) -> Change:
    """The same erasure with a receipt of an earlier one, which erased more."""
    assert change.receipt
    receipt = replace(change.receipt, change_id=new_ulid(START), reason="asked to", versions_erased=7)
    return replace(change, receipt=receipt)


def without_memory(change: Change) -> Change:
    return replace(change, before=None)


def test_an_erasure_with_the_receipt_of_an_earlier_one_keeps_it_as_it_was(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("One.")
    change = earlier(erasure(memory, ann.tick()))
    ann.commit(change)
    assert backend.store.get(ANN, [memory.memory_id]) == {}
    assert backend.log.receipts(ANN, [memory.memory_id]) == {memory.memory_id: change.receipt}
    assert len(backend.outbox.pending(ANN, 10)) in (0, 2)


def test_a_receipt_alone_can_be_put_back_and_then_its_id_is_not_free(backend: Backend, ann: Scribe) -> None:
    memory = ann.memory("One.")
    change = without_memory(earlier(erasure(memory, ann.tick())))
    assert ann.commit(change) == Committed(change.receipt)
    assert backend.log.receipts(ANN, [memory.memory_id]) == {memory.memory_id: change.receipt}
    assert backend.log.audit(ANN, None, 10).items == (change.audit,)
    assert ann.commit(change) == Committed(change.receipt)
    assert backend.store.commit(ANN, insertion(memory, keeps_id=True)) == IdTaken()
    assert list(backend.maintenance.owners()) == [ANN]


def test_a_receipt_is_not_put_back_where_the_memory_or_another_receipt_is(backend: Backend, ann: Scribe) -> None:
    there, gone = ann.remember("There."), ann.remember("Gone.")
    ann.forget(gone)
    for memory in (there, gone):
        assert refused(backend, without_memory(earlier(erasure(memory, ann.tick())))) == IdTaken()


def test_records_are_all_receipts_and_the_erasures_of_all_owners(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    receipts = [(ANN, ann.forget(ann.remember("One."))), (BOB, bob.forget(bob.remember("Two.")))]
    ann.remember("Kept.")
    erased = event(START, "erase", reason="asked to")
    backend.log.append(BOB, erased)
    backend.log.append(ANN, event(START, "export"))
    found = list(backend.forgotten.records())
    assert sorted(found, key=str) == sorted([*receipts, (BOB, erased)], key=str)


def test_clearing_strays_touches_no_other_memory(backend: Backend, ann: Scribe) -> None:
    kept = ann.update(ann.remember("Kept.", importance="high"), "Kept for good.")
    gone = ann.remember("Gone.")
    ann.forget(gone)
    assert backend.forgotten.clear_strays(ANN, {gone.memory_id}) == 0
    assert backend.store.get(ANN, [kept.memory_id]) == {kept.memory_id: kept}
    assert len(backend.store.history(ANN, kept.memory_id)) == 1


def test_traces_can_be_erased_up_to_a_moment(backend: Backend) -> None:
    moments = [START - timedelta(seconds=seconds) for seconds in (3, 2, 1)]
    traces = [Trace(recall_id=new_ulid(at), at=at, body={}, asked={}) for at in moments]
    for trace in traces:
        backend.log.append(ANN, event(trace.at), trace)
    assert backend.log.erase_traces(ANN, 100, traces[1].at)
    assert [backend.log.trace(ANN, one.recall_id) for one in traces] == [None, None, traces[2]]

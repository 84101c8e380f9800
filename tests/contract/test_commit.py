"""What ``MemoryStore`` promises of a commit that nothing speaks against: all of it, once."""

from dataclasses import replace

from m4a.domain.memory import MAX_HISTORY, Version
from m4a.domain.records import CommitResult, Committed
from tests.contract.building import ANN, BOB, Scribe, embedding, erasure, event, insertion, key_of, replacement
from tests.contract.conftest import Backend, refused


def test_an_update_replaces_the_memory_and_archives_the_version_before(backend: Backend, ann: Scribe) -> None:
    first = ann.remember("Ann rides the bus.", tags=("travel",), source="chat 1")
    second = ann.update(first, "Ann rides a bicycle.", tags=())
    assert backend.store.get(ANN, [first.memory_id]) == {first.memory_id: second}
    assert backend.store.history(ANN, first.memory_id) == [Version.of(first, second.updated_at)]


def test_a_write_that_is_no_new_version_archives_nothing(backend: Backend, ann: Scribe) -> None:
    first = ann.remember("Ann rides the bus.", embedding=None)
    second = replace(first, rev=2, embedding=embedding("later"))
    ann.commit(replacement(first, second))
    assert backend.store.get(ANN, [first.memory_id]) == {first.memory_id: second}
    assert backend.store.history(ANN, first.memory_id) == []


def test_an_embedding_can_be_taken_away_again(backend: Backend, ann: Scribe) -> None:
    first = ann.remember("Ann rides the bus.")
    second = replace(first, rev=2, embedding=None)
    ann.commit(replacement(first, second))
    assert backend.store.get(ANN, [first.memory_id]) == {first.memory_id: second}


def test_the_newest_versions_are_kept_newest_first(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("Version 1.")
    for number in range(2, MAX_HISTORY + 4):
        memory = ann.update(memory, f"Version {number}.")
    numbers = [version.version for version in backend.store.history(ANN, memory.memory_id)]
    assert numbers == list(range(MAX_HISTORY + 2, 2, -1))


def test_an_insert_can_bring_its_history(backend: Backend, ann: Scribe) -> None:
    first = ann.memory("One.")
    second, third = ann.changed(first, "Two."), ann.changed(first, "Three.", version=3)
    archive = (Version.of(first, second.updated_at), Version.of(second, third.updated_at))
    ann.commit(insertion(third, archive=archive, keeps_id=True))
    assert backend.store.history(ANN, first.memory_id) == list(archive[::-1])


def test_an_erasure_takes_the_memory_and_its_history_and_leaves_a_receipt(backend: Backend, ann: Scribe) -> None:
    memory = ann.update(ann.update(ann.remember("One."), "Two."), "Three.")
    kept = ann.remember("Other.")
    change = erasure(memory, ann.tick(), "asked to")
    receipt = ann.commit(change).receipt
    assert receipt is not None and change.receipt is not None
    assert receipt == replace(change.receipt, versions_erased=3)
    assert set(backend.store.get(ANN, [memory.memory_id, kept.memory_id])) == {kept.memory_id}
    assert backend.store.history(ANN, memory.memory_id) == []
    assert backend.log.receipts(ANN, [memory.memory_id, kept.memory_id]) == {memory.memory_id: receipt}
    assert backend.log.receipts(BOB, [memory.memory_id]) == {}


def test_repeating_a_change_that_was_applied_changes_nothing(backend: Backend, ann: Scribe) -> None:
    first = ann.memory("One.")
    second = ann.changed(first, "Two.")
    erase = erasure(second, ann.tick())
    changes = [insertion(first, key=key_of("k")), replacement(first, second), erase]
    answers: list[CommitResult] = []
    for change in changes:
        answers.append(ann.commit(change))
        assert refused(backend, change) == answers[-1]
    assert [refused(backend, change) for change in changes] == [Committed(), Committed(), answers[-1]]


def test_every_commit_leaves_its_event_in_the_audit(backend: Backend, ann: Scribe) -> None:
    memory = ann.memory("One.")
    audit = event(ann.tick(), "import", "created", memory_id=memory.memory_id, version=1, reason="moved house")
    ann.commit(insertion(memory, audit=audit, change_id=audit.change_id))
    assert backend.log.audit(ANN, None, 10).items == (audit,)

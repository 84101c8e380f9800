"""What ``MemoryStore`` promises of a commit that something speaks against: the reason, and that nothing was written."""

from dataclasses import replace
from datetime import timedelta

import pytest

from m4a.domain.records import GuardHeld, IdTaken, KeyUsed, Moved
from tests.contract.building import ANN, BOB, Scribe, erasure, insertion, key_of, replacement
from tests.contract.conftest import Backend, refused


@pytest.mark.parametrize("stale_rev", [1, 3])
def test_a_change_to_another_rev_than_the_stored_is_moved(backend: Backend, ann: Scribe, stale_rev: int) -> None:
    first = ann.remember("Ann rides the bus.")
    second = ann.update(first, "Ann rides a bicycle.")
    stale = replace(second, rev=stale_rev)
    assert refused(backend, replacement(stale, ann.changed(stale, "Ann walks."))) == Moved()
    assert refused(backend, erasure(stale, ann.tick())) == Moved()


def test_a_change_to_a_memory_that_is_gone_is_moved(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("Ann rides the bus.")
    ann.forget(memory)
    assert refused(backend, replacement(memory, ann.changed(memory, "Ann walks."))) == Moved()
    assert refused(backend, erasure(memory, ann.tick())) == Moved()


def test_a_change_to_another_owners_memory_is_moved(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    memory = ann.remember("Ann rides the bus.")
    change = replacement(memory, ann.changed(memory, "Bob was here."))
    assert backend.store.commit(BOB, change) == Moved()  # an owner without data
    bob.remember("Bob walks.")
    assert backend.store.commit(BOB, change) == Moved()
    assert backend.store.commit(BOB, erasure(memory, ann.tick())) == Moved()
    assert backend.store.get(ANN, [memory.memory_id]) == {memory.memory_id: memory}


def test_an_insert_of_a_text_that_is_there_is_held_by_its_memory(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    holder = ann.remember("Ann rides the bus.")
    assert refused(backend, insertion(ann.memory(" Ann  rides the bus. "))) == GuardHeld(holder.memory_id)
    ann.remember("Ann rides the bus.", type="event")
    bob.remember("Ann rides the bus.")


def test_an_update_to_a_text_that_is_there_is_held_by_its_memory(backend: Backend, ann: Scribe) -> None:
    holder, memory = ann.remember("Ann rides the bus."), ann.remember("Ann walks.")
    assert refused(backend, replacement(memory, ann.changed(memory, "Ann rides the bus."))) == GuardHeld(
        holder.memory_id
    )
    ann.update(holder, importance="high")  # its own text stands in nobody's way


def test_an_expired_memory_still_holds_its_text(backend: Backend, ann: Scribe) -> None:
    holder = ann.remember("Buy stamps.", expires_at=ann.moment - timedelta(days=1))
    assert refused(backend, insertion(ann.memory("Buy stamps."))) == GuardHeld(holder.memory_id)


def test_a_text_is_free_again_once_its_memory_has_changed_or_gone(backend: Backend, ann: Scribe) -> None:
    memory = ann.update(ann.remember("Ann rides the bus."), "Ann walks.")
    ann.remember("Ann rides the bus.")
    ann.forget(memory)
    ann.remember("Ann walks.")


def test_an_id_that_exists_is_taken_for_its_owner_alone(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    memory = ann.remember("Ann rides the bus.")
    assert refused(backend, insertion(replace(memory, content="Other."), keeps_id=True)) == IdTaken()
    bob.commit(insertion(replace(memory, content="Other."), keeps_id=True))


def test_an_id_that_was_forgotten_is_taken(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("Ann rides the bus.")
    ann.forget(memory)
    assert refused(backend, insertion(memory, keeps_id=True)) == IdTaken()


def test_a_key_stands_for_its_memory_for_one_day(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    memory = ann.memory("One.")
    ann.commit(insertion(memory, key=key_of("k-1", "body 1")))
    used = KeyUsed(memory.memory_id, key_of("k-1", "body 1").fingerprint)
    start = ann.moment
    ann.moment = start + timedelta(days=1, seconds=-2)
    assert refused(backend, insertion(ann.memory("Two."), key=key_of("k-1", "body 2"))) == used
    bob.commit(insertion(bob.memory("Two."), key=key_of("k-1", "body 2")))
    later = ann.memory("Three.")
    ann.commit(insertion(later, key=key_of("k-1", "body 3")))
    assert refused(backend, insertion(ann.memory("Four."), key=key_of("k-1", "body 4"))) == KeyUsed(
        later.memory_id, key_of("k-1", "body 3").fingerprint
    )


def test_a_key_outlives_its_memory(backend: Backend, ann: Scribe) -> None:
    memory = ann.memory("One.")
    ann.commit(insertion(memory, key=key_of("k-1")))
    ann.forget(memory)
    again = insertion(ann.memory("One."), key=key_of("k-1"))
    assert refused(backend, again) == KeyUsed(memory.memory_id, key_of("k-1").fingerprint)


def test_a_refused_change_does_not_use_its_key_up(backend: Backend, ann: Scribe) -> None:
    holder = ann.remember("One.")
    assert refused(backend, insertion(ann.memory("One."), key=key_of("k-1"))) == GuardHeld(holder.memory_id)
    ann.commit(insertion(ann.memory("Two."), key=key_of("k-1")))


def test_of_several_reasons_the_key_comes_first_and_the_guard_last(backend: Backend, ann: Scribe) -> None:
    memory, holder = ann.memory("One."), ann.remember("Two.")
    ann.commit(insertion(memory, key=key_of("k-1")))
    taken = replace(memory, content="Two.", updated_at=ann.tick())
    used = KeyUsed(memory.memory_id, key_of("k-1").fingerprint)
    assert refused(backend, insertion(taken, keeps_id=True, key=key_of("k-1"))) == used
    assert refused(backend, insertion(taken, keeps_id=True)) == IdTaken()
    stale = replace(memory, rev=5)
    assert refused(backend, replacement(stale, ann.changed(stale, "Two."), key=key_of("k-1"))) == used
    assert refused(backend, replacement(stale, ann.changed(stale, "Two."))) == Moved()
    assert refused(backend, insertion(ann.memory("Two."))) == GuardHeld(holder.memory_id)

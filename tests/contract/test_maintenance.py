"""What ``Maintenance`` and ``Outbox`` promise."""

from dataclasses import replace
from datetime import timedelta

from m4a.domain.records import Due
from tests.contract.building import ANN, BOB, START, Scribe, embedding, event, replacement
from tests.contract.conftest import Backend

LATER = START + timedelta(days=1)


def test_what_expired_is_due_first_then_what_will_expire_without_a_vector_each_in_its_order(
    backend: Backend, ann: Scribe, bob: Scribe
) -> None:
    waiting = ann.remember("Not embedded.", embedding=None)
    expired = bob.remember("Expired.", expires_at=START + timedelta(hours=1))
    both = ann.remember("Expired without a vector.", embedding=None, expires_at=LATER)
    ann.remember("Expires later.", expires_at=LATER + timedelta(milliseconds=1))
    last = ann.remember("Neither.", embedding=None, expires_at=LATER + timedelta(hours=2))
    soon = ann.remember("Neither, and sooner.", embedding=None, expires_at=LATER + timedelta(milliseconds=1))
    newer = bob.remember("Not embedded either.", embedding=None)
    ann.remember("Nothing to do.")
    due = [
        Due(BOB, expired.memory_id, "expired"),
        Due(ANN, both.memory_id, "expired"),
        Due(ANN, soon.memory_id, "embed"),
        Due(ANN, last.memory_id, "embed"),
        Due(ANN, waiting.memory_id, "embed"),
        Due(BOB, newer.memory_id, "embed"),
    ]
    assert list(backend.maintenance.due(LATER)) == due


def test_what_expires_without_a_vector_is_not_hidden_by_what_waits_for_one(backend: Backend, ann: Scribe) -> None:
    for number in range(70):
        ann.remember(f"Number {number}.", embedding=None)
    mortal = ann.remember("Expires.", embedding=None, expires_at=LATER)
    assert next(backend.maintenance.due(LATER)) == Due(ANN, mortal.memory_id, "expired")
    assert len(list(backend.maintenance.due(LATER))) == 71


def test_what_is_done_while_the_list_is_read_leaves_nothing_out(backend: Backend, ann: Scribe) -> None:
    made = [ann.remember(f"Number {number}.", expires_at=START) for number in range(70)]
    known = {memory.memory_id: memory for memory in made}
    seen: list[str] = []
    for one in backend.maintenance.due(LATER):
        assert one
        seen.append(one.memory_id)
        ann.forget(known[one.memory_id])
    assert seen == list(known)


def test_what_was_done_is_no_longer_due(backend: Backend, ann: Scribe) -> None:
    waiting = ann.remember("Not embedded.", embedding=None)
    expired = ann.remember("Expired.", expires_at=START)
    ann.commit(replacement(waiting, replace(waiting, rev=2, embedding=embedding("now"))))
    ann.forget(expired)
    assert list(backend.maintenance.due(LATER)) == []


def test_who_is_put_off_stays_as_it_is_and_who_moved_or_is_gone_is_not_put_off(backend: Backend, ann: Scribe) -> None:
    kept = ann.remember("Not embedded.", embedding=None)
    moved = ann.remember("Not embedded, and changed.", embedding=None)
    gone = ann.remember("Not embedded, and forgotten.", embedding=None)
    after = ann.update(moved, importance="high")
    ann.forget(gone)
    for memory in (kept, moved, gone):
        backend.maintenance.put_off(ANN, memory, LATER + timedelta(hours=1))
    found = backend.store.get(ANN, [kept.memory_id, moved.memory_id, gone.memory_id])
    assert found == {kept.memory_id: kept, moved.memory_id: after}
    assert Due(ANN, moved.memory_id, "embed") in list(backend.maintenance.due(LATER))


def test_the_oldest_of_what_is_due_says_for_how_long(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    ann.remember("Nothing to do.")
    ann.remember("Expires later.", expires_at=LATER + timedelta(hours=1))
    assert backend.maintenance.due_age(LATER) == 0.0
    bob.remember("Expired.", expires_at=LATER - timedelta(hours=2))
    assert backend.maintenance.due_age(LATER) == 7_200.0
    both = ann.remember("Not embedded, and will expire.", embedding=None, expires_at=LATER + timedelta(hours=1))
    assert backend.maintenance.due_age(LATER) == (LATER - both.updated_at).total_seconds()
    older = bob.remember("Not embedded.", embedding=None)
    assert backend.maintenance.due_age(LATER) == (LATER - older.updated_at).total_seconds()


def test_owners_are_those_that_have_or_had_memories(backend: Backend, ann: Scribe) -> None:
    backend.log.append(BOB, event(START))
    assert list(backend.maintenance.owners()) == []
    ann.forget(ann.remember("One."))
    assert list(backend.maintenance.owners()) == [ANN]


def test_nothing_stays_pending_once_it_is_searchable(backend: Backend, ann: Scribe) -> None:
    ann.remember("One.")
    backend.make_searchable()
    assert list(backend.outbox.pending(ANN, 10)) == []

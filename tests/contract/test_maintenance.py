"""What ``Maintenance`` and ``Outbox`` promise."""

from dataclasses import replace
from datetime import timedelta

from m4a.domain.records import Due
from tests.contract.building import ANN, BOB, START, Scribe, embedding, event, replacement
from tests.contract.conftest import Backend

LATER = START + timedelta(days=1)


def test_what_expired_is_due_first_and_then_what_has_no_vector_each_oldest_first(
    backend: Backend, ann: Scribe, bob: Scribe
) -> None:
    waiting = ann.remember("Not embedded.", embedding=None)
    expired = bob.remember("Expired.", expires_at=START + timedelta(hours=1))
    both = ann.remember("Expired without a vector.", embedding=None, expires_at=LATER)
    ann.remember("Expires later.", expires_at=LATER + timedelta(milliseconds=1))
    ann.remember("Nothing to do.")
    due = [
        Due(BOB, expired.memory_id, "expired"),
        Due(ANN, both.memory_id, "expired"),
        Due(ANN, waiting.memory_id, "embed"),
    ]
    assert list(backend.maintenance.due(LATER, 10)) == due
    assert list(backend.maintenance.due(LATER, 2)) == due[:2]


def test_what_was_done_is_no_longer_due(backend: Backend, ann: Scribe) -> None:
    waiting = ann.remember("Not embedded.", embedding=None)
    expired = ann.remember("Expired.", expires_at=START)
    ann.commit(replacement(waiting, replace(waiting, rev=2, embedding=embedding("now"))))
    ann.forget(expired)
    assert list(backend.maintenance.due(LATER, 10)) == []


def test_owners_are_those_that_have_or_had_memories(backend: Backend, ann: Scribe) -> None:
    backend.log.append(BOB, event(START))
    assert list(backend.maintenance.owners()) == []
    ann.forget(ann.remember("One."))
    assert list(backend.maintenance.owners()) == [ANN]


def test_nothing_stays_pending_once_it_is_searchable(backend: Backend, ann: Scribe) -> None:
    ann.remember("One.")
    backend.make_searchable()
    assert list(backend.outbox.pending(ANN, 10)) == []

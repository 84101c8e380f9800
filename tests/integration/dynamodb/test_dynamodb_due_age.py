"""For how long what will expire waits for its vector, which the index `work` does not say."""

from dataclasses import replace
from datetime import timedelta

from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.domain.ids import new_ulid
from tests.contract.building import ANN, START, Scribe, insertion
from tests.support.dynamodb import Dynamo, leaving_unread

LATER = START + timedelta(days=1)


def test_a_memory_that_will_expire_waits_since_it_was_stored_without_a_vector_and_not_since_it_was_created(
    dynamo: Dynamo, ann: Scribe
) -> None:
    old = ann.remember("Permit 12.", expires_at=LATER + timedelta(days=30))
    ann.update(old, "Permit 13.", embedding=None, updated_at=LATER - timedelta(seconds=60))
    assert dynamo.maintenance.due_age(LATER) == 60.0


def test_an_imported_memory_that_will_expire_waits_since_its_import_and_not_for_as_long_as_its_id_or_dates_say(
    dynamo: Dynamo, ann: Scribe
) -> None:
    for number, memory_id in enumerate((new_ulid(START - timedelta(days=400)), "7" + "Z" * 25)):
        expires_at = LATER + timedelta(hours=1)
        memory = ann.memory(f"Number {number}.", memory_id=memory_id, embedding=None, expires_at=expires_at)
        old = replace(memory, created_at=START - timedelta(days=400), updated_at=START - timedelta(days=300))
        stored = insertion(memory)
        ann.commit(replace(stored, after=old, keeps_id=True))
    assert dynamo.maintenance.due_age(LATER) == (LATER - START).total_seconds() - 1


def test_who_can_not_be_read_does_not_hide_for_how_long_others_wait(dynamo: Dynamo, ann: Scribe) -> None:
    ann.remember("Will expire.", embedding=None, expires_at=LATER + timedelta(hours=1))
    assert dynamo.maintenance.due_age(LATER) == 86_399.0
    ann.remember("Not embedded.", embedding=None)
    dynamo.client.script("batch_get_item", *[leaving_unread(ANN)] * ATTEMPTS)
    assert dynamo.maintenance.due_age(LATER) == 86_398.0

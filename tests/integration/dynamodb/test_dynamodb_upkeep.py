"""What the sweep and operators see: the sparse index of work, the outbox, owners, rules; and what requests cost."""

from dataclasses import replace
from datetime import timedelta
from itertools import islice

import pytest

from m4a.adapters.dynamodb import maintenance
from m4a.adapters.dynamodb.counting import CountingClient
from m4a.adapters.dynamodb.store import DynamoStore
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.dynamodb.truth import DynamoTruth
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding
from m4a.domain.owner import Owner
from m4a.domain.records import Due, Pending
from m4a.ports.indexing import MemoryRef, OutboxRef, Overdue
from tests.contract.building import ANN, START, Scribe, embedding, replacement
from tests.support.dynamodb import Dynamo

STRANGE = Owner("tenant|1", "Zoë # of the M#01 :: 中村")
LATER = START + timedelta(days=1)
MISSED = timedelta(minutes=3)


def settle_all(dynamo: Dynamo, owner: Owner = ANN) -> None:
    for entry in dynamo.outbox.pending(owner, 100):
        dynamo.outbox.settle(owner, entry)


def test_the_outbox_lists_changes_in_their_order_until_they_are_settled(dynamo: Dynamo, ann: Scribe) -> None:
    first = ann.remember("One.")
    second = ann.update(first, "Two.")
    ann.forget(second)
    entries = dynamo.outbox.pending(ANN, 10)
    assert [(entry.memory_id, entry.rev) for entry in entries] == [(first.memory_id, rev) for rev in (1, 2, 3)]
    assert [entry.change_id for entry in entries] == [
        one.change_id for one in dynamo.log.audit(ANN, None, 10).items[::-1]
    ]
    assert dynamo.outbox.pending(ANN, 2) == entries[:2]
    dynamo.outbox.settle(ANN, entries[1])
    dynamo.outbox.settle(ANN, entries[1])
    assert dynamo.outbox.pending(ANN, 10) == [entries[0], entries[2]]


def test_the_index_holds_only_what_will_be_due(dynamo: Dynamo, ann: Scribe) -> None:
    plain = ann.remember("Nothing to do.")
    bare = ann.remember("Not embedded.", embedding=None)
    mortal = ann.remember("Expires.", expires_at=LATER)
    gone = ann.remember("Forgotten.", expires_at=LATER)
    ann.forget(gone)
    assert len(dynamo.index_keys()) == 2 + 5
    settle_all(dynamo)
    assert dynamo.index_keys() == sorted(f"M#{memory.memory_id}" for memory in (bare, mortal))
    ann.commit(replacement(bare, replace(bare, rev=2, embedding=embedding("now"))))
    ann.update(mortal, expires_at=None)
    ann.update(plain, importance="high")
    settle_all(dynamo)
    assert dynamo.index_keys() == []


def test_what_is_due_brings_back_whose_it_is(dynamo: Dynamo) -> None:
    scribe = Scribe(dynamo.store, STRANGE)
    bare = scribe.remember("Not embedded.", embedding=None)
    mortal = scribe.remember("Expires.", expires_at=LATER)
    assert list(dynamo.maintenance.due(LATER)) == [
        Due(STRANGE, mortal.memory_id, "expired"),
        Due(STRANGE, bare.memory_id, "embed"),
    ]
    assert list(dynamo.maintenance.owners()) == [STRANGE]


def test_nothing_is_due_before_its_time(dynamo: Dynamo, ann: Scribe) -> None:
    ann.remember("Expires.", expires_at=LATER)
    assert list(dynamo.maintenance.due(LATER - timedelta(milliseconds=1))) == []
    assert len(list(dynamo.maintenance.due(LATER))) == 1


def test_a_backlog_of_one_kind_hides_nothing_of_another(dynamo: Dynamo, ann: Scribe) -> None:
    for number in range(40):
        ann.remember(f"Number {number}.", embedding=None)
    mortal = ann.remember("Expires.", expires_at=START)
    due = list(islice(dynamo.maintenance.due(LATER), 3))
    assert due[0] == Due(ANN, mortal.memory_id, "expired")
    assert len(due) == 3


def test_a_memory_that_was_put_off_is_due_when_its_time_comes_or_when_it_expires(dynamo: Dynamo, ann: Scribe) -> None:
    bare = ann.remember("Not embedded.", embedding=None)
    mortal = ann.remember("Will expire.", embedding=None, expires_at=LATER + timedelta(hours=3))
    soon = ann.remember("Will expire sooner.", embedding=None, expires_at=LATER + timedelta(minutes=30))
    for memory in (bare, mortal, soon):
        dynamo.maintenance.put_off(ANN, memory, LATER + timedelta(hours=1))
    assert list(dynamo.maintenance.due(LATER)) == []
    assert dynamo.maintenance.due_age(LATER) == 0.0
    assert list(dynamo.maintenance.due(LATER + timedelta(minutes=30))) == [Due(ANN, soon.memory_id, "expired")]
    expired = ann.remember("Expired after that.", expires_at=LATER + timedelta(hours=2))
    assert list(dynamo.maintenance.due(LATER + timedelta(hours=2))) == [
        Due(ANN, soon.memory_id, "expired"),
        Due(ANN, expired.memory_id, "expired"),
        Due(ANN, mortal.memory_id, "embed"),
        Due(ANN, bare.memory_id, "embed"),
    ]
    assert dynamo.maintenance.due_age(LATER + timedelta(hours=2)) == 5_400.0


def test_a_deployment_says_from_which_age_on_outbox_entries_are_overdue(dynamo: Dynamo, ann: Scribe) -> None:
    at = ann.remember("One.").updated_at
    minute, old, young = timedelta(minutes=1), at + timedelta(minutes=1), at + timedelta(seconds=59)
    assert [one.since for one in dynamo.maintenance.unsettled(old, minute)] == [at]
    assert list(dynamo.maintenance.unsettled(young, minute)) == []
    assert list(dynamo.maintenance.unsettled(old, MISSED)) == []


def test_outbox_entries_are_overdue_after_three_minutes(dynamo: Dynamo) -> None:
    scribe = Scribe(dynamo.store, STRANGE)
    memories = [scribe.remember(f"Number {number}.") for number in range(3)]
    committed = [memory.updated_at + timedelta(minutes=3) for memory in memories]
    overdue = [
        Overdue(OutboxRef(MemoryRef(STRANGE.key, entry.memory_id), entry.change_id, entry.rev), memory.updated_at)
        for entry, memory in zip(dynamo.outbox.pending(STRANGE, 10), memories, strict=True)
    ]
    assert list(dynamo.maintenance.unsettled(committed[0] - timedelta(milliseconds=1), MISSED)) == []
    assert list(dynamo.maintenance.unsettled(committed[1], MISSED)) == overdue[:2]
    assert list(dynamo.maintenance.unsettled(LATER, MISSED)) == overdue
    settle_all(dynamo, STRANGE)
    assert list(dynamo.maintenance.unsettled(LATER, MISSED)) == []


def test_overdue_entries_come_oldest_first_over_all_pages_though_they_are_settled_meanwhile(
    dynamo: Dynamo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_PAGE", 2)
    scribe = Scribe(dynamo.store, STRANGE)
    made = [scribe.remember(f"Number {number}.").memory_id for number in range(60)]
    truth, seen = DynamoTruth(dynamo.table), list[str]()
    for one in dynamo.maintenance.unsettled(LATER, MISSED):
        seen.append(one.ref.memory.memory_id)
        truth.settle([one.ref])
    assert seen == made
    assert dynamo.sort_keys("P#") == []


def test_many_owners_are_listed_once_each(dynamo: Dynamo) -> None:
    owners = [Owner("default", f"user {number}") for number in range(12)]
    for owner in owners:
        scribe = Scribe(dynamo.store, owner)
        scribe.forget(scribe.remember("One."))
        scribe.remember("Two.")
    listed = list(dynamo.maintenance.owners())
    assert sorted(listed, key=str) == sorted(owners, key=str)


def test_the_rules_of_the_stored_terms_are_unknown_until_they_are_set(dynamo: Dynamo) -> None:
    assert dynamo.maintenance.token_rules() == ""
    dynamo.maintenance.set_token_rules("1/snowball-3")
    assert dynamo.maintenance.token_rules() == "1/snowball-3"


def test_an_entry_for_an_erasure_counts_one_write_more(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.remember("One.", rev=7)
    settle_all(dynamo)
    receipt = ann.forget(memory)
    assert dynamo.outbox.pending(ANN, 10) == [Pending(receipt.change_id, memory.memory_id, 8)]


def test_a_client_that_counts_knows_what_reads_and_writes_cost(dynamo: Dynamo) -> None:
    counting = CountingClient(dynamo.client)
    store = DynamoStore(Table(counting, dynamo.table.name, clock=dynamo.clock))
    scribe = Scribe(store)
    memory = scribe.remember("The boiler is serviced.", embedding=Embedding("m", bytes(1_024)))
    # memory 2 KB, guard, event, outbox entry 1 KB each, twice; the entry also stands in the index
    assert (counting.requests, counting.read_units, counting.write_units) == ({"transact_write_items": 1}, 0.0, 11.0)
    counting.reset()
    store.get(ANN, [memory.memory_id, new_ulid(START)])
    assert (counting.requests, counting.read_units, counting.write_units) == ({"batch_get_item": 1}, 2.0, 0.0)

"""The table as the indexer sees it, where it answers for some owners and not for others."""

from collections.abc import Mapping, Sequence
from typing import Any

from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.adapters.dynamodb.truth import DynamoTruth
from m4a.domain.owner import Owner
from m4a.ports.indexing import MemoryRef, OutboxRef, TruthRead
from tests.contract.building import ANN, BOB, Scribe
from tests.support.dynamodb import Dynamo, Request, client_error, fail, leaving_unread

READ, DELETE = "batch_get_item", "delete_item"


def entries(dynamo: Dynamo, *owners: Owner) -> list[OutboxRef]:
    return [
        OutboxRef(MemoryRef(owner.key, one.memory_id), one.change_id, one.rev)
        for owner in owners
        for one in dynamo.outbox.pending(owner, 100)
    ]


def refuse_ann(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
    if request["Key"]["pk"]["S"] == ANN.key:
        raise client_error(operation, "ProvisionedThroughputExceededException")
    return client(operation, **request)


def pending(dynamo: Dynamo, owners: Sequence[Owner]) -> list[int]:
    return [len(dynamo.outbox.pending(owner, 100)) for owner in owners]


def test_what_can_not_be_read_is_named_and_the_others_are_given(dynamo: Dynamo, ann: Scribe) -> None:
    hers, his = ann.remember("One."), Scribe(dynamo.store, BOB).remember("Two.")
    known, unknown = MemoryRef(BOB.key, his.memory_id), MemoryRef(ANN.key, hers.memory_id)
    dynamo.client.script(READ, *[leaving_unread(ANN)] * ATTEMPTS)
    assert DynamoTruth(dynamo.table).read([unknown, known]) == TruthRead({known: his}, frozenset([unknown]))


def test_where_nothing_can_be_read_nothing_is_known(dynamo: Dynamo, ann: Scribe) -> None:
    ref = MemoryRef(ANN.key, ann.remember("One.").memory_id)
    dynamo.client.script(READ, *[fail("ProvisionedThroughputExceededException")] * ATTEMPTS)
    assert DynamoTruth(dynamo.table).read([ref]) == TruthRead({}, frozenset([ref]))


def test_entries_that_can_not_be_deleted_are_answered_and_hold_up_no_other_owner(dynamo: Dynamo, ann: Scribe) -> None:
    bob = Scribe(dynamo.store, BOB)
    for number in range(4):
        ann.remember(f"Number {number}.")
        bob.remember(f"Number {number}.")
    hers, his = entries(dynamo, ANN), entries(dynamo, BOB)
    dynamo.client.script(DELETE, *[refuse_ann] * 100)
    assert DynamoTruth(dynamo.table).settle([*hers, *his]) == frozenset(hers)
    assert pending(dynamo, [ANN, BOB]) == [4, 0]
    assert len(dynamo.client.requests(DELETE)) == ATTEMPTS + len(his)


def test_patience_with_each_of_many_owners_does_not_add_up(dynamo: Dynamo) -> None:
    owners = [Owner("default", f"user {number}") for number in range(24)]
    for owner in owners:
        Scribe(dynamo.store, owner).remember("One.")
    busy = owners[::2]

    def refuse_busy(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        if request["Key"]["pk"]["S"] in [owner.key for owner in busy]:
            raise client_error(operation, "ProvisionedThroughputExceededException")
        return client(operation, **request)

    dynamo.client.script(DELETE, *[refuse_busy] * 200)
    assert DynamoTruth(dynamo.table).settle(entries(dynamo, *owners)) == frozenset(entries(dynamo, *busy))
    assert len(dynamo.client.requests(DELETE)) == 3 * ATTEMPTS + 9 + 12


def test_a_table_that_deletes_nothing_is_not_asked_for_each_owner(dynamo: Dynamo) -> None:
    owners = [Owner("default", f"user {number}") for number in range(6)]
    for owner in owners:
        Scribe(dynamo.store, owner).remember("One.")
    refs = entries(dynamo, *owners)
    dynamo.client.script(DELETE, *[fail("ProvisionedThroughputExceededException")] * 100)
    assert DynamoTruth(dynamo.table).settle(refs) == frozenset(refs)
    assert len(dynamo.client.requests(DELETE)) == 3 * ATTEMPTS

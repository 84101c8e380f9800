"""Patience with owners whose partition of the table is overrun: it does not add up, however many they are."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.domain.owner import Owner
from tests.contract.building import START, Scribe
from tests.integration.dynamodb.sweeping import READ
from tests.support.dynamodb import Dynamo, Request, leaving_unread


def test_of_many_owners_who_can_not_be_read_the_later_ones_are_asked_for_once(dynamo: Dynamo) -> None:
    good, busy = Owner("default", "good"), [Owner("default", f"user {number}") for number in range(6)]
    read_at_once = 64
    scribe = Scribe(dynamo.store, good)
    for owner in busy:
        other = Scribe(dynamo.store, owner)
        other.moment = scribe.moment
        other.remember("One.", embedding=None)
        for number in range(read_at_once - 1):
            scribe.remember(f"{owner.user}, number {number}.", embedding=None)

    def leave_busy(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        (theirs,) = [owner for owner in busy if owner.key in str(request)]
        return leaving_unread(theirs)(client, operation, request)

    dynamo.client.script(READ, *[leave_busy] * 200)
    due = list(dynamo.maintenance.due(START + timedelta(days=1)))
    assert due.count(None) == len(busy)
    assert len(due) == len(busy) * read_at_once
    assert len(dynamo.client.requests(READ)) == 3 * ATTEMPTS + 3

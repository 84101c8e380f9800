"""A table that is overrun: what is asked of it waits and is sent again, as long as there is time and no longer."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from m4a.adapters.dynamodb.batches import puts
from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.adapters.dynamodb.table import Table
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Filters
from m4a.domain.records import Pending
from m4a.ports.deadline import time_limit
from tests.contract.building import ANN, START, Scribe, event
from tests.support.dynamodb import Dynamo, Request, fail, lose_answer, pass_on

THROTTLED = fail("ThrottlingException")
REQUESTS: Mapping[str, Callable[[Dynamo], object]] = {
    "get_item": lambda dynamo: dynamo.maintenance.token_rules(),
    "query": lambda dynamo: dynamo.outbox.pending(ANN, 10),
    "scan": lambda dynamo: list(dynamo.maintenance.owners()),
    "batch_write_item": lambda dynamo: dynamo.log.append(ANN, event(START)),
    "update_item": lambda dynamo: dynamo.maintenance.set_token_rules("1"),
    "delete_item": lambda dynamo: dynamo.outbox.settle(ANN, Pending(new_ulid(START), new_ulid(START), 1)),
}
each_request = pytest.mark.parametrize("operation", REQUESTS)


@each_request
def test_what_was_throttled_is_sent_again_after_a_pause(dynamo: Dynamo, operation: str) -> None:
    dynamo.client.script(operation, THROTTLED, THROTTLED, THROTTLED)
    REQUESTS[operation](dynamo)
    first, *others = dynamo.client.requests(operation)
    assert others == [first] * 3
    assert len(dynamo.pauses) == 3


@each_request
def test_a_table_that_stays_overrun_is_given_up(dynamo: Dynamo, operation: str) -> None:
    dynamo.client.script(operation, *[THROTTLED] * 20)
    with pytest.raises(Throttled):
        REQUESTS[operation](dynamo)
    assert len(dynamo.client.requests(operation)) == ATTEMPTS


@each_request
def test_nothing_is_sent_again_without_time(dynamo: Dynamo, operation: str) -> None:
    dynamo.client.script(operation, THROTTLED)
    with time_limit(0), pytest.raises(Throttled):
        REQUESTS[operation](dynamo)
    assert dynamo.pauses == []


def test_nothing_is_sent_again_beyond_the_budget(dynamo: Dynamo) -> None:
    table = Table(dynamo.client, dynamo.table.name, clock=dynamo.clock, budget_s=0.0, sleep=dynamo.pauses.append)
    dynamo.client.script("batch_write_item", THROTTLED)
    with pytest.raises(Throttled):
        table.write_many(puts("o", [{"sk": "s"}]))
    assert dynamo.pauses == []


@each_request
def test_what_was_not_answered_is_not_sent_again(dynamo: Dynamo, operation: str) -> None:
    dynamo.client.script(operation, lose_answer)
    with pytest.raises(Unavailable):
        REQUESTS[operation](dynamo)
    assert len(dynamo.client.requests(operation)) == 1


def test_a_listing_goes_on_with_the_page_that_was_throttled(dynamo: Dynamo, ann: Scribe) -> None:
    made = [ann.remember(f"{number} {'茶' * 7_900}") for number in range(50)]
    dynamo.client.script("query", pass_on, THROTTLED, pass_on)
    page = dynamo.store.list(ANN, Filters(), START, None, 60)
    assert page.items == tuple(made[::-1]) and page.next is None


def test_of_a_batch_only_what_was_left_is_sent_again(dynamo: Dynamo) -> None:
    def take_one(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        ((name, rows),) = request["RequestItems"].items()
        client(operation, RequestItems={name: rows[:1]})
        return {"UnprocessedItems": {name: rows[1:]}}

    dynamo.client.script("batch_write_item", take_one, THROTTLED, pass_on)
    dynamo.table.write_many(puts("o", [{"sk": f"s{number}"} for number in range(3)]))
    sent = [one["RequestItems"][dynamo.table.name] for one in dynamo.client.requests("batch_write_item")]
    assert [len(rows) for rows in sent] == [3, 2, 2]
    assert dynamo.sort_keys("s") == ["s0", "s1", "s2"]

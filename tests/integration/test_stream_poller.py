"""What feeds the indexer on this machine: a table's stream, record by record."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from m4a.domain.records import GuardHeld
from m4a.local.dynamodb_stand_in import DynamoStandIn
from m4a.local.stack import REGION, use_local_credentials
from m4a.local.stream_poller import TRIES, StreamPoller, stream_client
from tests.contract.building import ANN, START, Scribe, insertion
from tests.support.doubles import SettableClock
from tests.support.dynamodb import Dynamo, open_dynamo
from tests.support.waiting import until

Event = Mapping[str, Any]


class Handler:
    """Takes what it is given, or raises for the events that are named in ``unwanted``."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.given = 0
        self.unwanted = frozenset[str]()

    def __call__(self, event: Event) -> Event:
        self.given += 1
        keys = [record["dynamodb"]["Keys"]["sk"]["S"] for record in event["Records"]]
        if self.unwanted.intersection(keys):
            raise ValueError("not this one")
        self.taken += keys
        return {"batchItemFailures": []}


@pytest.fixture
def dynamo() -> Iterator[Dynamo]:
    with open_dynamo(SettableClock(START)) as opened:
        yield opened


@contextmanager
def polled(dynamo: Dynamo, handler: Handler) -> Generator[StreamPoller]:
    use_local_credentials()
    with (
        DynamoStandIn() as stand_in,
        StreamPoller(stream_client(REGION, stand_in.address), dynamo.table.name, handler) as poller,
    ):
        yield poller


def test_the_stream_goes_on_after_a_transaction_that_was_refused(dynamo: Dynamo) -> None:
    ann, handler = Scribe(dynamo.store), Handler()
    with polled(dynamo, handler):
        first = ann.remember("Tea is on the shelf.")
        until(lambda: f"M#{first.memory_id}" in handler.taken)

        refused = dynamo.store.commit(ANN, insertion(ann.memory("Tea is on the shelf.")))
        second = ann.remember("Coffee is in the tin.")

        assert refused == GuardHeld(first.memory_id)
        until(lambda: f"M#{second.memory_id}" in handler.taken)
    assert len(set(handler.taken)) == len(handler.taken)


def test_records_for_which_the_indexer_raises_are_tried_again_and_set_aside(dynamo: Dynamo) -> None:
    ann, handler = Scribe(dynamo.store), Handler()
    bad = ann.remember("Tea is on the shelf.")
    handler.unwanted = frozenset({f"M#{bad.memory_id}"})
    with polled(dynamo, handler) as poller:
        until(lambda: bool(poller.dead_letters))
        good = ann.remember("Coffee is in the tin.")
        until(lambda: f"M#{good.memory_id}" in handler.taken)
    assert handler.given > TRIES
    assert f"M#{bad.memory_id}" in {one["dynamodb"]["Keys"]["sk"]["S"] for one in poller.dead_letters}


def test_a_stream_that_is_held_brings_nothing_until_it_goes_on(dynamo: Dynamo) -> None:
    ann, handler = Scribe(dynamo.store), Handler()
    with polled(dynamo, handler) as poller:
        first = ann.remember("Tea is on the shelf.")
        until(lambda: f"M#{first.memory_id}" in handler.taken)
        poller.pause()
        given = handler.given
        held = ann.remember("Coffee is in the tin.")
        assert handler.given == given
        poller.go_on()
        until(lambda: f"M#{held.memory_id}" in handler.taken)

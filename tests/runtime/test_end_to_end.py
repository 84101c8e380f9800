"""From an HTTP event to the search index and back, all of it through packaged functions."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import pytest

from m4a.domain.owner import Owner
from m4a.local.stack import REGION
from m4a.local.stream_poller import StreamPoller, stream_client
from tests.runtime.calls import http, tool_event
from tests.runtime.conftest import World
from tests.runtime.emulator import Functions
from tests.support.waiting import until

USER = "zoe"
OWNER = Owner("default", USER)


@pytest.fixture
def indexer(functions: Functions, world: World) -> Iterator[StreamPoller]:
    """The table's stream, delivered to the packaged indexer; held up until a test lets it go on."""
    assert world.settings.dynamodb_url is not None and world.settings.table is not None
    packaged = functions["Indexer"]

    def deliver(event: Mapping[str, Any]) -> Mapping[str, Any]:
        return packaged.invoke(json.loads(json.dumps(event, default=datetime.timestamp)))

    streams = stream_client(REGION, world.settings.dynamodb_url)
    poller = StreamPoller(streams, world.settings.table, deliver)
    poller.pause()
    with poller:
        yield poller


def test_a_memory_goes_into_the_index_and_is_found_there(
    functions: Functions, world: World, indexer: StreamPoller
) -> None:
    outbox = world.operator.service.outbox
    made, _ = http(functions, tool_event("remember", USER, content="Zoe swims in the lake each morning"))
    assert [one.memory_id for one in outbox.pending(OWNER, 10)] == [made["memory_id"]]
    indexer.go_on()
    until(lambda: not outbox.pending(OWNER, 10))
    found, _ = http(functions, tool_event("recall", USER, query="lake swimming"))
    assert ([one["memory_id"] for one in found["memories"]], found.get("degraded")) == ([made["memory_id"]], None)
    assert indexer.dead_letters == []
    http(functions, tool_event("forget", USER, memory_id=made["memory_id"], reason="moved away"))
    until(lambda: not outbox.pending(OWNER, 10))
    assert http(functions, tool_event("recall", USER, query="lake swimming"))[0]["memories"] == []

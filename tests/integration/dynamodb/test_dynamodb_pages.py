"""Long operations, page by page, on a table that changes or fails meanwhile."""

from collections.abc import Mapping
from typing import Any

import pytest

from m4a.application.exporting import export_page
from m4a.application.service import Service
from m4a.domain.errors import Throttled
from m4a.domain.owner import Caller
from m4a.ports.deadline import LimitedPool
from tests.contract.building import ANN, Scribe
from tests.support.dynamodb import Client, Dynamo, Request, fail

CALLER = Caller(ANN, "ann", "test", "req-1")
THROTTLED = fail("ThrottlingException")
UNUSED: Any = None


@pytest.fixture
def service(dynamo: Dynamo) -> Service:
    """Over the table alone: what these operations use."""
    return Service(
        store=dynamo.store,
        outbox=dynamo.outbox,
        log=dynamo.log,
        index=UNUSED,
        embedder=UNUSED,
        clock=dynamo.clock,
        cosines=UNUSED,
        pool=LimitedPool(1),
        close=lambda: None,
    )


def passed_on(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
    return client(operation, **request)


def test_an_export_holds_no_version_that_came_after_its_memory_was_read(
    dynamo: Dynamo, service: Service, ann: Scribe
) -> None:
    read = ann.update(ann.remember("Ann rides the bus."), "Ann rides a bicycle.")

    def updated_first(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        ann.update(read, "Ann walks.")
        return client(operation, **request)

    dynamo.client.script("query", passed_on, updated_first)
    ((memory, history),) = export_page(service, CALLER, None).memories
    assert (memory.version, [one.version for one in history]) == (2, [1])


def test_an_export_keeps_what_it_has_read_when_the_table_fails_and_goes_on_there(
    dynamo: Dynamo, service: Service, ann: Scribe
) -> None:
    made = [ann.remember(f"Number {number}.") for number in range(5)]
    dynamo.client.script("query", passed_on, passed_on, passed_on, passed_on, THROTTLED)
    first = export_page(service, CALLER, None)
    assert first.next
    rest = export_page(service, CALLER, first.next)
    assert [len(page.memories) for page in (first, rest)] == [1, 4]
    assert rest.next is None
    assert [one for page in (first, rest) for one, _ in page.memories] == made[::-1]


def test_an_export_that_can_not_begin_says_so(dynamo: Dynamo, service: Service, ann: Scribe) -> None:
    ann.remember("Ann rides the bus.")
    dynamo.client.script("query", passed_on, THROTTLED)
    with pytest.raises(Throttled):
        export_page(service, CALLER, None)

"""Long operations, page by page, on a table that changes or fails meanwhile."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.application.erasing import erase
from m4a.application.exporting import export_page
from m4a.application.service import Limits, Service
from m4a.domain.errors import Throttled
from m4a.domain.ids import new_ulid
from m4a.domain.owner import Caller
from m4a.domain.records import Trace
from tests.contract.building import ANN, START, Scribe, event
from tests.support.dynamodb import Client, Dynamo, Request, fail, pass_on

CALLER = Caller(ANN, "ann", "test", "req-1")
OVERRUN = [fail("ThrottlingException")] * ATTEMPTS


def test_an_export_holds_no_version_that_came_after_its_memory_was_read(
    dynamo: Dynamo, service: Service, ann: Scribe
) -> None:
    read = ann.update(ann.remember("Ann rides the bus."), "Ann rides a bicycle.")

    def updated_first(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        ann.update(read, "Ann walks.")
        return client(operation, **request)

    dynamo.client.script("query", pass_on, updated_first)
    ((memory, history),) = export_page(service, CALLER, None).memories
    assert (memory.version, [one.version for one in history]) == (2, [1])


def test_an_export_keeps_what_it_has_read_when_the_table_fails_and_goes_on_there(
    dynamo: Dynamo, service: Service, ann: Scribe
) -> None:
    made = [ann.remember(f"Number {number}.") for number in range(5)]
    dynamo.client.script("query", pass_on, pass_on, pass_on, pass_on, *OVERRUN)
    first = export_page(service, CALLER, None)
    assert first.next
    rest = export_page(service, CALLER, first.next)
    assert [len(page.memories) for page in (first, rest)] == [1, 4]
    assert rest.next is None
    assert [one for page in (first, rest) for one, _ in page.memories] == made[::-1]


def test_an_export_that_can_not_begin_says_so(dynamo: Dynamo, service: Service, ann: Scribe) -> None:
    ann.remember("Ann rides the bus.")
    dynamo.client.script("query", pass_on, *OVERRUN)
    with pytest.raises(Throttled):
        export_page(service, CALLER, None)


def recalled(dynamo: Dynamo, count: int) -> None:
    for number in range(count):
        at = START + timedelta(milliseconds=number)
        dynamo.log.append(ANN, event(at), Trace(recall_id=new_ulid(at), at=at, body={}, asked={"query": "bus"}))


def test_an_erasure_that_has_no_time_for_all_traces_counts_and_is_noted_and_goes_on(
    dynamo: Dynamo, service: Service, ann: Scribe
) -> None:
    ann.remember("Ann rides the bus.")
    recalled(dynamo, 60)
    hurried = replace(service, limits=Limits(page_s=0.0))
    answers = [erase(hurried, CALLER, "asked to")]
    while not answers[-1].done and len(answers) < 9:
        answers.append(erase(hurried, CALLER, "asked to"))
    assert [(one.erased, one.done) for one in answers] == [(1, False), (0, False), (0, True)]
    assert dynamo.sort_keys("R#") == []
    noted = [one for one in dynamo.log.audit(ANN, None, 200).items if one.operation == "erase"]
    assert len(noted) == len(answers)


@pytest.mark.parametrize("days", [8, 40])
def test_an_erasure_leaves_no_query_that_has_expired_and_is_still_there(
    dynamo: Dynamo, service: Service, days: int
) -> None:
    recalled(dynamo, 3)
    dynamo.clock.advance(days=days)
    assert erase(service, CALLER, "asked to").done
    assert dynamo.sort_keys("R#") == []


def test_traces_are_erased_in_batches_and_what_was_left_unprocessed_again(dynamo: Dynamo) -> None:
    recalled(dynamo, 30)
    before = len(dynamo.client.requests("batch_write_item"))

    def unprocessed(_client: Client, _operation: str, request: Request) -> Mapping[str, Any]:
        return {"UnprocessedItems": request["RequestItems"]}

    dynamo.client.script("batch_write_item", unprocessed)
    assert dynamo.log.erase_traces(ANN, 100)
    assert len(dynamo.client.requests("batch_write_item")) - before == 4
    assert dynamo.sort_keys("R#") == []

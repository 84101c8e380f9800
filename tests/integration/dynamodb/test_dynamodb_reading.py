"""Reads when DynamoDB leaves keys unprocessed, is overrun, or answers in pages; and what has expired."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from m4a.adapters.dynamodb.client import Client
from m4a.domain.errors import PartlyRead, Throttled, Unavailable
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Filters
from m4a.domain.records import Trace
from tests.contract.building import ANN, START, Scribe, event, insertion, key_of
from tests.support.dynamodb import Dynamo, Request, Step, fail, lose_request

LATER = START + timedelta(days=1)


def leave(most: int) -> Step:
    """DynamoDB reads so many keys and leaves the others unprocessed."""

    def read_some(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        ((name, wanted),) = request["RequestItems"].items()
        taken, left = wanted["Keys"][:most], wanted["Keys"][most:]
        unprocessed = {name: {**wanted, "Keys": left}} if left else {}
        if not taken:
            return {"Responses": {}, "UnprocessedKeys": unprocessed}
        response = client(operation, RequestItems={name: {**wanted, "Keys": taken}})
        return {**response, "UnprocessedKeys": unprocessed}

    return read_some


def test_keys_that_were_left_unprocessed_are_asked_for_again(dynamo: Dynamo, ann: Scribe) -> None:
    memories = [ann.remember(f"Number {number}.") for number in range(5)]
    dynamo.client.script("batch_get_item", leave(2), leave(0), leave(2))
    found = dynamo.store.get(ANN, [memory.memory_id for memory in memories])
    assert found == {memory.memory_id: memory for memory in memories}
    asked = [
        len(request["RequestItems"][dynamo.table.name]["Keys"]) for request in dynamo.client.requests("batch_get_item")
    ]
    assert asked == [5, 3, 3, 1]


def test_a_batch_that_was_refused_is_asked_for_again(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.remember("One.")
    dynamo.client.script("batch_get_item", fail("ThrottlingException"), lose_request)
    assert dynamo.store.get(ANN, [memory.memory_id]) == {memory.memory_id: memory}


def test_what_stays_unread_is_named_and_not_taken_for_gone(dynamo: Dynamo, ann: Scribe) -> None:
    first, second = ann.remember("One."), ann.remember("Two.")
    unknown = new_ulid(START)
    dynamo.client.script("batch_get_item", leave(2), *[leave(0)] * 20)
    with pytest.raises(PartlyRead) as failure:
        dynamo.store.get(ANN, [first.memory_id, unknown, second.memory_id])
    assert failure.value.found == {first.memory_id: first}
    assert failure.value.unread == {second.memory_id}


@pytest.mark.parametrize(("step", "error"), [(fail("ThrottlingException"), Throttled), (lose_request, Unavailable)])
def test_a_table_that_can_not_be_read_at_all_is_an_error(
    dynamo: Dynamo, ann: Scribe, step: Step, error: type[Exception]
) -> None:
    memory = ann.remember("One.")
    dynamo.client.script("batch_get_item", *[step] * 20)
    with pytest.raises(error) as failure:
        dynamo.store.get(ANN, [memory.memory_id])
    assert not isinstance(failure.value, PartlyRead)


def test_a_receipt_that_can_not_be_read_is_not_taken_for_missing(dynamo: Dynamo, ann: Scribe) -> None:
    gone = [ann.remember("One."), ann.remember("Two.")]
    for memory in gone:
        ann.forget(memory)
    dynamo.client.script("batch_get_item", leave(1), *[leave(0)] * 20)
    with pytest.raises(Throttled):
        dynamo.log.receipts(ANN, [memory.memory_id for memory in gone])


def test_reads_are_consistent(dynamo: Dynamo, ann: Scribe) -> None:
    memory = ann.update(ann.remember("One."), "Two.")
    dynamo.client.sent.clear()
    dynamo.store.get(ANN, [memory.memory_id])
    dynamo.store.list(ANN, Filters(), LATER, None, 5)
    dynamo.store.history(ANN, memory.memory_id)
    dynamo.outbox.pending(ANN, 5)
    dynamo.log.audit(ANN, None, 5)
    dynamo.log.trace(ANN, new_ulid(START))
    dynamo.maintenance.token_rules()
    list(dynamo.maintenance.owners())
    assert len(dynamo.client.sent) == 8
    for operation, request in dynamo.client.sent:
        wanted = request["RequestItems"][dynamo.table.name] if operation == "batch_get_item" else request
        assert wanted["ConsistentRead"] is True, operation


def test_what_has_expired_is_not_read_though_it_is_still_there(dynamo: Dynamo, ann: Scribe) -> None:
    trace = Trace(recall_id=new_ulid(START), at=START, body={"n": 1}, asked={"query": "Where is the spoon?"})
    dynamo.log.append(ANN, event(START, recall_id=trace.recall_id), trace)
    memory = ann.memory("One.")
    ann.commit(insertion(memory, key=key_of("k")))
    dynamo.clock.advance(days=400)
    assert dynamo.log.trace(ANN, trace.recall_id) is None
    assert dynamo.log.audit(ANN, None, 10).items == ()
    assert {key[:2] for key in dynamo.sort_keys()} == {"A#", "D#", "K#", "M#", "P#", "R#"}
    ann.moment = dynamo.clock.moment
    ann.commit(insertion(ann.memory("Two."), key=key_of("k")))


def test_what_is_no_id_names_nothing(dynamo: Dynamo, ann: Scribe) -> None:
    trace = Trace(recall_id=new_ulid(START), at=START, body={"n": 1}, asked={"query": "Where is the spoon?"})
    dynamo.log.append(ANN, event(START), trace)
    memory = ann.update(ann.remember("One."), "Two.")
    dynamo.client.sent.clear()
    for wrong in (f"{trace.recall_id}#q", memory.memory_id.lower(), "", "x" * 2_000, "\ud800"):
        assert dynamo.log.trace(ANN, wrong) is None
        assert dynamo.log.receipts(ANN, [wrong]) == dynamo.store.get(ANN, [wrong]) == {}
        assert dynamo.store.history(ANN, wrong) == []
    assert dynamo.client.sent == []


def test_log_items_that_were_left_unprocessed_are_sent_again(dynamo: Dynamo) -> None:
    def take_one(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        ((name, rows),) = request["RequestItems"].items()
        client(operation, RequestItems={name: rows[:1]})
        return {"UnprocessedItems": {name: rows[1:]}}

    trace = Trace(recall_id=new_ulid(START), at=START, body={"n": 1}, asked={"query": "Where is the spoon?"})
    one = event(START, recall_id=trace.recall_id)
    dynamo.client.script("batch_write_item", take_one, take_one)
    dynamo.log.append(ANN, one, trace)
    assert dynamo.log.audit(ANN, None, 10).items == (one,)
    assert dynamo.log.trace(ANN, trace.recall_id) == trace
    assert len(dynamo.client.requests("batch_write_item")) == 3


def test_a_log_that_can_not_be_written_in_time_says_so(dynamo: Dynamo) -> None:
    def take_none(_client: Client, _operation: str, request: Request) -> Mapping[str, Any]:
        return {"UnprocessedItems": request["RequestItems"]}

    dynamo.client.script("batch_write_item", *[take_none] * 20)
    with pytest.raises(Throttled):
        dynamo.log.append(ANN, event(START))

"""Sizes and capacity units, by the rules that DynamoDB publishes."""

from collections.abc import Mapping
from typing import Any

import pytest

from m4a.adapters.dynamodb.counting import CountingClient
from m4a.adapters.dynamodb.units import NOTHING, Footprint, item_size, page_units, read_units, write_units
from tests.support.dynamodb import client_error

KEY = {"pk": {"S": "p"}, "sk": {"S": "s"}}


def sized(size: int, due: str | None = None) -> dict[str, dict[str, Any]]:
    """An item of so many bytes, in the index if it has a due time."""
    work = {"wb": {"N": "1"}, "due": {"S": due}} if due else {}
    item = {**KEY, **work, "x": {"B": b""}}
    return {**item, "x": {"B": bytes(size - item_size(item))}}


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": "größe"}, 7),
        ({"S": ""}, 0),
        ({"B": b"abc"}, 3),
        ({"N": "0"}, 1),
        ({"N": "7"}, 2),
        ({"N": "-7"}, 3),
        ({"N": "123"}, 3),
        ({"N": "12300"}, 3),
        ({"N": "1780315200000"}, 5),
        ({"N": "1780315200123"}, 8),
        ({"BOOL": True}, 1),
        ({"NULL": True}, 1),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"S": "c"}]}, 8),
        ({"M": {"k": {"S": "ab"}}}, 7),
        ({"SS": ["ab", "c"]}, 3),
    ],
)
def test_an_item_is_as_large_as_its_names_and_values(value: dict[str, Any], size: int) -> None:
    assert item_size({"été": value}) == 5 + size


@pytest.mark.parametrize(("size", "units"), [(0, 1), (4_096, 1), (4_097, 2), (40_960, 10)])
def test_a_read_unit_is_four_kilobytes(size: int, units: float) -> None:
    assert read_units([size], consistent=True) == units
    assert read_units([size], consistent=False) == units / 2


def test_items_of_a_page_are_added_up_before_rounding() -> None:
    assert page_units([100] * 40, consistent=True) == 1
    assert read_units([100] * 40, consistent=True) == 40
    assert page_units([], consistent=False) == 0.5


def test_a_write_costs_by_the_larger_of_old_and_new() -> None:
    small, large = Footprint.of(sized(100)), Footprint.of(sized(3_000))
    assert write_units(NOTHING, small) == 1
    assert write_units(NOTHING, large) == write_units(large, small) == write_units(large, NOTHING) == 3
    assert write_units(NOTHING, NOTHING) == 1
    assert write_units(NOTHING, large, transactional=True) == 6


def test_the_index_costs_a_write_for_each_entry_that_comes_or_goes() -> None:
    out, early, late = (Footprint.of(sized(100, due)) for due in (None, "2026-06-01", "2026-06-02"))
    assert write_units(NOTHING, early) == 2
    assert write_units(early, early) == 1
    assert write_units(early, late) == 3
    assert write_units(early, out) == write_units(early, NOTHING) == 2


class Answering:
    """A client that answers everything alike, or raises."""

    def __init__(self, answer: Mapping[str, Any] | Exception) -> None:
        self.answer = answer

    def __call__(self, operation: str, /, **request: Any) -> Mapping[str, Any]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def units_of(counting: CountingClient, operation: str, **request: Any) -> tuple[float, float]:
    """Read and write units of one request."""
    counting.reset()
    counting(operation, TableName="t", **request)
    assert counting.requests == {operation: 1}
    return counting.read_units, counting.write_units


def test_reads_cost_whole_items_whatever_part_was_asked_for() -> None:
    answering = Answering({})
    counting = CountingClient(answering)
    counting("put_item", TableName="t", Item=sized(9_000))
    answering.answer = {"Items": [KEY]}
    assert units_of(counting, "query", ConsistentRead=True) == (3, 0)
    assert units_of(counting, "query", IndexName="work") == (0.5, 0)
    answering.answer = {"Item": KEY}
    assert units_of(counting, "get_item", ConsistentRead=True) == (3, 0)


def test_a_batch_costs_each_key_that_was_read_and_no_other() -> None:
    keys = [{**KEY, "sk": {"S": str(number)}} for number in range(5)]
    left = {"t": {"Keys": keys[:2]}}
    counting = CountingClient(Answering({"Responses": {"t": [sized(5_000)]}, "UnprocessedKeys": left}))
    assert units_of(counting, "batch_get_item", RequestItems={"t": {"Keys": keys, "ConsistentRead": True}}) == (4, 0)


def test_writes_of_a_batch_cost_only_what_was_processed() -> None:
    puts = [{"PutRequest": {"Item": {**sized(2_000), "sk": {"S": str(number)}}}} for number in range(3)]
    counting = CountingClient(Answering({"UnprocessedItems": {"t": puts[2:]}}))
    assert units_of(counting, "batch_write_item", RequestItems={"t": puts}) == (0, 4)


def test_a_deletion_costs_by_the_item_that_was_there() -> None:
    counting = CountingClient(Answering({}))
    counting("put_item", TableName="t", Item=sized(5_000, "2026-06-01"))
    assert units_of(counting, "delete_item", Key=KEY) == (0, 6)
    assert units_of(counting, "delete_item", Key=KEY) == (0, 1)


def test_a_transaction_costs_twice_also_when_it_is_cancelled() -> None:
    answering = Answering({})
    counting = CountingClient(answering)
    checked = {"ConditionCheck": {"TableName": "t", "Key": {**KEY, "sk": {"S": "c"}}}}
    request = {"TransactItems": [{"Put": {"TableName": "t", "Item": sized(3_000)}}, checked]}
    answering.answer = client_error("TransactWriteItems", "TransactionCanceledException", CancellationReasons=[])
    with pytest.raises(type(answering.answer)):
        counting("transact_write_items", **request)
    assert counting.write_units == 8
    answering.answer = {}
    assert units_of(counting, "transact_write_items", **request) == (0, 8)

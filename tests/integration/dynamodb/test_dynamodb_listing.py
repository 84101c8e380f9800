"""Listings of the table: whole over many pages, and each cursor good for its owner and table alone."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from m4a.application.context import CORE_TYPES, core_block
from m4a.bootstrap import build_operator
from m4a.domain.errors import InvalidInput, Unavailable
from m4a.domain.memory import Filters
from m4a.domain.owner import Caller
from m4a.settings import Settings
from tests.contract.building import ANN, BOB, START, Scribe
from tests.support.dynamodb import Dynamo, Request, lose_request, pass_on
from tests.support.hashed_words import HashedWords

LATER = START + timedelta(days=1)


def test_a_listing_goes_on_over_pages_of_a_megabyte(dynamo: Dynamo, ann: Scribe) -> None:
    memories = [ann.remember(f"{number} {'茶' * 7_900}") for number in range(50)]
    page = dynamo.store.list(ANN, Filters(), LATER, None, 60)
    assert page.items == tuple(memories[::-1])
    assert page.next is None
    assert len(dynamo.client.requests("query")) > 1


def test_a_listing_that_breaks_off_answers_what_it_read_and_where_to_go_on(dynamo: Dynamo, ann: Scribe) -> None:
    made = [ann.remember(f"Number {number}.", tags=() if number % 10 else ("tenth",)) for number in range(30)]
    filters = Filters(tags=("tenth",))
    dynamo.client.script("query", pass_on, lose_request)
    first = dynamo.store.list(ANN, filters, LATER, None, 2)
    assert first.next is not None and list(first.items) == [made[20]]
    rest = dynamo.store.list(ANN, filters, LATER, first.next, 2)
    assert [*first.items, *rest.items] == made[20::-10]


def test_a_listing_that_reads_nothing_is_an_error(dynamo: Dynamo, ann: Scribe) -> None:
    made = [ann.remember(f"Number {number}.") for number in range(3)]
    page = dynamo.store.list(ANN, Filters(), LATER, None, 1)
    assert list(page.items) == made[:1:-1]
    for cursor in (None, page.next):
        dynamo.client.script("query", lose_request)
        with pytest.raises(Unavailable):
            dynamo.store.list(ANN, Filters(), LATER, cursor, 1)


def test_what_is_in_the_core_block_is_listed_without_reading_the_rest(dynamo: Dynamo, ann: Scribe) -> None:
    core = [ann.remember(f"Core {number}.", importance="high") for number in range(5)]
    ann.remember("Other.")
    ann.remember("A task.", importance="high", type="task")
    ann.forget(ann.remember("Forgotten.", importance="high"))
    ann.update(ann.remember("No longer.", importance="high"), importance="low")
    core.append(ann.update(ann.remember("Now.", importance="low"), importance="high"))
    dynamo.client.sent.clear()
    filters = Filters(type="fact", importance="high")
    first = dynamo.store.list(ANN, filters, LATER, None, 4)
    second = dynamo.store.list(ANN, filters, LATER, first.next, 4)
    assert [*first.items, *second.items] == core[::-1]
    assert second.next is None
    read = {key["sk"]["S"] for one in dynamo.client.requests("batch_get_item") for key in keys_of(one)}
    assert read == {f"M#{memory.memory_id}" for memory in core}
    assert len(dynamo.sort_keys("C#")) == 6


def test_the_core_block_reads_its_own_memories_and_each_once(dynamo: Dynamo, ann: Scribe, tmp_path: Path) -> None:
    core = [ann.remember(f"Core {number}.", importance="high", type=kind) for number, kind in enumerate(CORE_TYPES * 3)]
    core[0] = ann.update(core[0], type="preference")
    for number in range(20):
        ann.remember(f"Other {number}.")
        ann.remember(f"Task {number}.", importance="high", type="task")
    settings = Settings(db=tmp_path / "unused.db")
    operator = build_operator(settings, store=dynamo.store, embedder=HashedWords(), clock=dynamo.clock)
    dynamo.client.sent.clear()

    block = core_block(operator.service, Caller(ANN, "ann", "test", "r-1"))

    operator.service.close()
    assert list(block.included) == core
    read = [key["sk"]["S"] for one in dynamo.client.requests("batch_get_item") for key in keys_of(one)]
    assert sorted(read) == sorted(f"M#{memory.memory_id}" for memory in core)
    asked = [one["ExpressionAttributeValues"][":prefix"]["S"] for one in dynamo.client.requests("query")]
    assert set(asked) == {"C#"}


def keys_of(request: Request) -> list[Any]:
    ((_, wanted),) = request["RequestItems"].items()
    return wanted["Keys"]


def listing_cursor(dynamo: Dynamo) -> str | None:
    return dynamo.store.list(ANN, Filters(), LATER, None, 1).next


def audit_cursor(dynamo: Dynamo) -> str | None:
    return dynamo.log.audit(ANN, None, 1).next


@pytest.mark.parametrize("make", [listing_cursor, audit_cursor])
def test_a_cursor_is_refused_for_another_owner_and_for_another_table(
    dynamo: Dynamo, ann: Scribe, make: Callable[[Dynamo], str | None]
) -> None:
    for text in ("One.", "Two."):
        ann.remember(text)
    cursor = make(dynamo)
    assert cursor
    with pytest.raises(InvalidInput):
        dynamo.store.list(BOB, Filters(), LATER, cursor, 1)
    with pytest.raises(InvalidInput):
        dynamo.log.audit(BOB, cursor, 1)

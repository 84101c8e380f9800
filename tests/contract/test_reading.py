"""What ``MemoryStore`` promises of reading: whole memories, each owner's own, complete listings."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from m4a.domain.errors import InvalidInput
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Filters, Memory
from m4a.domain.times import EventTime, TimeRange
from tests.contract.building import ANN, BOB, START, Scribe
from tests.contract.conftest import Backend

LATER = START + timedelta(days=1)
NO_FILTERS = Filters()


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ("home", "größe", "日本")},
        {"source": "letter of 3 May", "importance": "high", "type": "preference"},
        {"event_time": EventTime.parse("2026-05-08")},
        {"event_time": EventTime.parse("2026-05-08T13:30:00.250Z"), "type": "event"},
        {"expires_at": datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC), "type": "task"},
        {"created_at": datetime(1969, 7, 20, 20, 17, 40, 1000, tzinfo=UTC)},
        {"embedding": None},
        {"version": 7, "rev": 11},
    ],
    ids=lambda fields: "-".join(fields),
)
def test_a_memory_is_read_as_it_was_written(backend: Backend, ann: Scribe, fields: dict[str, Any]) -> None:
    memory = ann.remember("The boiler is serviced in October.", **fields)
    assert backend.store.get(ANN, [memory.memory_id]) == {memory.memory_id: memory}


@pytest.mark.parametrize(
    "content", ["  two\n\n lines \t", "a\0b", 'say "yes" \\ no', "e\u0301 \u200b", "茶" * 8000, "word " * 1600, "😀"]
)
def test_content_is_kept_character_for_character(backend: Backend, ann: Scribe, content: str) -> None:
    memory = ann.remember(content)
    assert backend.store.get(ANN, [memory.memory_id])[memory.memory_id].content == content


def test_only_memories_that_exist_are_returned(backend: Backend, ann: Scribe) -> None:
    first, second = ann.remember("One."), ann.remember("Two.")
    asked = [second.memory_id, new_ulid(START), first.memory_id, "no id"]
    assert set(backend.store.get(ANN, asked)) == {first.memory_id, second.memory_id}
    assert backend.store.get(ANN, []) == {}


def test_a_hundred_and_more_memories_are_read_at_once(backend: Backend, ann: Scribe) -> None:
    ids = [ann.remember(f"Number {number}.").memory_id for number in range(130)]
    assert set(backend.store.get(ANN, ids)) == set(ids)


def test_another_owners_memory_is_not_there(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    memory = ann.remember("Ann's locker is number 12.")
    ann.update(memory, "Ann's locker is number 13.")
    bob.remember("Bob's locker is number 14.")
    assert backend.store.get(BOB, [memory.memory_id]) == {}
    assert backend.store.history(BOB, memory.memory_id) == []
    assert [one.content for one in listed(backend, bob)] == ["Bob's locker is number 14."]


def test_an_expired_memory_is_still_read_by_its_id(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("Buy stamps.", expires_at=START - timedelta(days=2))
    assert memory.memory_id in backend.store.get(ANN, [memory.memory_id])


def test_a_listing_is_complete_newest_first_and_in_pages(backend: Backend, ann: Scribe) -> None:
    memories = [ann.remember(f"Number {number}.") for number in range(7)]
    pages = listed_pages(backend, ann, limit=3)
    assert [one for page in pages for one in page] == memories[::-1]
    assert max(len(page) for page in pages) == 3


def test_an_owner_without_memories_has_an_empty_listing(backend: Backend) -> None:
    page = backend.store.list(ANN, NO_FILTERS, LATER, None, 10)
    assert (page.items, page.next) == ((), None)


def test_a_listing_leaves_out_what_has_expired(backend: Backend, ann: Scribe) -> None:
    ann.remember("Gone.", expires_at=LATER)
    kept = ann.remember("Stays.", expires_at=LATER + timedelta(milliseconds=1))
    assert listed(backend, ann) == [kept]


@pytest.mark.parametrize(
    "filters",
    [
        Filters(type="event"),
        Filters(importance="high"),
        Filters(tags=("work", "urgent")),
        Filters(time_range=TimeRange.parse("2026-05-08", "2026-05-08")),
    ],
    ids=["type", "importance", "tags", "time_range"],
)
def test_a_listing_is_filtered(backend: Backend, ann: Scribe, filters: Filters) -> None:
    fields: dict[str, Any] = {"type": "event", "importance": "high", "tags": ("urgent", "work", "x")}
    chosen = ann.remember("The audit.", **fields, event_time=EventTime.parse("2026-05-08"))
    ann.remember("A walk.", tags=("work",), event_time=EventTime.parse("2026-05-09"))
    ann.remember("No date.")
    assert listed(backend, ann, filters) == [chosen]


def remember_two(scribe: Scribe) -> None:
    scribe.remember("First.")
    scribe.remember("Second.")


def foreign_cursor(backend: Backend, ann: Scribe, bob: Scribe) -> str:
    remember_two(bob)
    return backend.store.list(BOB, NO_FILTERS, LATER, None, 1).next or ""


def audit_cursor(backend: Backend, ann: Scribe, bob: Scribe) -> str:
    return backend.log.audit(ANN, None, 1).next or ""


def changed_cursor(backend: Backend, ann: Scribe, bob: Scribe) -> str:
    cursor = backend.store.list(ANN, NO_FILTERS, LATER, None, 1).next or ""
    return cursor[:-3] + ("AAA" if cursor[-3:] != "AAA" else "BBB")


def garbled_cursor(backend: Backend, ann: Scribe, bob: Scribe) -> str:
    return "a b=é"


def short_cursor(backend: Backend, ann: Scribe, bob: Scribe) -> str:
    return "AAAA"


@pytest.mark.parametrize("make", [foreign_cursor, audit_cursor, changed_cursor, garbled_cursor, short_cursor])
def test_a_cursor_that_was_not_made_for_this_listing_is_refused(
    backend: Backend, ann: Scribe, bob: Scribe, make: Callable[[Backend, Scribe, Scribe], str]
) -> None:
    remember_two(ann)
    cursor = make(backend, ann, bob)
    assert cursor
    with pytest.raises(InvalidInput) as refusal:
        backend.store.list(ANN, NO_FILTERS, LATER, cursor, 1)
    assert [problem.field for problem in refusal.value.problems] == ["cursor"]


def test_reads_inside_a_snapshot_and_a_nested_one_work(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("One.")
    with backend.store.snapshot(), backend.store.snapshot():
        assert backend.store.get(ANN, [memory.memory_id]) == {memory.memory_id: memory}
        assert listed(backend, ann) == [memory]


def listed(backend: Backend, scribe: Scribe, filters: Filters = NO_FILTERS) -> list[Memory]:
    return [one for page in listed_pages(backend, scribe, filters) for one in page]


def listed_pages(
    backend: Backend, scribe: Scribe, filters: Filters = NO_FILTERS, limit: int = 50
) -> list[tuple[Memory, ...]]:
    page = backend.store.list(scribe.owner, filters, LATER, None, limit)
    pages = [page.items]
    while page.next:
        page = backend.store.list(scribe.owner, filters, LATER, page.next, limit)
        pages.append(page.items)
    return pages

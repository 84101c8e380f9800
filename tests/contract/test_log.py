"""What ``Log`` promises: events newest first, traces that fade, receipts that stay; each owner's own."""

from dataclasses import replace
from datetime import timedelta

import pytest

from m4a.domain.errors import InvalidInput
from m4a.domain.ids import new_ulid
from m4a.domain.records import AuditEvent, Trace
from tests.contract.building import ANN, BOB, START, Scribe, event
from tests.contract.conftest import Backend

MILLISECOND = timedelta(milliseconds=1)


def a_trace(**fields: object) -> Trace:
    body = {"counts": {"dense": 3}, "scores": [0.5, None]}
    return Trace(recall_id=new_ulid(START), at=START, body=body, asked={"query": "wo ist der Löffel?", "limit": 5})


def appended(backend: Backend, count: int) -> list[AuditEvent]:
    events = [event(START + number * MILLISECOND, recall_id=f"r-{number}") for number in range(count)]
    for one in events:
        backend.log.append(ANN, one)
    return events


def test_events_are_listed_newest_first_in_pages(backend: Backend) -> None:
    events = appended(backend, 5)
    page = backend.log.audit(ANN, None, 2)
    found = [*page.items]
    while page.next:
        page = backend.log.audit(ANN, page.next, 2)
        found += page.items
    assert found == events[::-1]


def test_an_event_is_stored_once(backend: Backend) -> None:
    (one,) = appended(backend, 1)
    backend.log.append(ANN, one)
    assert backend.log.audit(ANN, None, 10).items == (one,)


def test_an_event_keeps_every_field(backend: Backend) -> None:
    one = event(START, "forget", "forgotten", memory_id="m", version=3, reason="völlig falsch", recall_id="r")
    backend.log.append(ANN, one)
    assert backend.log.audit(ANN, None, 10).items == (one,)


def test_another_owner_sees_neither_events_nor_traces_nor_receipts(backend: Backend, ann: Scribe) -> None:
    trace = a_trace()
    backend.log.append(ANN, event(START), trace)
    memory = ann.remember("One.")
    ann.forget(memory)
    assert backend.log.audit(BOB, None, 10).items == ()
    assert backend.log.trace(BOB, trace.recall_id) is None
    assert backend.log.receipts(BOB, [memory.memory_id]) == {}


@pytest.mark.parametrize("owner_of_cursor", ["bob", "nobody"])
def test_a_cursor_of_another_owner_or_of_no_listing_is_refused(backend: Backend, owner_of_cursor: str) -> None:
    appended(backend, 2)
    for number in range(2):
        backend.log.append(BOB, event(START + number * MILLISECOND))
    cursor = backend.log.audit(BOB, None, 1).next if owner_of_cursor == "bob" else "MTIzNDU2Nzg5MDEyMTIz"
    assert cursor
    with pytest.raises(InvalidInput):
        backend.log.audit(ANN, cursor, 1)


def test_a_trace_is_read_as_it_was_written(backend: Backend) -> None:
    trace = a_trace()
    backend.log.append(ANN, event(START, recall_id=trace.recall_id), trace)
    assert backend.log.trace(ANN, trace.recall_id) == trace
    assert backend.log.trace(ANN, new_ulid(START)) is None


def test_what_was_asked_fades_before_the_trace_and_the_trace_before_the_event(backend: Backend) -> None:
    trace, one = a_trace(), event(START)
    backend.log.append(ANN, one, trace)

    def seen_after(age: timedelta) -> tuple[bool, bool, bool]:
        backend.clock.moment = START + age
        found = backend.log.trace(ANN, trace.recall_id)
        return bool(found and found.asked), found is not None, bool(backend.log.audit(ANN, None, 1).items)

    assert seen_after(timedelta(days=7) - MILLISECOND) == (True, True, True)
    assert seen_after(timedelta(days=7)) == (False, True, True)
    assert seen_after(timedelta(days=30)) == (False, False, True)
    assert seen_after(timedelta(days=365)) == (False, False, False)


def test_receipts_of_those_that_were_forgotten_are_returned(backend: Backend, ann: Scribe) -> None:
    kept, gone, also_gone = (ann.remember(text) for text in ("One.", "Two.", "Three."))
    receipts = {memory.memory_id: ann.forget(memory) for memory in (gone, also_gone)}
    asked = [kept.memory_id, gone.memory_id, also_gone.memory_id, new_ulid(START)]
    assert backend.log.receipts(ANN, asked) == receipts


def test_a_receipt_does_not_fade(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("One.")
    receipt = ann.forget(memory)
    backend.clock.advance(days=10_000)
    assert backend.log.receipts(ANN, [memory.memory_id]) == {memory.memory_id: receipt}


def test_an_owners_traces_can_be_erased_and_nobody_elses(backend: Backend) -> None:
    trace = a_trace()
    for owner in (ANN, BOB):
        backend.log.append(owner, event(START), trace)
    assert backend.log.erase_traces(ANN, 100)
    assert backend.log.trace(ANN, trace.recall_id) is None
    assert backend.log.trace(BOB, trace.recall_id) == trace
    assert len(backend.log.audit(ANN, None, 10).items) == 1


def test_traces_are_erased_some_at_a_time_until_none_is_left(backend: Backend) -> None:
    traces = [replace(a_trace(), recall_id=new_ulid(START + number * MILLISECOND)) for number in range(4)]
    for trace in traces:
        backend.log.append(ANN, event(START), trace)

    def left() -> int:
        return sum(backend.log.trace(ANN, one.recall_id) is not None for one in traces)

    counts = [left()]
    while not backend.log.erase_traces(ANN, 2):
        counts.append(left())
    assert counts[0] == 4 and 2 <= counts[1] < 4
    assert counts == sorted(set(counts), reverse=True) and left() == 0

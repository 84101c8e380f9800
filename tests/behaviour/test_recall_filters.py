"""What a recall leaves out: by tags, type and time, and what has expired or was forgotten, always before the cut."""

from tests.behaviour.doors import every_field
from tests.support.client import Client
from tests.support.doubles import SettableClock


def test_all_given_tags_must_be_carried(alice: Client) -> None:
    alice.call("remember", content="Ticket one", tags=["open"])
    both = alice.call("remember", content="Ticket two", tags=["open", "private"])
    assert alice.call("recall", query="ticket", tags=["private", "OPEN"]).ids == [both["memory_id"]]
    assert alice.call("recall", query="ticket", tags=["no such tag"])["memories"] == []


@every_field
def test_filters_apply_before_the_cut_to_the_limit(alice: Client) -> None:
    wanted = alice.call("remember", content="Notes about gardening in general", type="event", importance="low")
    for number in range(60):
        alice.call("remember", content=f"Gardening tip {number}: gardening with gardening tools")

    for filters in ({"type": "event"}, {"importance": "low"}):
        assert alice.call("recall", query="gardening tip tools", limit=1, **filters).ids == [wanted["memory_id"]]


def test_a_time_range_looks_at_the_event_time_else_at_the_creation(alice: Client, clock: SettableClock) -> None:
    dated = alice.call("remember", content="Trip to Oslo", event_time="2026-02-28")
    undated = alice.call("remember", content="Trip to Rome")

    def found(time_range: object) -> list[str]:
        return sorted(alice.call("recall", query="trip", time_range=time_range).ids)

    assert found("2026-02-01/2026-02-28") == [dated["memory_id"]]
    assert found("2026-02-28T23:00:00Z/2026-02-28T23:30:00Z") == [dated["memory_id"]]
    assert found({"start": "2026-06-01"}) == [undated["memory_id"]]
    assert found("/2026-12-31") == sorted([dated["memory_id"], undated["memory_id"]])
    assert found("2026-06-01T17:30:00+05:30/2026-06-01T17:30:00+05:30") == [undated["memory_id"]]


def test_the_last_millisecond_of_a_day_belongs_to_it(alice: Client, clock: SettableClock) -> None:
    alice.call("remember", content="Paid invoice 8", event_time="2026-02-28T23:59:59.999Z")
    alice.call("remember", content="Paid invoice 9", event_time="2026-03-01T00:00:00Z")
    assert alice.call("recall", query="invoice", time_range="2026-02-28/2026-02-28").contents == ["Paid invoice 8"]


@every_field
def test_an_expired_memory_is_not_returned_and_takes_no_place(alice: Client, clock: SettableClock) -> None:
    alice.call("remember", content="Visitor badge 12 is valid", expires_at="2026-06-01T13:00:00Z")
    living = alice.call("remember", content="Visitor badge 13 is valid")
    assert len(alice.call("recall", query="visitor badge 12 valid")["memories"]) == 2

    clock.advance(hours=1)

    assert alice.call("recall", query="visitor badge 12 valid", limit=1).ids == [living["memory_id"]]


def test_a_forgotten_memory_is_not_returned_and_takes_no_place(alice: Client) -> None:
    gone = alice.call("remember", content="Kiln fires stoneware at 1220 degrees")
    living = alice.call("remember", content="Kiln times were agreed with Priya")
    alice.call("forget", memory_id=gone["memory_id"], reason="superseded")
    assert alice.call("recall", query="kiln stoneware degrees", limit=1).ids == [living["memory_id"]]

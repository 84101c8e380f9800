"""What the routes for people and programs promise."""

import json

from m4a.application.upkeep import sweep
from m4a.bootstrap import Operator
from tests.behaviour.doors import https_only
from tests.behaviour.people import all_pages, import_lines
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.https import HttpsClient

pytestmark = https_only


def test_the_listing_is_complete_newest_first_over_all_pages(alice: HttpsClient, clock: SettableClock) -> None:
    made: list[str] = []
    for number in range(7):
        made.append(alice.call("remember", content=f"Note {number}")["memory_id"])
        clock.advance(seconds=1)
    listed = all_pages(alice, "/memories", "memories", limit=3)
    assert [row["memory_id"] for row in listed] == made[::-1]


def test_the_listing_takes_the_filters_of_recall(alice: HttpsClient) -> None:
    alice.call("remember", content="One", type="task", tags=["x"])
    alice.call("remember", content="Two", type="fact", tags=["x", "y"])
    listed = all_pages(alice, "/memories", "memories", tags="x,y", type="fact", time_range="2026-06-01/2026-06-01")
    assert [row["content"] for row in listed] == ["Two"]


def test_a_cursor_of_another_user_or_a_broken_one_is_refused(alice: HttpsClient, bob: HttpsClient) -> None:
    for client in (alice, bob):
        for number in range(3):
            client.call("remember", content=f"Note {number}")
    cursor = bob.send("GET", "/memories", params={"limit": 1})["next"]
    for wrong in (cursor, cursor[:-2], "%%%", "x"):
        assert alice.send("GET", "/memories", params={"cursor": wrong}).fields == ["cursor"]


def test_one_memory_and_its_history_can_be_shown(alice: HttpsClient) -> None:
    made = alice.call("remember", content="Drinks oat milk")
    alice.call("update_memory", memory_id=made["memory_id"], content="Drinks soy milk")

    shown = alice.send("GET", f"/memories/{made['memory_id']}")
    past = alice.send("GET", f"/memories/{made['memory_id']}/history")

    assert (shown["content"], shown["version"]) == ("Drinks soy milk", 2)
    assert [(one["content"], one["version"]) for one in past["history"]] == [("Drinks oat milk", 1)]


def test_every_operation_is_in_the_audit_without_memory_text(alice: HttpsClient) -> None:
    made = alice.call("remember", content="Drinks oat milk")
    alice.call("remember", content="Drinks oat milk")
    alice.call("recall", query="milk")
    alice.call("update_memory", memory_id=made["memory_id"], content="Drinks soy milk")
    alice.call("update_memory", memory_id=made["memory_id"], content="Drinks soy milk")
    alice.call("forget", memory_id=made["memory_id"], reason="asked to")

    events = all_pages(alice, "/audit", "events", limit=2)

    assert sorted((str(event["operation"]), str(event["outcome"])) for event in events) == [
        ("forget", "forgotten"),
        ("recall", "answered"),
        ("remember", "created"),
        ("remember", "existing"),
        ("update_memory", "unchanged"),
        ("update_memory", "updated"),
    ]
    assert "milk" not in json.dumps(events)
    assert {event["actor"] for event in events} == {"alice"}


def test_a_memory_of_an_unknown_format_is_refused(alice: HttpsClient) -> None:
    answer = import_lines(alice, {"format": "m4a-export/9"}, {"content": "One"})
    assert (answer["failed"], answer["created"]) == (1, 1)


def test_what_the_embedder_missed_is_found_by_meaning_after_the_sweep(
    alice: HttpsClient, embedder: FaultyEmbedder, operator: Operator
) -> None:
    alice.call("remember", content="Unrelated note about taxes")
    embedder.mode = "down"
    made = alice.call("remember", content="Loves mushroom risotto")
    embedder.mode = "up"
    assert "not_embedded" in alice.call("recall", query="favourite dish for dinner").degraded

    *_, swept = sweep(operator.service, operator.maintenance)

    assert swept.embedded == 1
    answer = alice.call("recall", query="favourite dish for dinner")
    assert answer.ids[0] == made["memory_id"] and answer.degraded == []
    assert answer["memories"][0]["version"] == 1


def test_erasing_everything_needs_the_users_own_id(alice: HttpsClient, bob: HttpsClient, clock: SettableClock) -> None:
    bob.call("remember", content="Stays")
    for number in range(3):
        alice.call("remember", content=f"Note {number}")
    alice.call("remember", content="Expired", expires_at="2026-06-01T12:00:01Z")
    clock.advance(seconds=5)

    assert alice.send("DELETE", "/memories").fields == ["confirm"]
    assert alice.send("DELETE", "/memories", params={"confirm": "bob"}).fields == ["confirm"]
    answer = alice.send("DELETE", "/memories", params={"confirm": "alice"})

    assert (answer["erased"], answer["next"]) == (4, None)
    assert alice.send("GET", "/memories")["memories"] == []
    assert bob.call("recall", query="stays").contents == ["Stays"]


def test_erasing_everything_erases_what_was_asked_too(alice: HttpsClient) -> None:
    answer = alice.call("recall", query="locker code 7391")
    alice.send("DELETE", "/memories", params={"confirm": "alice"})
    assert alice.send("GET", f"/recalls/{answer['recall_id']}").error == "not_found"

"""What update_memory promises."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.behaviour.doors import every_field, https_only, typed_values
from tests.support.client import Client
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.https import HttpsClient


@every_field
def test_only_named_fields_change_and_the_version_goes_up(alice: Client, clock: SettableClock) -> None:
    made = alice.call("remember", content="Team lead is Noor", tags=["team"], event_time="2026-01-02", source="chat")
    clock.advance(minutes=1)

    after = alice.call("update_memory", memory_id=made["memory_id"], importance="High")

    unchanged = ("memory_id", "content", "type", "tags", "event_time", "source", "created_at")
    assert {name: after[name] for name in unchanged} == {name: made[name] for name in unchanged}
    assert (after["importance"], after["version"], after["updated"]) == ("high", 2, True)
    assert after["updated_at"] == "2026-06-01T12:01:00.000Z"


def test_changed_content_is_found_and_the_old_text_is_not_shown(alice: Client) -> None:
    made = alice.call("remember", content="Lives in Tromso by the harbour")
    alice.call("update_memory", memory_id=made["memory_id"], content="Moved to a vineyard near Mendoza")

    by_new = alice.call("recall", query="wine growing in Argentina")["memories"]
    by_old = alice.call("recall", query="harbour Tromso")["memories"]

    assert [one["content"] for one in (*by_new, *by_old)] == ["Moved to a vineyard near Mendoza"] * 2
    assert by_old[0]["score"] < by_new[0]["score"]


@every_field
def test_two_updates_of_different_fields_at_once_both_survive(alice: Client) -> None:
    made = alice.call("remember", content="Team lead is Noor", importance="low")
    changes: list[dict[str, object]] = [
        {"content": "Team lead is Sana"},
        {"importance": "high"},
        {"tags": ["team"]},
        {"type": "event"},
    ]

    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(alice.call, "update_memory", memory_id=made["memory_id"], **change) for change in changes]
    answers = [call.result() for call in calls]

    assert sorted(answer["version"] for answer in answers) == [2, 3, 4, 5]
    (now,) = alice.call("recall", query="team lead")["memories"]
    assert (now["content"], now["importance"], now["tags"], now["type"]) == (
        "Team lead is Sana",
        "high",
        ["team"],
        "event",
    )


def test_an_expected_version_that_no_longer_holds_is_a_conflict_with_the_current_memory(alice: Client) -> None:
    made = alice.call("remember", content="Rent is due on the 3rd")
    alice.call("update_memory", memory_id=made["memory_id"], content="Rent is due on the 5th", expected_version=1)

    late = alice.call(
        "update_memory", memory_id=made["memory_id"], content="Rent is due on the 7th", expected_version=1
    )

    assert (late.error, late.body["reason"]) == ("conflict", "version")
    assert (late.body["current"]["content"], late.body["current"]["version"]) == ("Rent is due on the 5th", 2)


def test_content_that_another_memory_has_is_a_conflict_with_its_id(alice: Client) -> None:
    one = alice.call("remember", content="Sings tenor")
    two = alice.call("remember", content="Sings bass")
    answer = alice.call("update_memory", memory_id=two["memory_id"], content="Sings  tenor")
    assert (answer.error, answer.body["reason"]) == ("conflict", "duplicate")
    assert answer.body["memory_id"] == one["memory_id"]


@every_field
def test_content_of_an_expired_memory_is_free(alice: Client, clock: SettableClock) -> None:
    alice.call("remember", content="Sings tenor", expires_at="2026-06-01T13:00:00Z")
    other = alice.call("remember", content="Sings bass")
    clock.advance(hours=2)
    assert alice.call("update_memory", memory_id=other["memory_id"], content="Sings tenor")["updated"]


def test_an_update_that_changes_nothing_writes_nothing(alice: Client, clock: SettableClock) -> None:
    made = alice.call("remember", content="Sings tenor", tags=["music"])
    clock.advance(minutes=1)
    after = alice.call("update_memory", memory_id=made["memory_id"], content="Sings tenor", tags=["Music"])
    assert (after["updated"], after["version"], after["updated_at"]) == (False, 1, made["updated_at"])


@every_field
def test_tags_are_replaced_whole_and_times_are_cleared_by_a_word(alice: Client) -> None:
    made = alice.call(
        "remember", content="Choir trip", tags=["a", "b"], event_time="2026-07-01", expires_at="2026-08-01"
    )
    replaced = alice.call("update_memory", memory_id=made["memory_id"], tags=["c"])
    cleared = alice.call("update_memory", memory_id=made["memory_id"], tags=[], event_time="clear", expires_at="clear")
    assert replaced["tags"] == ["c"]
    assert (cleared["tags"], cleared["event_time"], cleared["expires_at"]) == ([], None, None)


@https_only
def test_earlier_versions_are_in_the_history_the_newest_fifty(alice: HttpsClient) -> None:
    made = alice.call("remember", content="Counter at 0")
    for number in range(1, 53):
        alice.call("update_memory", memory_id=made["memory_id"], content=f"Counter at {number}")

    answer = alice.send("GET", f"/memories/{made['memory_id']}/history")

    assert answer["memory"]["version"] == 53
    assert [one["version"] for one in answer["history"]] == list(range(52, 2, -1))
    assert answer["history"][-1]["content"] == "Counter at 2"


def test_without_the_embedder_the_new_text_is_stored_and_named(alice: Client, embedder: FaultyEmbedder) -> None:
    made = alice.call("remember", content="Sings tenor")
    embedder.mode = "down"

    after = alice.call("update_memory", memory_id=made["memory_id"], content="Conducts the orchestra")

    assert after.degraded == ["embedding_pending"]
    assert alice.call("recall", query="orchestra").contents == ["Conducts the orchestra"]


def test_an_update_of_other_fields_needs_no_embedder(alice: Client, embedder: FaultyEmbedder) -> None:
    made = alice.call("remember", content="Sings tenor")
    embedder.mode = "down"
    assert alice.call("update_memory", memory_id=made["memory_id"], importance="high").degraded == []


@every_field
def test_foreign_unknown_forgotten_and_malformed_ids_get_the_same_answer(
    alice: Client, bob: Client, clock: SettableClock
) -> None:
    foreign = bob.call("remember", content="Rent is due on the 3rd")["memory_id"]
    forgotten = alice.call("remember", content="Rent was paid")["memory_id"]
    alice.call("forget", memory_id=forgotten, reason="done")
    expired = alice.call("remember", content="Coupon", expires_at="2026-06-01T12:00:01Z")["memory_id"]
    clock.advance(seconds=1)

    ids = (foreign, forgotten, expired, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "*", "../bob/m1", 'x" or owner != "')
    answers = [alice.call("update_memory", memory_id=one, content="taken over") for one in ids]

    bodies = [{**answer.body, "request_id": None} for answer in answers]
    assert all(body == bodies[0] for body in bodies) and answers[0].error == "not_found"
    assert bob.call("recall", query="rent due").contents == ["Rent is due on the 3rd"]


@typed_values
def test_a_blank_id_is_an_unknown_one(alice: Client) -> None:
    assert alice.call("update_memory", memory_id="", content="taken over").error == "not_found"


@pytest.mark.parametrize(
    "blank", ["", " ", "\u200b", ",", "[,]", "''", ["", " "], pytest.param([""], marks=typed_values)]
)
def test_blanks_in_the_place_of_tags_clear_none(alice: Client, blank: object) -> None:
    made = alice.call("remember", content="Sings tenor", tags=["choir"])
    after = alice.call("update_memory", memory_id=made["memory_id"], tags=blank, importance="high")
    assert (after["tags"], after["importance"]) == (["choir"], "high")
    assert alice.call("update_memory", memory_id=made["memory_id"], tags=blank).fields == ["content"]


@pytest.mark.parametrize("empty", ["[]", [], " [ ] "])
def test_an_empty_list_of_tags_clears_them(alice: Client, empty: object) -> None:
    made = alice.call("remember", content="Sings tenor", tags=["choir"])
    assert alice.call("update_memory", memory_id=made["memory_id"], tags=empty)["tags"] == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({}, "content"),
        ({"content": " "}, "content"),
        ({"importance": 2}, "importance"),
        ({"importance": "low", "expected_version": 0}, "expected_version"),
        pytest.param({"expires_at": "2026-05-31"}, "expires_at", marks=every_field),
        pytest.param({"event_time": "soon"}, "event_time", marks=every_field),
        ({"created_at": "2026-01-01"}, "created_at"),
    ],
)
def test_bad_input_is_refused_by_the_name_of_its_field(alice: Client, changes: dict[str, object], field: str) -> None:
    made = alice.call("remember", content="Sings tenor")
    assert alice.call("update_memory", memory_id=made["memory_id"], **changes).fields == [field]
    assert alice.call("recall", query="tenor")["memories"][0]["version"] == 1

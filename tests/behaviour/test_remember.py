"""What remember promises."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.behaviour.doors import every_field, typed_values
from tests.support.client import Client
from tests.support.doubles import FaultyEmbedder, SettableClock


def test_a_memory_comes_back_whole_with_defaults_filled_in(alice: Client) -> None:
    made = alice.call("remember", content="  Keeps bees on the roof \n")

    assert made.body == {
        "memory_id": made["memory_id"],
        "content": "  Keeps bees on the roof \n",
        "type": "fact",
        "importance": "medium",
        "tags": [],
        "source": None,
        "created_at": "2026-06-01T12:00:00.000Z",
        "updated_at": "2026-06-01T12:00:00.000Z",
        "event_time": None,
        "expires_at": None,
        "version": 1,
        "created": True,
        "differs": [],
        "similar": [],
    }


def test_the_same_text_and_type_is_stored_once_and_the_answer_says_what_differs(alice: Client) -> None:
    first = alice.call("remember", content="Rides a red bicycle", tags=["Bike"])

    again = alice.call("remember", content="Rides  a red\tbicycle ", tags=["car"], importance="HIGH", type="fact")

    assert (again["memory_id"], again["created"]) == (first["memory_id"], False)
    assert sorted(again["differs"]) == ["content", "importance", "tags"]
    assert (again["content"], again["tags"], again["importance"]) == ("Rides a red bicycle", ["bike"], "medium")


def test_composed_and_decomposed_letters_count_as_the_same_text(alice: Client) -> None:
    first = alice.call("remember", content="Caf\u00e9 on the corner")
    again = alice.call("remember", content="Cafe\u0301 on the corner")
    assert (again["memory_id"], again["created"]) == (first["memory_id"], False)


def test_another_type_makes_another_memory(alice: Client) -> None:
    fact = alice.call("remember", content="Dentist on Friday", type="fact")
    task = alice.call("remember", content="Dentist on Friday", type="Task")
    assert task["created"] and task["memory_id"] != fact["memory_id"]


def test_identical_calls_at_the_same_moment_make_one_memory(alice: Client) -> None:
    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(alice.call, "remember", content="Door code is kept by Ines") for _ in range(8)]
    answers = [call.result() for call in calls]
    assert len({answer["memory_id"] for answer in answers}) == 1
    assert sum(answer["created"] for answer in answers) == 1


def test_similar_memories_are_listed_and_nothing_is_merged(alice: Client) -> None:
    first = alice.call("remember", content="The guest may enter laboratory three")
    second = alice.call("remember", content="The guest may not enter laboratory three")

    assert [one["memory_id"] for one in second["similar"]] == [first["memory_id"]]
    assert 0.6 <= second["similar"][0]["cosine"] <= 1
    assert len(alice.call("recall", query="guest laboratory")["memories"]) == 2


def test_unrelated_memories_are_not_called_similar(alice: Client) -> None:
    alice.call("remember", content="Grows tomatoes on the balcony")
    assert alice.call("remember", content="Works for a shipping insurer")["similar"] == []


@every_field
def test_an_expired_memory_does_not_count_as_the_same_text(alice: Client, clock: SettableClock) -> None:
    first = alice.call("remember", content="Parking pass is blue", expires_at="2026-06-02T00:00:00Z")
    clock.advance(days=2)

    again = alice.call("remember", content="Parking pass is blue")

    assert again["created"] and again["memory_id"] != first["memory_id"]
    assert alice.call("update_memory", memory_id=first["memory_id"], importance="low").error == "not_found"


def test_a_forgotten_memory_does_not_count_as_the_same_text(alice: Client) -> None:
    first = alice.call("remember", content="Allergic to pollen")
    alice.call("forget", memory_id=first["memory_id"], reason="asked to")
    again = alice.call("remember", content="Allergic to pollen")
    assert again["created"] and again["memory_id"] != first["memory_id"]


@every_field
def test_an_idempotency_key_makes_a_retry_return_the_first_memory(alice: Client) -> None:
    first = alice.call("remember", content="Plays the cello", idempotency_key="k1")
    again = alice.call("remember", content="Plays the cello", idempotency_key="k1")
    assert again["memory_id"] == first["memory_id"]


@every_field
def test_an_idempotency_key_with_another_body_is_a_conflict(alice: Client) -> None:
    alice.call("remember", content="Plays the cello", idempotency_key="k1")
    for body in (
        {"content": "Plays the flute"},
        {"content": "Plays the cello", "importance": "low"},
        {"content": "Plays the cello", "source": "another chat"},
    ):
        answer = alice.call("remember", **body, idempotency_key="k1")
        assert (answer.error, answer.body["reason"]) == ("conflict", "idempotency")


@pytest.mark.parametrize("known_before", [False, True])
@every_field
def test_a_late_retry_does_not_bring_back_what_was_forgotten(alice: Client, known_before: bool) -> None:
    if known_before:
        alice.call("remember", content="Has a scar on the left knee")
    made = alice.call("remember", content="Has a scar on the left knee", idempotency_key="k1")
    alice.call("forget", memory_id=made["memory_id"], reason="asked to")

    retry = alice.call("remember", content="Has a scar on the left knee", idempotency_key="k1")

    assert (retry.error, retry.body["reason"]) == ("conflict", "forgotten")
    assert alice.call("recall", query="scar knee")["memories"] == []


@every_field
def test_an_idempotency_key_is_free_again_after_a_day(alice: Client, clock: SettableClock) -> None:
    alice.call("remember", content="Plays the cello", idempotency_key="k1")
    clock.advance(hours=25)
    assert alice.call("remember", content="Plays the flute", idempotency_key="k1")["created"]


@every_field
def test_users_do_not_share_idempotency_keys(alice: Client, bob: Client) -> None:
    first = alice.call("remember", content="Plays the cello", idempotency_key="k1")
    other = bob.call("remember", content="Sings tenor", idempotency_key="k1")
    assert other["created"] and other["memory_id"] != first["memory_id"]


@pytest.mark.parametrize("mode", ["down", "throttled"])
def test_without_the_embedder_a_memory_is_stored_named_and_found_by_words(
    alice: Client, embedder: FaultyEmbedder, mode: str
) -> None:
    embedder.mode = mode

    made = alice.call("remember", content="Badge number ends in 88")

    assert made["created"] and made.degraded == ["embedding_pending"]
    found = alice.call("recall", query="badge number")
    assert found.ids == [made["memory_id"]] and "embedder_unavailable" in found.degraded


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"content": "   "}, "content"),
        ({"content": "\u200b\n\t"}, "content"),
        pytest.param({"content": 12}, "content", marks=typed_values),
        ({"content": "x" * 8001}, "content"),
        ({"content": "a\0b"}, "content"),
        ({}, "content"),
        ({"content": "x", "type": "opinion"}, "type"),
        ({"content": "x", "importance": 7}, "importance"),
        ({"content": "x", "tags": ["t" * 65]}, "tags"),
        ({"content": "x", "tags": [str(number) for number in range(21)]}, "tags"),
        pytest.param({"content": "x", "tags": [1]}, "tags", marks=typed_values),
        ({"content": "x", "event_time": "last tuesday"}, "event_time"),
        ({"content": "x", "event_time": "2026-02-30"}, "event_time"),
        pytest.param({"content": "x", "expires_at": "2026-05-31"}, "expires_at", marks=every_field),
        pytest.param({"content": "x", "source": "s" * 201}, "source", marks=every_field),
        pytest.param({"content": "x", "idempotency_key": " "}, "idempotency_key", marks=typed_values),
        ({"content": "x", "user_id": "bob"}, "user_id"),
    ],
)
def test_bad_input_is_refused_by_the_name_of_its_field(alice: Client, arguments: dict[str, object], field: str) -> None:
    assert alice.call("remember", **arguments).fields == [field]
    assert alice.call("recall", query="x")["memories"] == []


def test_content_of_8000_characters_is_kept_to_the_last_one(alice: Client) -> None:
    content = "lorem ipsum " * 665 + "zanzibarite"
    made = alice.call("remember", content=content)
    assert made["content"] == content
    assert alice.call("recall", query="zanzibarite").ids == [made["memory_id"]]


def test_null_means_absent(alice: Client) -> None:
    made = alice.call("remember", content="Rows on Sundays", importance=None, tags=None, event_time=None)
    assert (made["importance"], made["tags"], made["event_time"]) == ("medium", [], None)

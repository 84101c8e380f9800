"""What recall promises."""

import pytest

from tests.behaviour.doors import every_field, https_only
from tests.support.client import Client
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.https import HttpsClient


def test_what_was_remembered_is_found_at_once_by_words_and_by_meaning(alice: Client) -> None:
    alice.call("remember", content="Laptop has 32 GB of memory")
    made = alice.call("remember", content="Loves mushroom risotto", type="preference")

    assert alice.call("recall", query="Loves mushroom risotto").ids[0] == made["memory_id"]
    assert alice.call("recall", query="favourite dish for dinner").ids[0] == made["memory_id"]


@every_field
def test_an_answer_has_the_documented_members(alice: Client) -> None:
    made = alice.call("remember", content="Cycles to work", tags=["commute"], source="chat 7", event_time="2026-05-30")

    answer = alice.call("recall", query="cycles", tags=["Commute"], limit="3", time_range="2026-05-01/")

    assert set(answer.body) == {"recall_id", "memories", "applied_filters"}
    assert answer["applied_filters"] == {
        "limit": 3,
        "tags": ["commute"],
        "time_range": "2026-05-01T00:00:00.000Z/",
    }
    (memory,) = answer["memories"]
    score = memory.pop("score")
    assert 0.3 < score <= 1
    assert memory == {
        "memory_id": made["memory_id"],
        "content": "Cycles to work",
        "type": "fact",
        "importance": "medium",
        "tags": ["commute"],
        "created_at": "2026-06-01T12:00:00.000Z",
        "updated_at": "2026-06-01T12:00:00.000Z",
        "event_time": "2026-05-30",
        "source": "chat 7",
        "version": 1,
    }


def test_nothing_remembered_is_an_empty_answer_without_degradation(alice: Client) -> None:
    answer = alice.call("recall", query="anything")
    assert answer["memories"] == [] and answer.degraded == []


def test_one_user_never_sees_another_users_memories(alice: Client, bob: Client) -> None:
    bob.call("remember", content="Locker code is 4471")
    assert alice.call("recall", query="locker code")["memories"] == []


def test_scores_do_not_depend_on_other_users(alice: Client, bob: Client) -> None:
    alice.call("remember", content="Keeps the boat in Bergen")
    before = alice.call("recall", query="boat in Bergen")["memories"][0]["score"]
    for number in range(5):
        bob.call("remember", content=f"Boat number {number} in Bergen")
    assert alice.call("recall", query="boat in Bergen")["memories"][0]["score"] == before


def test_the_date_of_an_event_can_be_asked_for_in_words(alice: Client) -> None:
    alice.call("remember", content="Went to the opera", event_time="2026-04-03")
    wanted = alice.call("remember", content="Visited the museum", event_time="2026-05-08")
    assert alice.call("recall", query="what happened on 8 May 2026").ids[0] == wanted["memory_id"]


def test_an_identifier_is_found_among_near_twins(alice: Client) -> None:
    for number in range(40):
        alice.call("remember", content=f"Valve kit PN-88{number:03d}-QX for the cooling loop")
    wanted = alice.call("remember", content="Valve kit PN-88417-QX for the cooling loop")
    for query in ("PN-88417-QX", "pn-88417-qx", "is there a kit PN-88417-QX?"):
        assert alice.call("recall", query=query, limit=3).ids[0] == wanted["memory_id"]


@pytest.mark.parametrize("query", ["(", '"open', "AND OR NOT", "foo~^[1 TO", "*", "a && b", '{"match_all":{}}', "🙂"])
def test_a_query_is_plain_text_in_no_query_language(alice: Client, query: str) -> None:
    alice.call("remember", content="Start-up code is in D:\\work\\app\\start.py")
    answer = alice.call("recall", query=query)
    assert answer.error is None and answer.degraded == []


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("東京の会議は金曜日です", "金曜日の会議"),
        ("Он живёт в Новосибирске", "новосибирске"),
        ("अगली बैठक दिल्ली में है", "दिल्ली"),
        ("Die Prüfung findet in STRASSE 12 statt", "prüfung straße"),
        ("ประชุมที่กรุงเทพ", "กรุงเทพ"),
        ("회의는 부산에서", "부산"),
    ],
)
def test_words_of_other_scripts_are_found(alice: Client, embedder: FaultyEmbedder, stored: str, asked: str) -> None:
    embedder.mode = "down"
    alice.call("remember", content="Something else entirely")
    made = alice.call("remember", content=stored)
    assert alice.call("recall", query=asked).ids[0] == made["memory_id"]


def test_a_stuck_embedder_leaves_the_word_search(alice: Client, embedder: FaultyEmbedder) -> None:
    made = alice.call("remember", content="Router password is on the label")
    embedder.mode = "stuck"

    answer = alice.call("recall", query="router password")

    assert answer.ids == [made["memory_id"]] and answer.degraded == ["embedder_unavailable"]


@every_field
def test_an_explanation_adds_up_to_the_score(alice: Client) -> None:
    alice.call("remember", content="Gym card runs out in May", importance="high")
    answer = alice.call("recall", query="gym card", explain=True)

    (memory,) = answer["memories"]
    parts = memory["explain"]
    raw = parts["lexical"] + 2 * parts["cosine"] + parts["length"] + parts["importance"] + parts["recency"]
    assert memory["score"] == pytest.approx(raw / parts["attainable"], abs=1e-5)
    assert parts["matched"] == ["gym", "card"]
    assert answer["explain"]["terms"]["gym"] == {"weight": 1.0, "memories": 1}


@https_only
def test_every_recall_leaves_a_trace_without_memory_text(alice: HttpsClient) -> None:
    made = alice.call("remember", content="Stores skis in the cellar")
    answer = alice.call("recall", query="where are the skis", tags=[])

    trace = alice.send("GET", f"/recalls/{answer['recall_id']}")

    assert trace["asked"]["query"] == "where are the skis"
    assert trace["top"][0][:3] == [made["memory_id"], 1, 1]
    assert trace["top"][0][3] == pytest.approx(answer["memories"][0]["score"], abs=1e-4)
    assert "cellar" not in str(trace.body)


def test_of_two_equal_texts_the_newer_comes_first(alice: Client, clock: SettableClock) -> None:
    older = alice.call("remember", content="Prefers tea", type="preference")
    clock.advance(hours=1)
    newer = alice.call("remember", content="Prefers tea", type="fact")
    assert alice.call("recall", query="tea").ids == [newer["memory_id"], older["memory_id"]]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": " \t"}, "query"),
        ({}, "query"),
        ({"query": "x" * 2001}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 51}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "limit": 2.5}, "limit"),
        ({"query": "x", "limit": "abc"}, "limit"),
        ({"query": "x", "time_range": "2026-06-02/2026-06-01"}, "time_range"),
        ({"query": "x", "time_range": {"start": "last tuesday"}}, "time_range"),
        ({"query": "x", "time_range": {"since": "2026-06-01"}}, "time_range"),
        ({"query": "x", "time_range": "2026-06-01"}, "time_range"),
        ({"query": "x", "type": "memo"}, "type"),
        pytest.param({"query": "x", "explain": "perhaps"}, "explain", marks=every_field),
        ({"query": "x", "owner": "bob"}, "owner"),
    ],
)
def test_bad_input_is_refused_by_the_name_of_its_field(alice: Client, arguments: dict[str, object], field: str) -> None:
    assert alice.call("recall", **arguments).fields == [field]

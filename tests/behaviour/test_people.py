"""What the routes for people and programs promise."""

import json

import pytest

from m4a.application.upkeep import sweep
from m4a.bootstrap import Operator
from tests.behaviour.doors import https_only
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.https import HttpsClient

pytestmark = https_only
NDJSON = {"content-type": "application/x-ndjson"}


def import_lines(client: HttpsClient, *rows: object) -> dict[str, object]:
    text = "\n".join(json.dumps(row) for row in rows)
    return dict(client.send("POST", "/import", content=text, headers=NDJSON).body)


def all_pages(client: HttpsClient, path: str, member: str, **query: object) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    cursor: dict[str, object] = {}
    while True:
        page = client.send("GET", path, params={**query, **cursor})
        rows += page[member]
        if page["next"] is None:
            return rows
        cursor = {"cursor": page["next"]}


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


def test_an_export_imports_losslessly_into_another_user(alice: HttpsClient, bob: HttpsClient) -> None:
    first = alice.call(
        "remember", content="Ren\u00e9 \U0001f40d\u2028 line", tags=["a"], source="s", event_time="2026-01-01"
    )
    alice.call("remember", content="Expires later", expires_at="2027-01-01", importance="high", type="task")
    alice.call("update_memory", memory_id=first["memory_id"], content="Ren\u00e9e", event_time="2026-01-02T03:04:05Z")
    exported = alice.http.get("/export").text

    answer = bob.send("POST", "/import", content=exported.encode(), headers=NDJSON)

    assert (answer["created"], answer["failed"], answer["next"]) == (2, 0, None)
    assert bob.http.get("/export").text.splitlines()[1:] == exported.splitlines()[1:]
    assert bob.call("recall", query="Renée").ids[0] == first["memory_id"]


def test_importing_twice_changes_nothing(alice: HttpsClient) -> None:
    alice.call("remember", content="Drinks oat milk")
    exported = alice.http.get("/export").text
    answer = alice.send("POST", "/import", content=exported.encode(), headers=NDJSON)
    assert (answer["created"], answer["existing"]) == (0, 1)


def test_an_import_takes_lines_of_content_alone_and_names_the_lines_that_are_wrong(alice: HttpsClient) -> None:
    text = '{"content": "One"}\n\nnot json\n{"content": " "}\n[]\n{"content": "Two", "event_time": "2026-01-01"}\n'
    answer = alice.send("POST", "/import", content=text.encode(), headers=NDJSON)
    assert (answer["created"], answer["failed"], answer["lines"]) == (2, 3, 6)
    assert [row["line"] for row in answer["failures"]] == [3, 4, 5]
    assert answer["failures"][1]["errors"][0]["field"] == "content"


def test_an_id_that_was_forgotten_is_not_brought_back_by_an_import(alice: HttpsClient) -> None:
    made = alice.call("remember", content="Drinks oat milk")
    exported = alice.http.get("/export").text
    alice.call("forget", memory_id=made["memory_id"], reason="asked to")

    answer = alice.send("POST", "/import", content=exported.encode(), headers=NDJSON)

    assert (answer["created"], answer["renamed"]) == (1, 1)
    assert alice.send("GET", f"/memories/{made['memory_id']}").error == "not_found"


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


@pytest.mark.parametrize("created_at", ["1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "2026-05-01T00:00:00Z"])
def test_a_memory_imported_from_any_time_can_be_shown_updated_and_forgotten(
    alice: HttpsClient, created_at: str
) -> None:
    assert import_lines(alice, {"content": "Was born", "created_at": created_at})["created"] == 1
    (memory,) = alice.call("recall", query="born")["memories"]

    updated = alice.call("update_memory", memory_id=memory["memory_id"], importance="high")

    assert updated["created_at"] == created_at.replace("Z", ".000Z")
    assert alice.call("forget", memory_id=memory["memory_id"], reason="asked to")["forgotten"]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ('{"content": "x", "version": 9223372036854775808}', "version"),
        ('{"content": "x", "content": "y"}', "line"),
        ('{"content": "x", "history": 5}', "history"),
        ('{"content": "x", "version": 99, "history": [' + "{}," * 50 + "{}]}", "history"),
        ('{"content": "x", "memory_id": "mine"}', "memory_id"),
    ],
)
def test_a_line_that_can_not_be_imported_is_named_and_stops_no_other(alice: HttpsClient, row: str, field: str) -> None:
    text = '{"content": "before"}\n' + row + '\n{"content": "after"}'
    answer = alice.send("POST", "/import", content=text.encode(), headers=NDJSON)
    assert (answer["created"], answer["failed"]) == (2, 1)
    assert (answer["failures"][0]["line"], answer["failures"][0]["errors"][0]["field"]) == (2, field)


def test_a_file_may_begin_with_a_byte_order_mark(alice: HttpsClient) -> None:
    answer = alice.send("POST", "/import", content=b'\xef\xbb\xbf{"content": "One"}', headers=NDJSON)
    assert (answer["created"], answer["failed"]) == (1, 0)


def test_a_line_that_is_there_already_is_in_the_audit(alice: HttpsClient) -> None:
    for _ in range(2):
        import_lines(alice, {"content": "One"})
    events = all_pages(alice, "/audit", "events")
    assert sorted(str(event["outcome"]) for event in events) == ["created", "existing"]


def test_an_import_embeds_texts_in_batches_of_bounded_size(alice: HttpsClient, embedder: FaultyEmbedder) -> None:
    rows = [{"content": f"{number} " + "word " * 1500} for number in range(6)]
    import_lines(alice, *rows)
    sizes = [sum(len(text) for text in texts) for texts in embedder.asked]
    assert len(sizes) > 1 and max(sizes) <= 16_000

"""Export and import: JSON Lines of one owner, without loss, and each line that can not be taken is named."""

import pytest

from tests.behaviour.doors import https_only
from tests.behaviour.people import NDJSON, all_pages, import_lines
from tests.support.doubles import FaultyEmbedder
from tests.support.https import HttpsClient

pytestmark = https_only


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

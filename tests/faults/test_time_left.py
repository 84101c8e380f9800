"""A function has little time left, and a backend hangs or is slow: what can be answered is answered before the end."""

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from m4a.application import exporting, reading
from m4a.entrypoints.stream import index_records
from m4a.entrypoints.time_left import in_time
from tests.faults.faults import THROTTLED, asks_for, hangs, is_bulk
from tests.faults.hurry import DOORS, MARIA, Ending, Place, https, open_place, request
from tests.support.proxy_faults import only
from tests.support.stack import Backends
from tests.support.waiting import until

SLOW_S = 0.3
NDJSON = {"content-type": "application/x-ndjson"}


@pytest.fixture
def place(backends: Backends) -> Iterator[Place]:
    with open_place(backends) as opened:
        yield opened


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("tool", "arguments"), [("recall", {"query": "tent"}), ("remember", {"content": "A tent"})])
def test_a_table_that_hangs_is_told_before_the_end(
    place: Place, door: str, tool: str, arguments: dict[str, object]
) -> None:
    context = Ending()
    with hangs(place.table):
        answer = DOORS[door](place.service, context, tool, arguments)
        assert context.still_runs
    assert answer["code"] == "unavailable" and answer["retry_after"] >= 1


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("hanging", "codes"),
    [
        (["index"], ["search_unavailable"]),
        (["model"], ["embedder_unavailable"]),
        (["index", "model"], ["embedder_unavailable", "search_unavailable"]),
    ],
    ids=["index", "model", "both"],
)
def test_a_recall_does_without_what_hangs_and_answers_before_the_end(
    place: Place, door: str, hanging: list[str], codes: list[str]
) -> None:
    known = place.remember("The tent is lent to Marie")
    with ExitStack() as faults:
        for name in hanging:
            faults.enter_context(hangs(getattr(place, name)))
        context = Ending()
        answer = DOORS[door](place.service, context, "recall", {"query": "tent"})
        assert context.still_runs
    assert [one["memory_id"] for one in answer["memories"]] == [known]
    assert [one["code"] for one in answer["degraded"]] == codes


@pytest.mark.parametrize(
    ("hanging", "code"), [("index", "similar_unavailable"), ("model", "embedding_pending")], ids=["index", "model"]
)
def test_a_memory_is_stored_without_what_hangs(place: Place, hanging: str, code: str) -> None:
    with hangs(getattr(place, hanging)):
        context = Ending()
        answer = https(place.service, context, "remember", {"content": "The stove is lent to Paul"})
        assert context.still_runs
    assert answer["created"] and [one["code"] for one in answer["degraded"]] == [code]


@pytest.mark.parametrize("tool", ["recall", "remember"])
def test_a_table_that_stays_throttled_is_told_before_the_end(place: Place, tool: str) -> None:
    arguments = {"query": "tent"} if tool == "recall" else {"content": "A tent"}
    with place.table.failing(THROTTLED):
        context = Ending()
        answer = https(place.service, context, tool, arguments)
        assert context.still_runs
    assert answer["code"] == "throttled" and answer["retry_after"] >= 1


def test_a_trace_that_stays_throttled_does_not_cost_the_answer(place: Place) -> None:
    known = place.remember("The tent is lent to Marie")
    with place.table.failing(only(asks_for("BatchWriteItem"), THROTTLED)):
        context = Ending()
        answer = https(place.service, context, "recall", {"query": "tent"})
        assert context.still_runs
    assert [one["memory_id"] for one in answer["memories"]] == [known]
    assert [one["code"] for one in answer["degraded"]] == ["trace_not_stored"]


def test_a_scan_ends_with_what_it_has_when_time_is_up(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SCAN_PAGE", 1)
    made = [place.remember(f"Box {number} holds tools") for number in range(12)]
    with place.index.refusing(), place.table.failing(only(asks_for("Query"), place.table.delayed(SLOW_S))):
        context = Ending()
        answer = https(place.service, context, "recall", {"query": "box of tools", "limit": 50})
        assert context.still_runs
    found = {one["memory_id"] for one in answer["memories"]}
    assert 0 < len(found) < len(made) and found == set(made[-len(found) :])
    assert "older ones were not looked at" in answer["degraded"][0]["message"]


def test_an_export_an_import_and_an_erasure_end_early_and_go_on_with_the_next_call(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "EXPORT_BATCH", 2)
    content = [f"Box {number} holds tools" for number in range(12)]
    lines = [json.dumps({"content": one}) for one in content]
    with place.table.failing(place.table.delayed(SLOW_S)):
        context, taken = Ending(5), 0
        reply = request(place.service, context, "POST /import", "\n".join(lines), headers=NDJSON)
        assert context.still_runs and reply["statusCode"] == 200
        taken = json.loads(reply["body"])["next"] - 1
        assert 0 < taken < len(lines)

    request(place.service, Ending(60), "POST /import", "\n".join(lines[taken:]), headers=NDJSON)
    exported: list[str] = []
    with place.table.failing(place.table.delayed(SLOW_S)):
        context = Ending(5)
        reply = request(place.service, context, "GET /export", headers={})
        assert context.still_runs and reply["statusCode"] == 200
        exported += [json.loads(line)["content"] for line in reply["body"].splitlines()[1:]]
        assert 0 < len(exported) < len(content)
    query = {"cursor": reply["headers"]["m4a-next"]}
    rest = request(place.service, Ending(60), "GET /export", headers={}, queryStringParameters=query)
    exported += [json.loads(line)["content"] for line in rest["body"].splitlines()]
    assert sorted(exported) == sorted(content)

    with place.table.failing(place.table.delayed(SLOW_S)):
        context = Ending(5)
        reply = request(
            place.service, context, "DELETE /memories", headers={}, queryStringParameters={"confirm": MARIA.user}
        )
        assert context.still_runs
    erased = json.loads(reply["body"])
    assert erased["next"] == "again" and 0 < erased["erased"] < len(content)


def test_the_indexer_gives_back_what_it_has_no_time_for(place: Place) -> None:
    place.stack.poller.pause()
    https(place.service, Ending(60), "remember", {"content": "The stove is lent to Paul"})
    (entry,) = place.service.outbox.pending(MARIA, 10)
    keys = {"pk": {"S": MARIA.key}, "sk": {"S": f"P#{entry.change_id}#{entry.memory_id}#{entry.rev}"}}
    event = {"Records": [{"eventName": "INSERT", "dynamodb": {"SequenceNumber": "7", "Keys": keys}}]}
    assert place.stack.operator.indexing
    with place.index.failing(only(is_bulk, place.index.hanging)):
        context = Ending()
        with in_time(context):
            answer = index_records(place.stack.operator.indexing, event)
        assert context.still_runs
    assert answer == {"batchItemFailures": [{"itemIdentifier": "7"}]}
    place.stack.poller.go_on()
    until(lambda: not place.service.outbox.pending(MARIA, 1))

"""One line for each operation, whichever way it came in and however it ended."""

import json
from dataclasses import replace
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.domain.errors import Unavailable
from m4a.entrypoints.jobs import job, note_sweep
from tests.support.doubles import FaultyEmbedder
from tests.telemetry.calls import CALLS, Expected
from tests.telemetry.doors import EVENTS, MARK, NAMESPACE, REQUEST, https, tool
from tests.telemetry.emf import points
from tests.telemetry.lines import Lines


class Broken:
    """A backend whose every call fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise self._error


def broken(service: Service, error: Exception) -> Service:
    down: Any = Broken(error)
    return replace(service, store=down, index=down, outbox=down, log=down)


@pytest.mark.parametrize("name", CALLS)
def test_every_operation_has_one_line_that_tells_what_became_of_it(
    service: Service, memory_id: str, lines: Lines, name: str
) -> None:
    send, expected = CALLS[name]
    send(service, memory_id)
    (line,) = lines.operations
    told = Expected(line["entry_point"], line["operation"], line["outcome"], line.get("status"))
    assert (told, line["request_id"], line["level"]) == (expected, REQUEST, "INFO")
    assert lines.holding(MARK) == []


def test_every_sample_event_is_among_them() -> None:
    samples = {str(one.relative_to(EVENTS)) for one in EVENTS.rglob("*.json") if ".context." not in one.name}
    called = {name.replace("interceptor ", "gateway_interceptor/").replace(" ", "/", 1) + ".json" for name in CALLS}
    jobs = {one for one in samples if one.startswith(("indexer/", "sweep/"))}  # they have tests of their own
    assert samples - jobs - {"local-env.json"} <= called


@pytest.mark.parametrize("name", [name for name, (_, expected) in CALLS.items() if expected.operation == "recall"])
@pytest.mark.parametrize(("error", "code"), [(RuntimeError(MARK), "internal"), (Unavailable("Down."), "unavailable")])
def test_a_backend_that_fails_and_a_fault_of_ours_have_one_line_too(
    service: Service, lines: Lines, name: str, error: Exception, code: str
) -> None:
    send, expected = CALLS[name]
    send(broken(service, error), "")
    (line,) = lines.operations
    assert line["outcome"] == (code if expected.outcome == "ok" else expected.outcome)
    assert lines.holding(MARK) == []


def test_the_line_has_the_ids_of_what_was_answered(service: Service, memory_id: str, lines: Lines) -> None:
    answer: Any = https("recall")(service, "")
    tool("update_memory", memory_id="MEMORY", importance="high")(service, memory_id)
    recall, update = lines.operations
    assert recall["recall_id"] == json.loads(answer["body"])["recall_id"]
    assert (update["memory_id"], "recall_id" in update) == (memory_id, False)


def test_the_trace_of_the_invocation_is_named_where_there_is_one(
    service: Service, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = "1-5759e988-bd862e3fe1be46a994272793"
    for variable in (f"Root={root};Parent=53995c3f42cd8ad8;Sampled=1", f"Root={MARK}", ""):
        monkeypatch.setenv("_X_AMZN_TRACE_ID", variable)
        https("recall")(service, "")
    assert [line.get("xray_trace_id") for line in lines.operations] == [root, None, None]
    assert lines.holding(MARK) == []


def test_metrics_of_an_operation_are_its_times(service: Service, lines: Lines) -> None:
    https("recall")(service, "")
    https("remember")(service, "")
    for line, stages in zip(
        lines.operations, ({"embed", "outbox", "search", "read", "trace"}, {"embed", "commit"}), strict=True
    ):
        found = points(line)
        assert {name for name, *_ in found} >= {"duration", *stages}
        operation = (("operation", line["operation"]),)
        assert {(dimensions, unit) for _, dimensions, unit, _ in found} == {(operation, "Milliseconds")}
        assert all(0 <= value < 60_000 for *_, value in found)
        assert line["_aws"]["CloudWatchMetrics"][0]["Namespace"] == NAMESPACE


@pytest.mark.parametrize("name", CALLS)
def test_an_error_is_counted_by_its_code(service: Service, memory_id: str, lines: Lines, name: str) -> None:
    send, expected = CALLS[name]
    send(service, memory_id)
    (line,) = lines.operations
    errors = {one for one in points(line) if one[0] == "errors"}
    counted = ("errors", (("code", expected.outcome),), "Count", 1)
    assert errors == (set() if expected.outcome == "ok" else {counted})


def test_a_degraded_answer_is_counted_once_and_each_of_its_reasons_too(
    service: Service, embedder: FaultyEmbedder, memory_id: str, lines: Lines
) -> None:
    embedder.mode = "down"
    down: Any = Broken(Unavailable("Down."))
    https("recall")(replace(service, index=down), memory_id)
    (line,) = lines.operations
    assert (line["outcome"], line["degraded"]) == ("ok", ["embedder_unavailable", "search_unavailable"])
    counted = [one for row in lines.of("degraded") for one in points(row)]
    by_reason = {("degraded", (("reason", reason),), "Count", 1) for reason in line["degraded"]}
    assert len(counted) == 3 and set(counted) == {("degraded", (), "Count", 1), *by_reason}
    assert {row["request_id"] for row in lines.of("degraded")} == {REQUEST}


def test_the_sweep_tells_what_it_found_without_a_dimension(lines: Lines) -> None:
    with job("schedule", "sweep", None, NAMESPACE) as operation:
        note_sweep(operation, {"settled": 2}, index_alive=False, outbox_age=61.5, outbox_stuck=1, due_age=7.25)
    with job("schedule", "sweep", None, NAMESPACE) as operation:
        note_sweep(operation, {"settled": 0}, index_alive=True, outbox_age=0.0)
    bad, good = [{(name, *rest) for name, *rest in points(line) if name != "duration"} for line in lines.operations]
    assert bad == {
        ("outbox_age", (), "Seconds", 61.5),
        ("outbox_stuck", (), "Count", 1),
        ("index_alive", (), "None", 0),
        ("due_age", (), "Seconds", 7.25),
    }
    assert {(name, value) for name, _, _, value in good} == {("outbox_age", 0), ("outbox_stuck", 0), ("index_alive", 1)}
    assert lines.operations[0]["settled"] == 2


def test_a_job_that_fails_has_its_line_and_gives_the_platform_no_text_to_log(lines: Lines) -> None:
    def run(error: Exception) -> Exception:
        with pytest.raises(Exception) as raised, job("schedule", "sweep", None, NAMESPACE):
            raise error
        return raised.value

    down = Unavailable("Down.")
    assert run(down) is down
    internal = run(RuntimeError(MARK))
    assert MARK not in f"{internal!r} {internal.__cause__!r}" and internal.__suppress_context__
    assert [line["outcome"] for line in lines.operations] == ["unavailable", "internal"]
    assert lines.holding(MARK) == []

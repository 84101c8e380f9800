"""docs/observability.md, held against what is logged."""

import json
import re
from pathlib import Path

from m4a.adapters.timing import Stage
from m4a.application.service import Service
from m4a.entrypoints.jobs import job, note_sweep
from tests.telemetry.calls import CALLS
from tests.telemetry.doors import NAMESPACE, https
from tests.telemetry.emf import points
from tests.telemetry.lines import Lines

PAGE = (Path(__file__).parents[2] / "docs" / "observability.md").read_text("utf-8")
OF_LAMBDA = {"requestId", "xray_trace_id", "timestamp", "level", "message", "logger", "_aws"}


def rows(heading: str) -> set[str]:
    """Names in the first column of the table under the heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_example_is_a_line_as_it_is_written(service: Service, memory_id: str, lines: Lines) -> None:
    example = json.loads(PAGE.split("```json\n")[1].split("```")[0])
    https("recall")(service, memory_id)
    (line,) = lines.operations
    assert example.keys() - {"requestId", "xray_trace_id"} == line.keys()
    assert {name: type(value) for name, value in line.items()} == {name: type(example[name]) for name in line}


def test_every_field_and_every_metric_of_the_sweep_has_its_row(lines: Lines) -> None:
    with job("schedule", "sweep", None, NAMESPACE) as operation:
        note_sweep(operation, {}, index_alive=True, outbox_age=0.0, due_age=0.0)
    (line,) = lines.operations
    metrics = {name for name, *_ in points(line)}
    assert metrics == {"duration", "outbox_age", "outbox_stuck", "index_alive", "due_age"}
    assert metrics <= rows("Metrics")
    assert line.keys() - OF_LAMBDA <= rows("The line of an operation")


def test_every_field_and_every_metric_has_its_row(service: Service, memory_id: str, lines: Lines) -> None:
    for send, _ in CALLS.values():
        send(service, memory_id)
    fields = {name for line in lines.operations for name in line}
    directives = [one for line in lines.operations for one in line["_aws"]["CloudWatchMetrics"]]
    metrics = {metric["Name"] for one in directives for metric in one["Metrics"]}
    assert fields - OF_LAMBDA <= rows("The line of an operation")
    assert metrics <= rows("Metrics")
    assert set(Stage.__args__) <= metrics

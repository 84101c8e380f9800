"""The handlers: their lines have metrics where the settings of the process name a namespace."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from m4a.local.events import Context
from tests.support.gateway import SECRET
from tests.support.process import fresh_process
from tests.telemetry.doors import NAMESPACE, REQUEST, sample
from tests.telemetry.emf import points
from tests.telemetry.lines import Lines

CALLS = {
    "recall": "https/recall",
    "action_group": "action_group/recall",
    "gateway_interceptor": "gateway_interceptor/tools_list",
    "sweep": None,
}


@pytest.fixture(autouse=True)
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A process of its own, as far as settings and service go."""
    variables = {"M4A_DB": str(tmp_path / "m4a.db"), "M4A_GATEWAY_SECRET": SECRET.decode()}
    with fresh_process(monkeypatch, **variables, M4A_METRICS_NAMESPACE=NAMESPACE):
        yield monkeypatch


def run(name: str) -> Any:
    event = CALLS[name]
    handler = importlib.import_module(f"{name}.handler").handler
    return handler(sample(event) if event else {}, Context(REQUEST))


@pytest.mark.parametrize("name", CALLS)
def test_a_handler_writes_one_line_with_metrics(lines: Lines, name: str) -> None:
    run(name)
    (line,) = lines.operations
    assert {one for one, *_ in points(line)} >= {"duration"}


@pytest.mark.parametrize("name", CALLS)
def test_and_without_a_namespace_one_without(lines: Lines, process: pytest.MonkeyPatch, name: str) -> None:
    process.delenv("M4A_METRICS_NAMESPACE")
    run(name)
    (line,) = lines.operations
    assert points(line) == set()


def test_the_line_of_the_sweep_counts_what_it_did(lines: Lines) -> None:
    answer = run("sweep")
    (line,) = lines.operations
    counts = {"expired": 0, "embedded": 0, "refused": 0, "postponed": 0, "settled": 0}
    assert line.items() >= counts.items() and answer.items() >= counts.items()
    assert (line["entry_point"], line["operation"], "index_alive" in line) == ("schedule", "sweep", False)

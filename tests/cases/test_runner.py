"""The runner itself: what it must fail, what it may skip, and that a broken product turns cases red."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cases.case_file import Case, UnreadableFile, read_cases
from tests.cases.entry_points import ENTRY_POINTS, EntryPoint, real_path
from tests.cases.report import run_file
from tests.cases.runner import Result, run_case
from tests.support.profiles import EmbeddedProfile

ROOT = Path(__file__).parents[2]
REMEMBER: Mapping[str, Any] = {
    "caller": "user-a",
    "call": "remember",
    "args": {"content": "The kettle is new"},
    "save": "m1",
}
RECALL: Mapping[str, Any] = {"caller": "user-a", "call": "recall", "args": {"query": "kettle"}}


def run(embedded: EmbeddedProfile, steps: Sequence[Mapping[str, Any]], checks: Sequence[Mapping[str, Any]]) -> Result:
    return run_case(Case("X01", "A case", steps, checks), embedded)


@pytest.mark.parametrize(
    "check",
    [
        {"step": 1, "outcome": "client_error"},
        {"step": 1, "outcome": "splendid"},
        {"step": 2, "ids_exclude": ["m1"]},
        {"step": 2, "ids_include": ["m1"], "count": 2},
        {"step": 2, "ids_exclude": ["m9"]},
        {"step": "end", "stored_count": 2},
        {"step": "after_1", "stored_count": 0},
        {"step": 3, "outcome": "ok"},
        {"any_of": [{"step": 1, "outcome": "not_found"}, {"step": 2, "count": 0}]},
        {"step": 1, "scores": "finite_0_1_descending"},
    ],
)
def test_an_expectation_that_does_not_hold_fails(check: Mapping[str, Any], embedded: EmbeddedProfile) -> None:
    result = run(embedded, [REMEMBER, RECALL, {"fault": {"target": "index", "mode": "clear"}}], [check])

    assert result.status == "failed"
    assert result.reasons


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ({"step": 1, "outcome": "ok", "feels_right": True}, "unknown check feels_right"),
        (
            {"any_of": [{"step": 1, "outcome": "ok"}, {"step": 1, "feels_right": True}], "soft": True},
            "unknown check feels_right",
        ),
        ({"step": 1}, "unknown check without a kind"),
        ({"step": 2, "outcome": "ok"}, "unknown check of step 2"),
        ({"step": "after_9", "stored_count": 1}, "unknown check of step after_9"),
        ({"outcome": "ok"}, "unknown check of step None"),
    ],
)
def test_an_unknown_check_fails(check: Mapping[str, Any], reason: str, embedded: EmbeddedProfile) -> None:
    result = run(embedded, [REMEMBER], [{"step": 1, "outcome": "ok"}, check])

    assert (result.status, result.reasons) == ("failed", (reason,))


@pytest.mark.parametrize(
    "step",
    [
        {"telepathy": "remember"},
        {},
        {**RECALL, "retries": 3},
        {**RECALL, "http": {"method": "GET", "path": "/recall"}},
        {"parallel": [RECALL, {"telepathy": "recall"}]},
        {"http": "GET /recall"},
        {"fault": {"target": "moon", "mode": "down"}},
        {"fault": {"target": "index", "mode": "sulk"}},
        {"run": "marathon"},
        {**RECALL, "args": {"query": {"$ref": "m9"}}},
        {**RECALL, "args": {"query": {"$shout": "kettle"}}},
        {**RECALL, "clock": "noon"},
        {**RECALL, "deadline_s": 0.000_001},
    ],
)
def test_a_step_that_is_unknown_or_can_not_be_run_fails(step: Mapping[str, Any], embedded: EmbeddedProfile) -> None:
    result = run(embedded, [REMEMBER, step], [{"step": 1, "outcome": "ok"}])

    assert result.status == "failed"
    assert "step" in result.reasons[0]


def test_a_deadline_of_zero_is_no_time_limit(embedded: EmbeddedProfile) -> None:
    result = run(embedded, [REMEMBER, {**RECALL, "deadline_s": 0}], [{"step": 2, "ids_exactly": ["m1"]}])

    assert result.status == "passed"


def test_a_quality_goal_that_is_missed_is_noted_and_fails_nothing(embedded: EmbeddedProfile) -> None:
    result = run(embedded, [REMEMBER, RECALL], [{"step": 2, "count": 0, "soft": True}])

    assert result.status == "passed"
    assert len(result.notes) == 1


def test_what_can_not_be_told_here_skips_the_case_but_hides_no_failure(embedded: EmbeddedProfile) -> None:
    untold = {"step": "end", "mapping": {"tags": "keyword"}}

    assert run(embedded, [REMEMBER], [untold, {"step": 1, "outcome": "ok"}]).status == "skipped"
    assert run(embedded, [REMEMBER], [untold, {"step": 1, "outcome": "not_found"}]).status == "failed"


@pytest.mark.parametrize(("module", "status"), [("m4a.nowhere.at_all", "skipped"), ("m4a.entrypoints.http", "failed")])
def test_a_step_through_an_entry_point_is_skipped_only_while_the_product_has_none(
    module: str, status: str, embedded: EmbeddedProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENTRY_POINTS, "mcp", EntryPoint("MCP", module, None))  # pyright: ignore[reportArgumentType]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}

    through: list[dict[str, Any]] = [{"mcp": message}, {"http": {"method": "POST", "path": "/mcp", "body": None}}]
    for step in through:
        result = run(embedded, [REMEMBER, {"caller": "user-a", **step}], [{"step": 1, "outcome": "ok"}])
        assert result.status == status
        assert "MCP" in result.reasons[0]


@pytest.mark.parametrize(
    ("written", "real"),
    [
        ("/remember", "/tools/remember"),
        ("/recall/", "/tools/recall/"),
        ("/prod/forget", "/prod/tools/forget"),
        ("/update_memory?x=1", "/tools/update_memory?x=1"),
        ("/tools/recall", "/tools/recall"),
        ("/memories/recall/history", "/memories/recall/history"),
        ("/no-such-tool", "/no-such-tool"),
    ],
)
def test_the_path_of_a_tool_is_its_real_one(written: str, real: str) -> None:
    assert real_path(written) == real


def test_another_file_of_the_same_form_runs(tmp_path: Path) -> None:
    good: dict[str, Any] = {"id": "X01", "kind": "search", "title": "Found", "fit": "direct", "given": None}
    bad: dict[str, Any] = {"id": "X02", "title": "Lost"}
    steps = [REMEMBER, RECALL]
    rows = [
        {**good, "steps": steps, "checks": [{"step": 2, "first_id": "m1"}]},
        {**bad, "steps": steps, "checks": [{"step": 2, "count": 0}]},
    ]
    file = tmp_path / "other.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")

    command = [sys.executable, "-m", "tests.cases", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    lines = done.stdout.splitlines()
    assert (done.returncode, lines[-1]) == (1, "1 passed, 1 failed")
    assert lines[0] == "X01  passed  Found"
    assert lines[1] == "X02  FAILED  Lost"


def test_a_file_without_failures_exits_with_zero(tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps({"id": "X", "title": "T", "steps": [RECALL], "checks": [{"step": 1, "count": 0}]}))
    lines: list[str] = []

    assert run_file(file, lines.append) == 0
    assert lines[-1] == "1 passed, 0 failed"


@pytest.mark.parametrize(
    "text", ["", "not json", '{"id": "X"}', '{"id": "X", "title": "T", "steps": [], "checks": []}']
)
def test_a_file_that_holds_no_cases_is_an_error(text: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.jsonl"
    file.write_text(text, "utf-8")

    with pytest.raises(UnreadableFile):
        read_cases(file)

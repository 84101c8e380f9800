"""Faults: what their modes mean, and which calls they meet."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from m4a.domain.errors import Throttled, Unavailable
from tests.cases import world
from tests.cases.case_file import Case
from tests.cases.fault_modes import NO_FAULT, UnknownFault, read_mode
from tests.cases.faults import Fault
from tests.cases.runner import run_case
from tests.cases.test_runner import RECALL, REMEMBER, run
from tests.support.profiles import EmbeddedProfile, StackProfile
from tests.support.stack import Backends

READ, WRITE = (True, False), (False, True)
BOTH = (True, True)


@pytest.mark.parametrize(
    ("target", "written", "effect", "calls"),
    [
        ("table", "throttle_all", "throttle", BOTH),
        ("table", "throttled", "throttle", BOTH),
        ("embedder", "rate-limited", "throttle", BOTH),
        ("index", "too_many_requests", "throttle", READ),
        ("index", "bulk_429", "throttle", WRITE),
        ("index", "bulk_partial_failure", "partial", WRITE),
        ("index", "reject_writes", "fail", WRITE),
        ("index", "rejectWrites", "fail", WRITE),
        ("index", "write_only", "fail", WRITE),
        ("index", "read_only", "fail", WRITE),
        ("index", "fail_read_write", "fail", BOTH),
        ("index", "error", "fail", READ),
        ("table", "refuse", "fail", BOTH),
        ("table", "absent", "absent", BOTH),
        ("table", "writes_throttled", "throttle", WRITE),
        ("table", "unavailable", "fail", BOTH),
        ("embedder", "server_error_503", "fail", BOTH),
        ("embedder", "slow", "delay", BOTH),
        ("embedder", "delay_query", "delay", READ),
        ("table", "hang", "hang", BOTH),
        ("table", "time_out", "hang", BOTH),
        ("index", "timeout error", "hang", READ),
        ("index", "fail_keyword_leg", "words", READ),
        ("index", "vector_leg", "vectors", READ),
        ("embedder", "swap", "swap", BOTH),
        ("table", "clear", "clear", BOTH),
    ],
)
def test_a_mode_is_read_by_its_words(target: str, written: str, effect: str, calls: tuple[bool, bool]) -> None:
    mode = read_mode({"target": target, "mode": written})

    assert (mode.effect, (mode.reads, mode.writes)) == (effect, calls)


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("index", "sulk"),
        ("index", "throttle_moon"),
        ("table", "swap"),
        ("embedder", "partial"),
        ("index", ""),
        ("x", ""),
    ],
)
def test_a_mode_with_a_word_that_means_nothing_is_unknown(target: str, written: str) -> None:
    with pytest.raises(UnknownFault, match="unknown"):
        read_mode({"target": target, "mode": written})


def struck(fault: Fault, calls: str) -> list[str]:
    """What becomes of so many calls, each ``r`` or ``w``."""
    found: list[str] = []
    for call in calls:
        try:
            found.append(fault.read() if call == "r" else fault.write())
        except (Throttled, Unavailable) as error:
            found.append(error.code)
    return found


@pytest.mark.parametrize(
    ("written", "calls", "results"),
    [
        ({"mode": "throttle"}, "rw", ["throttled", "throttled"]),
        ({"mode": "error_once"}, "rr", ["unavailable", "clear"]),
        ({"mode": "error", "times": 2}, "rwr", ["unavailable", "unavailable", "clear"]),
        ({"mode": "reject_writes"}, "rw", ["clear", "unavailable"]),
        ({"mode": "throttle_write_once"}, "rww", ["clear", "throttled", "clear"]),
        ({"mode": "fail_reads"}, "rw", ["unavailable", "clear"]),
        ({"mode": "delay", "seconds": 0}, "r", ["delay"]),
        ({"mode": "delay", "seconds": 12}, "r", ["unavailable"]),
        ({"mode": "slow"}, "w", ["unavailable"]),
        ({"mode": "hang", "seconds": 0}, "r", ["unavailable"]),
    ],
)
def test_a_fault_meets_the_calls_that_its_mode_names(
    written: Mapping[str, Any], calls: str, results: list[str]
) -> None:
    fault = Fault(read_s=0.001, write_s=0.001)
    fault.set(read_mode({"target": "table", **written}))

    assert struck(fault, calls) == results


def test_a_held_call_goes_on_when_the_fault_ends() -> None:
    fault = Fault()
    fault.set(read_mode({"target": "table", "mode": "hang"}))
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(fault.read)
        fault.set(NO_FAULT)

        assert call.result(timeout=30) in ("hang", "clear")


def test_an_index_that_is_too_slow_is_given_up_as_its_adapter_does(embedded: EmbeddedProfile) -> None:
    slow = {"fault": {"target": "index", "mode": "delay", "seconds": 12}}

    assert run(embedded, [REMEMBER, slow, RECALL], [{"step": 3, "flag": "degraded"}]).status == "passed"


def test_writes_of_the_embedded_index_can_not_fail_alone(embedded: EmbeddedProfile) -> None:
    result = run(embedded, [{"fault": {"target": "index", "mode": "reject_writes"}}, RECALL], [{"step": 2, "count": 0}])

    assert result.status == "skipped"


@pytest.mark.parametrize("mode", ["reject_writes", "bulk_429", "partial"])
def test_a_fault_of_the_index_meets_what_the_indexer_writes(
    mode: str, backends: Backends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "LONGEST_LAG_S", 1.0)  # what the index refuses, it never shows
    steps = [
        {"fault": {"target": "index", "mode": mode}},
        REMEMBER,
        {"fault": {"target": "index", "mode": "clear"}},
        {"run": "index_feed_and_repair"},
    ]
    checks = [{"step": "after_2", "index_count": 0, "stored_count": 1}, {"step": "end", "index_equals_table": True}]

    result = run_case(Case("X01", "A case", steps, checks), StackProfile(backends))

    assert (result.status, result.reasons) == ("passed", ())

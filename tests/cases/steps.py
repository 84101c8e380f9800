"""Runs the steps of a case: calls through entry points, faults, upkeep, and groups of steps."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Barrier
from typing import Any

import httpx

from m4a.application.index_upkeep import rebuild, sweep_outbox
from m4a.application.sweeping import sweep_pass
from m4a.application.upkeep import reindex
from m4a.domain.errors import M4AError, Throttled, Unavailable
from m4a.settings import SettingsError
from tests.cases.case_file import inner_steps
from tests.cases.entry_points import ENTRY_POINTS, entry_point_of
from tests.cases.fault_modes import UnknownFault, read_mode
from tests.cases.reply import Reply
from tests.cases.run import Run, StepFailed
from tests.cases.values import CannotBuild
from tests.cases.world import World

MODIFIERS = ("caller", "save", "clock", "env", "deadline_s")
"""Members that any step may have."""

Step = Mapping[str, Any]
Act = Callable[[Run, Step, int], tuple[Reply, ...]]


def run_step(run: Run, step: Step, number: int = 0) -> tuple[Reply, ...]:
    """The step's replies: none, one, or those of its group. ``number`` is the loop number. Raises StepFailed."""
    start = time.monotonic()
    try:
        if "env" in step:
            run.world.set_variables(run.build(step["env"], number))
        with run.world.clock.at(run.build(step.get("clock"), number)):
            replies = _act(run, step, number)
    except (httpx.HTTPError, M4AError) as error:
        raise StepFailed(f"no answer: {type(error).__name__}") from error
    except (CannotBuild, UnknownFault, SettingsError, httpx.InvalidURL, ValueError, KeyError, TypeError) as error:
        raise StepFailed(f"can't be run as written: {error}") from error
    seconds = time.monotonic() - start
    # 0 means that nothing waits before the step, not that it takes no time.
    if step.get("deadline_s") and seconds > step["deadline_s"]:
        raise StepFailed(f"took {seconds:.1f} s, the deadline was {step['deadline_s']} s")
    return replies


def unknown_in(step: Step) -> str | None:
    """Why the step can't be understood; None if it can."""
    kinds = [kind for kind in (*ENTRY_POINTS, *_ACTS) if kind in step]
    if len(kinds) > 1 or not (kinds or step.keys() & {"clock", "env"}):
        return f"unknown step with the members {', '.join(step) or 'none'}"
    taken = {*MODIFIERS, *(kinds[:1]), *_TAKES.get(kinds[0] if kinds else "", ())}
    if others := [name for name in step if name not in taken]:
        return f"unknown member {', '.join(others)} of a step"
    return _unknown_fault(step) or next((problem for one in inner_steps(step) if (problem := unknown_in(one))), None)


def _unknown_fault(step: Step) -> str | None:
    try:
        read_mode(step["fault"]) if "fault" in step else None
    except UnknownFault as error:
        return str(error)
    return None


def _act(run: Run, step: Step, number: int) -> tuple[Reply, ...]:
    entry_point = entry_point_of(step)
    if entry_point and entry_point.reach:
        reply = entry_point.reach(run.world, run.build(step, number))
        run.save(step, reply, number)
        return (reply,)
    return next((act(run, step, number) for kind, act in _ACTS.items() if kind in step), ())


def _repeat(run: Run, step: Step, _number: int) -> tuple[Reply, ...]:
    return tuple(reply for number in range(step["repeat"]) for reply in run_step(run, step["step"], number))


def _parallel(run: Run, step: Step, number: int) -> tuple[Reply, ...]:
    steps = step["parallel"]
    together = Barrier(len(steps))

    def one(inner: Step) -> tuple[Reply, ...]:
        together.wait()
        return run_step(run, inner, number)

    with ThreadPoolExecutor(len(steps)) as pool:
        return tuple(reply for replies in pool.map(one, steps) for reply in replies)


def _fault(run: Run, step: Step, number: int) -> tuple[Reply, ...]:
    fault = run.build(step["fault"], number)
    mode = read_mode(fault)
    run.world.faults[fault["target"]].set(mode)
    return ()


def _upkeep(run: Run, step: Step, _number: int) -> tuple[Reply, ...]:
    job = _JOBS.get(step["run"])
    if job is None:
        raise StepFailed(f"unknown run {step['run']}; there are {', '.join(_JOBS)}")
    job(run.world)
    return ()


def _sweep(world: World) -> None:
    """A pass of the sweep, and what it would bring into the index once the stream has had its time."""
    indexing = world.plain.indexing
    sweep_pass(world.service, world.plain.maintenance, indexing)
    with suppress(Throttled, Unavailable):
        for _ in sweep_outbox(indexing, world.clock.now() + timedelta(days=1)) if indexing else ():
            pass


def _reindex(world: World) -> None:
    service, maintenance, indexing = world.service, world.plain.maintenance, world.plain.indexing
    for _ in rebuild(service, indexing, maintenance) if indexing else reindex(service, maintenance):
        pass


_JOBS: Mapping[str, Callable[[World], None]] = {"index_feed_and_repair": _sweep, "reindex": _reindex}
_ACTS: Mapping[str, Act] = {"repeat": _repeat, "parallel": _parallel, "fault": _fault, "run": _upkeep}
_TAKES: Mapping[str, tuple[str, ...]] = {"repeat": ("step",)} | {
    kind: entry_point.takes for kind, entry_point in ENTRY_POINTS.items()
}

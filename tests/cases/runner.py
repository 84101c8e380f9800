"""Runs one case from a fresh start to its verdict."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.cases import checks, steps
from tests.cases.case_file import Case, nested
from tests.cases.checks import END, STATE_CHECKS
from tests.cases.entry_points import entry_point_of
from tests.cases.fault_modes import meets_index_writes
from tests.cases.reply import Reply
from tests.cases.run import Run, StepFailed
from tests.cases.state_checks import look_around
from tests.cases.values import CannotBuild, build
from tests.cases.world import Alter, World
from tests.support.profiles import EMBEDDED, Profile

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Result:
    """``skipped``: not applicable here, and ``reasons`` says why. ``notes``: quality goals that were missed."""

    case: Case
    status: Status
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def run_case(case: Case, profile: Profile, alter: Alter | None = None) -> Result:
    """What can't be understood fails; a step through an entry point that the product, or the profile, does not have
    skips the case."""
    try:
        unknown = tuple(_unknown_in(case))
        absent = () if unknown else tuple(dict.fromkeys(_absent_for(case, profile.name)))
    except (TypeError, KeyError, AttributeError) as error:
        return Result(case, "failed", (f"unknown form of a step or a check: {type(error).__name__} {error}",))
    if unknown or absent:
        return Result(case, "failed" if unknown else "skipped", unknown or absent)
    with World(profile, _callers_of(case), alter) as world:
        run = Run(world=world)
        try:
            _take_steps(case, run)
        except StepFailed as error:
            return Result(case, "failed", (f"step {len(run.replies) + 1} {error}",))
        return _judged(case, run)


def _take_steps(case: Case, run: Run) -> None:
    run.names.update(_names_of(case))
    for number, step in enumerate(case.steps, start=1):
        run.replies.append(steps.run_step(run, step))
        _look(case, run, number, run.replies[-1])
    _look(case, run, END, [reply for group in run.replies for reply in group])


def _look(case: Case, run: Run, moment: int | str, replies: Sequence[Reply]) -> None:
    """Looks at store and index, if a check asks for what is there at this moment."""
    asked = [branch for check in case.checks for branch in checks.branches_of(check)]
    kinds = {kind for one in asked if checks.moment_of(one["step"]) == moment for kind in checks.kinds_of(one)}
    if about_state := kinds & STATE_CHECKS.keys():
        run.seen[moment] = look_around(run.world, replies, about_state)


def _judged(case: Case, run: Run) -> Result:
    verdicts = [(check, checks.judge(check, run)) for check in case.checks]
    failures = tuple(one for check, verdict in verdicts if not check.get("soft") for one in verdict.failures)
    notes = tuple(one for check, verdict in verdicts if check.get("soft") for one in verdict.failures)
    untold = tuple(dict.fromkeys(one for _, verdict in verdicts for one in verdict.open))
    return Result(case, "failed" if failures else "skipped" if untold else "passed", failures or untold, notes)


def _unknown_in(case: Case) -> Iterator[str]:
    for number, step in enumerate(case.steps, start=1):
        if problem := steps.unknown_in(step):
            yield f"step {number}: {problem}"
        entry_points = (entry_point_of(one) for one in nested([step]))
        yield from (
            f"step {number}: the entry point {one.title} is there, but the runner can't reach it"
            for one in entry_points
            if one and one.is_there and not one.reach
        )
    yield from (problem for check in case.checks if (problem := checks.unknown_in(check, len(case.steps))))


def _absent_for(case: Case, profile: str) -> Iterator[str]:
    for step in nested(case.steps):
        entry_point = entry_point_of(step)
        if entry_point and not entry_point.is_there:
            yield f"the entry point {entry_point.title} is not there yet"
        elif entry_point and profile not in entry_point.profiles:
            yield f"the profile {profile} has no {entry_point.title}"
        elif "fault" in step and profile == EMBEDDED and meets_index_writes(step["fault"]):
            yield "the index of the embedded profile lies in the store's file: its writes can't fail alone"


def _callers_of(case: Case) -> list[Any]:
    callers = [step["caller"] for step in nested(case.steps) if "caller" in step]
    return list({json.dumps(caller): caller for caller in callers}.values())


def _names_of(case: Case) -> set[str]:
    """Names that steps save; a name with the loop number in it, for every number that there is."""
    longest = max((step["repeat"] for step in nested(case.steps) if "repeat" in step), default=1)
    saves = [step["save"] for step in nested(case.steps) if "save" in step]
    try:
        names = {build(save, {}, number) for save in saves for number in range(longest)}
        return names | {name for step in nested(case.steps) for name in _streamed_names(step)}
    except (CannotBuild, KeyError, TypeError) as error:
        raise StepFailed(f"saves under a name that can't be built: {error}") from error


def _streamed_names(step: Mapping[str, Any]) -> Iterator[str]:
    """Names that the records of a ``stream`` step give to memories, also to those that can't be made."""
    records: list[Mapping[str, Any]] = step["stream"]["Records"] if "stream" in step else []
    for record in records:
        image: Mapping[str, Any] = record["dynamodb"].get("NewImage") or {}
        if "memory_id" in image:
            yield image["memory_id"]["S"]

"""Case files: JSON Lines, a case a line, with ``id``, ``title``, ``steps`` and ``checks``; other members are prose."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast


class UnreadableFile(Exception):
    """The file can't be read as cases; the message names the line."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is done, step by step, and what must hold afterwards."""

    id: str
    title: str
    steps: Sequence[Mapping[str, Any]]
    checks: Sequence[Mapping[str, Any]]


def read_cases(path: Path) -> list[Case]:
    """Every case of the file. Raises UnreadableFile."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path} can't be read: {error}") from error
    cases = [read_case(line, f"{path.name}, line {at}") for at, line in enumerate(lines, start=1) if line.strip()]
    if not cases or len({case.id for case in cases}) < len(cases):
        raise UnreadableFile(f"{path} holds no cases, or an id twice.")
    return cases


def read_case(line: str, place: str) -> Case:
    """One case. Raises UnreadableFile."""
    try:
        members: Any = json.loads(line)
        return Case(str(members["id"]), str(members["title"]), _rows(members["steps"]), _rows(members["checks"]))
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableFile(f"{place}: not a case ({type(error).__name__}: {error})") from error


def nested(steps: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """The steps and all that stand inside ``repeat`` and ``parallel``."""
    for step in steps:
        yield step
        yield from nested(inner_steps(step))


def inner_steps(step: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The steps that stand directly inside a step."""
    return step["parallel"] if "parallel" in step else [step["step"]] if "repeat" in step else []


def _rows(value: object) -> Sequence[Mapping[str, Any]]:
    rows = cast("list[object]", value)
    if not isinstance(value, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise TypeError("steps and checks are lists of objects, not empty")
    return cast("list[dict[str, Any]]", value)

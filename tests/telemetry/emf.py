"""The rules of CloudWatch's embedded metric format, as its specification states them."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

UNITS = {"Milliseconds", "Seconds", "Count", "None"}
DAY_MS = 86_400_000

Point = tuple[str, tuple[tuple[str, str], ...], str, float]
"""A metric's name, its dimensions with their values, its unit and its value."""


def points(line: Mapping[str, Any]) -> set[Point]:
    """What CloudWatch takes from the line. Fails where it would take nothing."""
    if "_aws" not in line:
        return set()
    metadata = line["_aws"]
    assert metadata.keys() == {"Timestamp", "CloudWatchMetrics"}
    assert type(metadata["Timestamp"]) is int and abs(metadata["Timestamp"] - 1000 * time.time()) < DAY_MS
    assert isinstance(metadata["CloudWatchMetrics"], list)
    found: list[Point] = [one for directive in metadata["CloudWatchMetrics"] for one in _of(line, directive)]
    assert len(found) == len(set(found)) > 0
    return set(found)


def _of(line: Mapping[str, Any], directive: Mapping[str, Any]) -> Sequence[Point]:
    assert directive.keys() == {"Namespace", "Dimensions", "Metrics"}
    assert isinstance(directive["Namespace"], str) and 1 <= len(directive["Namespace"]) <= 255
    assert 1 <= len(directive["Metrics"]) <= 100 and len(directive["Dimensions"]) >= 1
    return [_point(line, names, metric) for names in directive["Dimensions"] for metric in directive["Metrics"]]


def _point(line: Mapping[str, Any], names: Sequence[str], metric: Mapping[str, str]) -> Point:
    assert len(names) <= 9 and all(isinstance(line[name], str) and 1 <= len(line[name]) <= 255 for name in names)
    assert metric.keys() <= {"Name", "Unit"} and metric["Unit"] in UNITS
    value = line[metric["Name"]]
    assert type(value) in (int, float)
    return metric["Name"], tuple((name, line[name]) for name in names), metric["Unit"], value

"""Metrics in CloudWatch's embedded format: a log line that says which of its fields are metrics.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Unit = Literal["Milliseconds", "Seconds", "Count", "None"]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Fields of a line that are metrics, by name and with their units.

    ``dimensions``: sets of names of text fields; each set makes a metric of its own, the empty one a metric without.
    """

    units: Mapping[str, Unit]
    dimensions: Sequence[Sequence[str]] = ((),)


def embedded(namespace: str, parts: Iterable[Metrics]) -> dict[str, Any]:
    """The field that makes metrics of a line; nothing if no part has any."""
    directives = [
        {
            "Namespace": namespace,
            "Dimensions": [list(names) for names in part.dimensions],
            "Metrics": [{"Name": name, "Unit": unit} for name, unit in part.units.items()],
        }
        for part in parts
        if part.units
    ]
    if not directives:
        return {}
    return {"_aws": {"Timestamp": int(1000 * time.time()), "CloudWatchMetrics": directives}}

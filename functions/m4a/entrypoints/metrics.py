"""Metrics in CloudWatch's embedded format: a log line that says which of its fields are metrics.

https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

Unit = Literal["Milliseconds", "Seconds", "Count", "None"]
Directive = Mapping[str, Any]


def directive(namespace: str, units: Mapping[str, Unit], *dimensions: Sequence[str]) -> Directive:
    """Makes metrics of the line's fields that ``units`` names. ``dimensions``: sets of names of text fields; each makes
    a metric of its own, the empty one a metric without."""
    return {
        "Namespace": namespace,
        "Dimensions": [list(names) for names in dimensions],
        "Metrics": [{"Name": name, "Unit": unit} for name, unit in units.items()],
    }


def embedded(directives: Sequence[Directive]) -> dict[str, Any]:
    """The field that CloudWatch looks for in a line."""
    return {"_aws": {"Timestamp": int(1000 * time.time()), "CloudWatchMetrics": directives}}

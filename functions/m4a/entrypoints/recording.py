"""One log line for each operation, which is also where its metrics come from.

The line is a record of the standard library's logging with fields as ``extra``: the Lambda runtime writes them as JSON
members, where the function's log format is JSON. It names ids, codes, counts and times. No text that anybody sent is
in it, nor who it was: a field is taken from what this program knows, or it is an id of the form that ids have.
"""

import logging
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from m4a.adapters.timing import Stopwatch, measuring
from m4a.entrypoints.metrics import Unit, directive, embedded
from m4a.entrypoints.operations import CURRENT, OK, Operation
from m4a.settings import xray_trace_id

LOGGER = "m4a.operations"

logger = logging.getLogger(LOGGER)


@contextmanager
def recording(operation: Operation, namespace: str | None) -> Generator[Operation]:
    """Writes the operation's line when the block ends. ``namespace``: of its metrics; None for none."""
    began = perf_counter()
    token = CURRENT.set(operation)
    with measuring() as watch:
        try:
            yield operation
        finally:
            CURRENT.reset(token)
            if logger.isEnabledFor(logging.INFO):
                _write(operation, 1000 * (perf_counter() - began), watch, namespace)


def _write(operation: Operation, duration: float, watch: Stopwatch, namespace: str | None) -> None:
    stages = {str(name): round(milliseconds, 3) for name, milliseconds in watch.milliseconds().items()}
    fields: dict[str, Any] = {
        "entry_point": operation.entry_point,
        "operation": operation.name,
        "outcome": operation.outcome,
        "status": operation.status,
        "request_id": operation.request_id,
        "recall_id": operation.recall_id,
        "memory_id": operation.memory_id,
        "xray_trace_id": xray_trace_id(),
        "degraded": list(operation.degraded),
        "duration": round(duration, 3),
        **stages,
        **operation.more,
    }
    if namespace:
        fields |= _metrics(operation, stages, namespace)
    logger.info("operation", extra={name: value for name, value in fields.items() if value is not None})
    if namespace:
        _write_reasons(operation, namespace)


def _metrics(operation: Operation, stages: Mapping[str, float], namespace: str) -> dict[str, Any]:
    times: dict[str, Unit] = {"duration": "Milliseconds", **dict.fromkeys(stages, "Milliseconds")}
    directives = [directive(namespace, times, ("operation",))]
    if operation.gauges:
        directives.append(directive(namespace, operation.gauges, ()))
    if operation.outcome == OK:
        return embedded(directives)
    directives.append(directive(namespace, {"errors": "Count"}, ("code",)))
    return {"code": operation.outcome, "errors": 1, **embedded(directives)}


def _write_reasons(operation: Operation, namespace: str) -> None:
    """A line for each reason of a degraded answer, because a dimension has one value a line. The first of them counts
    the answer in the metric without a dimension too."""
    for number, reason in enumerate(dict.fromkeys(operation.degraded)):
        dimensions: Sequence[Sequence[str]] = ((), ("reason",)) if number == 0 else (("reason",),)
        fields = {
            "operation": operation.name,
            "request_id": operation.request_id,
            "reason": reason,
            "degraded": 1,
            **embedded([directive(namespace, {"degraded": "Count"}, *dimensions)]),
        }
        logger.info("degraded", extra={name: value for name, value in fields.items() if value is not None})

"""One log line for each operation, which is also where its metrics come from.

The line is a record of the standard library's logging with fields as ``extra``: the Lambda runtime writes them as JSON
members, where the function's log format is JSON. It names ids, codes, counts and times. No text that anybody sent is
in it, nor who it was: a field is taken from what this program knows, or it is an id of the form that ids have.
"""

import logging
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from m4a.adapters.timing import Stopwatch, measuring
from m4a.domain.errors import M4AError
from m4a.domain.ids import is_ulid
from m4a.entrypoints.metrics import Unit, directive, embedded
from m4a.settings import xray_trace_id

OK = "ok"
UNKNOWN = "unknown"
LOGGER = "m4a.operations"

logger = logging.getLogger(LOGGER)


@dataclass(kw_only=True)
class Operation:
    """What is known of an operation so far. ``outcome``: ``ok``, or the code of the error that was answered.

    ``more``: fields beside those of every operation. ``gauges``: those of them that are metrics, without a dimension.
    """

    entry_point: str
    name: str = UNKNOWN
    request_id: str | None = None
    outcome: str = OK
    status: int | None = None
    recall_id: str | None = None
    memory_id: str | None = None
    degraded: tuple[str, ...] = ()
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    gauges: dict[str, Unit] = field(default_factory=dict[str, Unit])

    def note_ids(self, fields: Mapping[str, Any]) -> None:
        """Takes the ids among arguments, path parameters or an answer. What does not look like one is not taken."""
        for name in ("recall_id", "memory_id"):
            value: object = fields.get(name)
            if isinstance(value, str) and is_ulid(value):
                setattr(self, name, value)


_CURRENT: ContextVar[Operation | None] = ContextVar("m4a_operation", default=None)


@contextmanager
def recording(operation: Operation, namespace: str | None) -> Generator[Operation]:
    """Writes the operation's line when the block ends. ``namespace``: of its metrics; None for none."""
    began = perf_counter()
    token = _CURRENT.set(operation)
    with measuring() as watch:
        try:
            yield operation
        finally:
            _CURRENT.reset(token)
            if logger.isEnabledFor(logging.INFO):
                _write(operation, 1000 * (perf_counter() - began), watch, namespace)


def current() -> Operation | None:
    """The operation that this context works on; none where nobody records, as in the command."""
    return _CURRENT.get()


def note_error(error: M4AError) -> None:
    """The operation, if one is recorded, was answered with this error."""
    if operation := current():
        operation.outcome = error.code


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

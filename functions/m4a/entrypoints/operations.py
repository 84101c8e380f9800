"""What is known of an operation while it runs: of its line in the log, see ``recording``."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from m4a.domain.errors import M4AError
from m4a.domain.ids import is_ulid
from m4a.entrypoints.metrics import Unit

OK = "ok"
UNKNOWN = "unknown"


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


CURRENT: ContextVar[Operation | None] = ContextVar("m4a_operation", default=None)


def current() -> Operation | None:
    """The operation that this context works on; none where nobody records, as in the command."""
    return CURRENT.get()


def note_error(error: M4AError) -> None:
    """The operation, if one is recorded, was answered with this error."""
    if operation := current():
        operation.outcome = error.code

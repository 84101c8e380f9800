"""Every error that M4A answers with.

M4AError
├── InvalidInput        invalid_input     a field is wrong; names it and what is allowed
├── Unauthenticated     unauthenticated   no verified identity
├── Forbidden           forbidden         a verified identity without the right
├── NotFound            not_found         no such thing for this owner
├── Conflict            conflict          the state does not allow it; ``reason`` says why, ``current`` what there is
├── TooLarge            too_large         more bytes than an entry point takes
├── Throttled           throttled         too much at once; try again after ``retry_after`` seconds
├── Unavailable         unavailable       a backend is down; try again after ``retry_after`` seconds
│   └── PartlyRead      unavailable       some of what was asked for could not be read; carries the rest
└── Internal            internal          a fault of ours; carries a request id and no other text

``code`` is stable and belongs to the contract. Messages are safe to show to a model: they never hold memory text,
queries, or the text of another exception.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, ClassVar, Literal

ConflictReason = Literal["version", "duplicate", "idempotency", "forgotten"]


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """What is wrong with one field: its name, a sentence, and the values that are allowed."""

    field: str
    message: str
    allowed: str | None = None


class M4AError(Exception):
    """Base of all errors that M4A raises on purpose."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def details(self) -> dict[str, Any]:
        """Members for the answer beside ``code`` and ``message``."""
        return {}


class InvalidInput(M4AError):
    """The input breaks a rule of the contract."""

    code = "invalid_input"

    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__("; ".join(f"{p.field}: {p.message}" for p in problems))
        self.problems = tuple(problems)

    @classmethod
    def of(cls, field: str, message: str, allowed: str | None = None) -> "InvalidInput":
        return cls([FieldProblem(field, message, allowed)])

    def details(self) -> dict[str, Any]:
        rows = [{"field": p.field, "message": p.message, "allowed": p.allowed} for p in self.problems]
        return {"errors": [{k: v for k, v in row.items() if v is not None} for row in rows]}


class Unauthenticated(M4AError):
    """The caller's identity is missing, blank or not verified."""

    code = "unauthenticated"


class Forbidden(M4AError):
    """The caller is known but may not do this."""

    code = "forbidden"


class NotFound(M4AError):
    """There is no such thing for this owner. Another owner's id gives the same answer as an unknown one."""

    code = "not_found"


class Conflict(M4AError):
    """The present state does not allow the change."""

    code = "conflict"

    def __init__(self, message: str, reason: ConflictReason, current: Any = None, memory_id: str | None = None) -> None:
        """``current``: the memory as it is now, which the tools layer turns into plain values."""
        super().__init__(message)
        self.reason: ConflictReason = reason
        self.current = current
        self.memory_id = memory_id

    def details(self) -> dict[str, Any]:
        members = {"reason": self.reason, "memory_id": self.memory_id, "current": self.current}
        return {key: value for key, value in members.items() if value is not None}


class TooLarge(M4AError):
    """The request or the answer has more bytes than allowed."""

    code = "too_large"


class _Retryable(M4AError):
    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def details(self) -> dict[str, Any]:
        return {"retry_after": self.retry_after}


class Throttled(_Retryable):
    """Too much at once; nothing was changed."""

    code = "throttled"


class Unavailable(_Retryable):
    """A backend did not answer."""

    code = "unavailable"


class PartlyRead(Unavailable):
    """Some of several memories could not be read. Who can do with the others finds them here."""

    def __init__(self, message: str, found: Mapping[str, Any], unread: frozenset[str]) -> None:
        """``found``: the memories that were read, by id. ``unread``: ids of those that were not, gone or not."""
        super().__init__(message)
        self.found = found
        self.unread = unread


class Internal(M4AError):
    """A fault of ours."""

    code = "internal"


def place_of(error: BaseException) -> str:
    """File and line that raised it, which may be logged where its text may not."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"{PurePath(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "no known place"

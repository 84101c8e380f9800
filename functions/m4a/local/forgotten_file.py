"""What was forgotten as a file: format m4a-forgotten/1, JSON Lines, without any content of memories.

The first line is ``{"format": "m4a-forgotten/1", …}``, the last one ``{"records": n}``, by which a file that was cut
off is known. Every other line says whose it is and holds a ``receipt``, or an ``erasure`` of all that the owner had.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BeforeValidator

from m4a.domain.errors import InvalidInput
from m4a.domain.memory import MAX_REASON_CHARS
from m4a.domain.owner import MAX_TENANT_CHARS, MAX_USER_CHARS, Owner
from m4a.domain.records import AuditEvent, Receipt
from m4a.domain.strict_json import parse_object
from m4a.domain.times import format_instant
from m4a.tools.inputs import ToolInput, read
from m4a.tools.reading import read_text, refuse, whole
from m4a.tools.transfer import Instant, Ulid

FORMAT = "m4a-forgotten/1"
ALLOWED = "a line that m4a admin receipts has written"


class Record(NamedTuple):
    """One forget of a memory, or one erasure of all that an owner had, and its owner."""

    owner: Owner
    what: Receipt | AuditEvent


class BadLine(NamedTuple):
    """A line that could not be read, by its number from 1, or the end of the file."""

    line: int
    problem: InvalidInput


def lines_of(records: Iterable[tuple[Owner, Receipt | AuditEvent]], now: datetime) -> Iterator[bytes]:
    """The file, line by line."""
    yield _line({"format": FORMAT, "written_at": format_instant(now)})
    count = 0
    for count, (owner, what) in enumerate(records, start=1):  # noqa: B007
        kind, model = ("receipt", _Receipt) if isinstance(what, Receipt) else ("erasure", _Erasure)
        values = {name: getattr(what, name) for name in model.model_fields}
        shown = {name: format_instant(one) if isinstance(one, datetime) else one for name, one in values.items()}
        yield _line({"owner_key": owner.key, "tenant": owner.tenant, "user": owner.user, kind: shown})
    yield _line({"records": count})


def read_records(lines: Iterable[bytes]) -> Iterator[Record | BadLine]:
    """The records, and the lines that are none. A file that does not end as it should is a bad line too."""
    number = began = 0
    ended = True
    for number, line in enumerate(lines, start=1):
        try:
            fields = parse_object(line)
            if "format" in fields:
                _check_format(fields)
                began, ended = number, False
            elif "records" in fields:
                ended = True
                _check_count(fields, number - began - 1)
            else:
                yield read(_Line, fields).record()
        except InvalidInput as error:
            yield BadLine(number, error)
    if not ended or not began:
        yield BadLine(number + 1, InvalidInput.of("file", "ends too early", "a whole file: its last line counts all"))


def _check_format(fields: Mapping[str, object]) -> None:
    if fields["format"] != FORMAT:
        raise InvalidInput.of("format", "is not one that can be replayed", FORMAT)


def _check_count(fields: Mapping[str, object], found: int) -> None:
    if fields["records"] != found:
        raise InvalidInput.of("records", f"is not the number of lines before it, which is {found:,}", "a whole file")


def _at_most(most: int) -> Callable[[object], str]:
    def check(value: object) -> str:
        text = read_text(value)
        return text if len(text) <= most else refuse(f"has {len(text):,} characters", f"at most {most:,} characters")

    return check


_MAX_COUNT = 9_999_999_999
"""An imported memory may have nine digits of versions, from which it is counted on."""
_Count = Annotated[int, BeforeValidator(whole(0, _MAX_COUNT))]
_User = Annotated[str, BeforeValidator(_at_most(MAX_USER_CHARS))]
_Tenant = Annotated[str, BeforeValidator(_at_most(MAX_TENANT_CHARS))]
_Reason = Annotated[str, BeforeValidator(_at_most(MAX_REASON_CHARS))]
_Name = Annotated[str, BeforeValidator(_at_most(1_000))]


def _in_range(moment: datetime) -> datetime:
    """So that the times that follow from it, when something expires, are times too."""
    return (
        moment if moment.year < _FIRST_YEAR_BEYOND else refuse("is too late", f"before the year {_FIRST_YEAR_BEYOND}")
    )


_FIRST_YEAR_BEYOND = 9000
_Moment = Annotated[Instant, AfterValidator(_in_range)]


class _Receipt(ToolInput):
    memory_id: Ulid
    change_id: Ulid
    forgotten_at: _Moment
    reason: _Reason
    actor: _User
    version: _Count
    versions_erased: _Count


class _Erasure(ToolInput):
    change_id: Ulid
    at: _Moment
    actor: _User
    entry_point: _Name
    request_id: _Name
    reason: _Reason | None = None


class _Line(ToolInput):
    owner_key: str
    tenant: _Tenant
    user: _User
    receipt: _Receipt | None = None
    erasure: _Erasure | None = None

    def record(self) -> Record:
        """Raises InvalidInput for a line that is not whole."""
        owner = Owner(self.tenant, self.user)
        if self.owner_key != owner.key:
            raise InvalidInput.of("owner_key", "is not that of this tenant and user", ALLOWED)
        if self.receipt and not self.erasure:
            return Record(owner, Receipt(**_values(self.receipt)))
        if self.erasure and not self.receipt:
            return Record(owner, AuditEvent(operation="erase", outcome="answered", **_values(self.erasure)))
        raise InvalidInput.of("line", "holds neither a receipt nor an erasure, or both", ALLOWED)


def _values(model: ToolInput) -> dict[str, Any]:
    return {name: getattr(model, name) for name in type(model).model_fields}


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"

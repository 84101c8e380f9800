"""Memories as lines of an export, and back: format m4a-export/1, JSON Lines.

The first line is ``{"format": "m4a-export/1", …}``; every other line is one memory, with its earlier versions under
``history``, newest first. An import takes the same lines, and lines that hold no more than ``content``.
"""

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field

from m4a.application.exporting import EXPORT_FORMAT
from m4a.application.importing import ImportMemory
from m4a.domain.errors import InvalidInput
from m4a.domain.ids import is_ulid
from m4a.domain.memory import MAX_HISTORY, Memory, Version
from m4a.domain.strict_json import read_object
from m4a.domain.times import ALLOWED_TIME, format_instant, parse_instant
from m4a.tools.fields import Content, Expiry, Kind, Source, Tags, VersionNumber, Weight, When
from m4a.tools.inputs import ToolInput, read
from m4a.tools.plain import memory_fields, version_fields
from m4a.tools.reading import read_text, refuse

LINE = "one JSON object a line: a memory, or the first line of an export"
MAX_LINE_BYTES = 5_000_000


def export_header(now: datetime) -> dict[str, Any]:
    """The first line of an export."""
    return {"format": EXPORT_FORMAT, "exported_at": format_instant(now)}


def export_line(memory: Memory, history: tuple[Version, ...]) -> dict[str, Any]:
    """One memory as a line of an export."""
    fields = memory_fields(memory)
    return {**fields, "history": [version_fields(version) for version in history]} if history else fields


def read_lines(
    lines: Iterable[str | bytes], first: int = 1
) -> tuple[list[tuple[int, ImportMemory]], list[dict[str, Any]]]:
    """Lines to entries with their line numbers, counted from ``first``; and the numbers and problems of the others."""
    entries: list[tuple[int, ImportMemory]] = []
    failed: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=first):
        try:
            entry = import_line(_without_mark(line) if number == 1 else line)
            if entry:
                entries.append((number, entry))
        except InvalidInput as error:
            failed.append({"line": number, **error.details()})
    return entries, failed


def _without_mark(line: str | bytes) -> str | bytes:
    """Without the byte order mark that some programs begin a file with."""
    return line.removeprefix(codecs.BOM_UTF8) if isinstance(line, bytes) else line.removeprefix("\ufeff")


def import_line(line: str | bytes) -> ImportMemory | None:
    """Reads one line; None for a blank one and for the first line of an export. Raises InvalidInput."""
    if len(line) > MAX_LINE_BYTES:
        raise InvalidInput.of("line", f"has more than {MAX_LINE_BYTES:,} bytes", LINE)
    if not line.strip():
        return None
    fields = _object(line)
    if "format" in fields:
        if fields["format"] != EXPORT_FORMAT:
            raise InvalidInput.of("format", "is not one that can be imported", EXPORT_FORMAT)
        return None
    return read(_ImportLine, fields).command()


def _object(line: str | bytes) -> Mapping[str, Any]:
    try:
        return read_object(line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass"))
    except InvalidInput as error:
        problems = [replace(one, field="line", allowed=LINE) if one.field == "body" else one for one in error.problems]
        raise InvalidInput(problems) from None


def _read_instant(value: object) -> datetime:
    try:
        return parse_instant(read_text(value, ALLOWED_TIME))
    except ValueError:
        refuse("can't be read as an instant", ALLOWED_TIME)


def _read_id(value: object) -> str:
    text = read_text(value)
    return text if is_ulid(text) else refuse("is not an id of M4A", "a ULID, or no memory_id")


def _read_history(value: object) -> object:
    allowed = f"a list of at most {MAX_HISTORY} earlier versions, each an object"
    rows = cast("list[object]", value) if isinstance(value, list) else refuse("is not a list", allowed)
    if len(rows) > MAX_HISTORY:
        refuse(f"has {len(rows)} versions", allowed)
    return rows if all(isinstance(row, dict) for row in rows) else refuse("has a version that is no object", allowed)


Instant = Annotated[datetime, BeforeValidator(_read_instant)]
Ulid = Annotated[str, BeforeValidator(_read_id)]


class _VersionFields(ToolInput):
    content: Content
    type: Kind = "fact"
    importance: Weight = "medium"
    tags: Tags = ()
    source: Source | None = None
    event_time: When | None = None
    expires_at: Expiry | None = None
    version: VersionNumber = 1


class _HistoryLine(_VersionFields):
    updated_at: Instant
    replaced_at: Instant

    def version_of(self, memory_id: str) -> Version:
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return Version(memory_id=memory_id, **values)


class _ImportLine(_VersionFields):
    memory_id: Ulid | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    history: Annotated[list[_HistoryLine], BeforeValidator(_read_history)] = Field(default_factory=list[_HistoryLine])

    def command(self) -> ImportMemory:
        values = {name: getattr(self, name) for name in type(self).model_fields if name != "history"}
        history = tuple(version.version_of(self.memory_id or "") for version in self.history)
        if any(one.version >= self.version for one in history) or len({one.version for one in history}) < len(history):
            raise InvalidInput.of("history", "has versions out of order", "each version once, below the memory's own")
        return ImportMemory(**values, history=history)

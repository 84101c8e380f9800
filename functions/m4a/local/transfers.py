"""Whole exports and imports, as many pages as they take."""

import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from m4a.application.importing import Imported, import_memories
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput
from m4a.domain.owner import Caller
from m4a.entrypoints.http import to_json
from m4a.local.files import batches, read_from, written
from m4a.local.progress import progress
from m4a.tools.answers import SHOWN_FAILURES, export_rows, import_answer
from m4a.tools.transfer import LINE, read_lines


def export_all(service: Service, caller: Caller, target: Path | None, *, quiet: bool) -> int:
    """Writes all memories of the caller to the file, or to stdout; answers how many. Raises InvalidInput."""
    count = 0
    cursor: str | None = None
    quiet = quiet or (target is None and sys.stdout.isatty())
    with written(target) as stream, progress("Exporting", "memories", quiet=quiet) as advance:
        while True:
            rows, cursor = export_rows(service, caller, cursor)
            stream.write("".join(to_json(row) + "\n" for row in rows).encode())
            count += sum("memory_id" in row for row in rows)
            advance(count, count, None if cursor else count)
            if cursor is None:
                return count


def import_all(service: Service, caller: Caller, source: Path, *, quiet: bool) -> dict[str, Any]:
    """Stores all memories that the file holds; answers as the import over HTTP does. Raises InvalidInput."""
    lines = LineImport(service, caller)
    with read_from(source) as (stream, size), progress("Importing", "lines", quiet=quiet) as advance:
        done = 0
        for batch in batches(stream):
            lines.add(batch)
            done += sum(map(len, batch))
            advance(lines.count, done, size)
    if not lines.count:
        raise InvalidInput.of("file", "is empty", LINE)
    return lines.answer()


class LineImport:
    """Imports lines as they come, and counts."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._service = service
        self._caller = caller
        self._total = Imported(done=0)
        self._failed = 0
        self._failures: list[dict[str, Any]] = []
        self.count = 0
        """Lines so far."""

    def add(self, lines: Sequence[bytes]) -> None:
        """Imports the next lines; those that can't be read are noted."""
        entries, failed = read_lines(lines, self.count + 1)
        waiting = [entry for _, entry in entries]
        while waiting:
            result = import_memories(self._service, self._caller, waiting)
            self._total = _sum(self._total, result)
            waiting = waiting[result.done :]
        self.count += len(lines)
        self._failed += len(failed)
        self._failures = (self._failures + failed)[:SHOWN_FAILURES]

    def answer(self) -> dict[str, Any]:
        """What was done with all lines so far."""
        return import_answer(self.count, self._total, self._failed, self._failures, None)


def _sum(left: Imported, right: Imported) -> Imported:
    return Imported(**{one.name: getattr(left, one.name) + getattr(right, one.name) for one in fields(Imported)})

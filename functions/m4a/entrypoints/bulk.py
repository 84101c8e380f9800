"""Routes that move or erase everything of one owner, in pages: each call does as much as one may take."""

from m4a.application.importing import import_memories
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput
from m4a.domain.owner import Caller
from m4a.entrypoints.http import MAX_IMPORT_BYTES, NDJSON, Request, Response, to_json
from m4a.entrypoints.routes import Route
from m4a.tools.answer_models import EraseOutput, ImportOutput
from m4a.tools.answers import erase_answer, export_rows, import_answer
from m4a.tools.export.operations import Operation
from m4a.tools.inputs import read
from m4a.tools.queries import EraseQuery, ExportQuery
from m4a.tools.transfer import LINE, read_lines

NEXT_HEADER = "m4a-next"


def _export(service: Service, caller: Caller, request: Request) -> Response:
    rows, cursor = export_rows(service, caller, read(ExportQuery, request.query).cursor)
    headers = {"content-type": NDJSON, **({NEXT_HEADER: cursor} if cursor else {})}
    return Response(headers=headers, body="".join(to_json(row) + "\n" for row in rows))


def _import(service: Service, caller: Caller, request: Request) -> Response:
    lines = _lines(request.body(NDJSON, MAX_IMPORT_BYTES))
    entries, failed = read_lines(lines)
    result = import_memories(service, caller, [entry for _, entry in entries])
    next_line = entries[result.done][0] if result.done < len(entries) else None
    failed = [row for row in failed if next_line is None or row["line"] < next_line]
    total = len(lines) - (not lines[-1])
    return Response.json(import_answer(total, result, len(failed), failed, next_line))


def _lines(body: bytes) -> list[str]:
    try:
        lines = body.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise InvalidInput.of("body", "is not valid UTF-8", LINE) from None
    if not body.strip():
        raise InvalidInput.of("body", "is empty", LINE)
    return lines


def _erase(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(erase_answer(service, caller, read(EraseQuery, request.query).confirm))


ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/export",
        _export,
        Operation(
            id="exportMemories",
            summary="A page of an export, as JSON Lines",
            query=ExportQuery,
            answer_type=NDJSON,
            answer_headers={NEXT_HEADER: "Where the next page goes on; not there at the end."},
        ),
    ),
    Route(
        "POST",
        "/import",
        _import,
        Operation(
            id="importMemories",
            summary="Takes lines of an export, or lines that hold no more than content",
            body_type=NDJSON,
            answer=ImportOutput,
        ),
    ),
    Route(
        "DELETE",
        "/memories",
        _erase,
        Operation(
            id="eraseMemories",
            summary="Erases everything of this user",
            description="Works for as long as one call may take; call it again while next is set.",
            query=EraseQuery,
            answer=EraseOutput,
        ),
    ),
)

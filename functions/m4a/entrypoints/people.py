"""The routes for people and programs: everything over HTTPS that is not a tool."""

from typing import Any

from m4a.application.erasing import erase
from m4a.application.exporting import export_page
from m4a.application.forget import receipt_of
from m4a.application.importing import ImportMemory, import_memories
from m4a.application.listing import history, list_memories, show
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput, NotFound
from m4a.domain.ids import is_ulid
from m4a.domain.owner import Caller
from m4a.domain.times import format_instant
from m4a.entrypoints.http import MAX_IMPORT_BYTES, NDJSON, Request, Response, to_json
from m4a.entrypoints.routes import Route
from m4a.tools.inputs import read
from m4a.tools.outputs import ReceiptOutput, audit_fields, memory_fields, version_fields
from m4a.tools.queries import AuditQuery, EraseQuery, ExportQuery, ListQuery
from m4a.tools.transfer import LINE, export_header, export_line, import_line

NEXT_HEADER = "m4a-next"
SHOWN_FAILURES = 100


def _list(service: Service, caller: Caller, request: Request) -> Response:
    asked = read(ListQuery, request.query)
    page = list_memories(service, caller, asked.filters(), asked.cursor, asked.limit)
    return Response.json({"memories": [memory_fields(one) for one in page.items], "next": page.next})


def _show(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(memory_fields(show(service, caller, request.params["memory_id"])))


def _history(service: Service, caller: Caller, request: Request) -> Response:
    memory, versions = history(service, caller, request.params["memory_id"])
    return Response.json({"memory": memory_fields(memory), "history": [version_fields(one) for one in versions]})


def _audit(service: Service, caller: Caller, request: Request) -> Response:
    asked = read(AuditQuery, request.query)
    page = service.log.audit(caller.owner, asked.cursor, asked.limit)
    return Response.json({"events": [audit_fields(one) for one in page.items], "next": page.next})


def _recall(service: Service, caller: Caller, request: Request) -> Response:
    recall_id = request.params["recall_id"]
    trace = service.log.trace(caller.owner, recall_id) if is_ulid(recall_id) else None
    if trace is None:
        raise NotFound("There is no recall with this id.")
    asked = dict(trace.asked) or None
    return Response.json({"recall_id": recall_id, "at": format_instant(trace.at), "asked": asked, **trace.body})


def _receipt(service: Service, caller: Caller, request: Request) -> Response:
    receipt = receipt_of(service, caller, request.params["memory_id"])
    return Response.json(ReceiptOutput.of(receipt).model_dump())


def _export(service: Service, caller: Caller, request: Request) -> Response:
    page = export_page(service, caller, read(ExportQuery, request.query).cursor)
    rows = [export_line(memory, versions) for memory, versions in page.memories]
    if page.first:
        rows.insert(0, export_header(service.clock.now()))
    headers = {"content-type": NDJSON, **({NEXT_HEADER: page.next} if page.next else {})}
    return Response(headers=headers, body="".join(to_json(row) + "\n" for row in rows))


def _import(service: Service, caller: Caller, request: Request) -> Response:
    entries, failed, total = _read_lines(request.body(NDJSON, MAX_IMPORT_BYTES))
    result = import_memories(service, caller, [entry for _, entry in entries])
    next_line = entries[result.done][0] if result.done < len(entries) else None
    failed = [row for row in failed if next_line is None or row["line"] < next_line]
    counts = {name: getattr(result, name) for name in ("created", "existing", "expired", "renamed", "not_embedded")}
    answer = {"lines": total, **counts, "failed": len(failed), "failures": failed[:SHOWN_FAILURES], "next": next_line}
    return Response.json(answer)


def _read_lines(body: bytes) -> tuple[list[tuple[int, ImportMemory]], list[dict[str, Any]], int]:
    """The entries with their line numbers, from 1; what could not be read; the number of lines."""
    try:
        lines = body.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise InvalidInput.of("body", "is not valid UTF-8", LINE) from None
    if not body.strip():
        raise InvalidInput.of("body", "is empty", LINE)
    entries: list[tuple[int, ImportMemory]] = []
    failed: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        try:
            entry = import_line(line)
            if entry:
                entries.append((number, entry))
        except InvalidInput as error:
            failed.append({"line": number, **error.details()})
    return entries, failed, len(lines) - (not lines[-1])


def _erase(service: Service, caller: Caller, request: Request) -> Response:
    if read(EraseQuery, request.query).confirm != caller.owner.user:
        raise InvalidInput.of("confirm", "is not the id of this user", "the user id whose memories are to be erased")
    result = erase(service, caller, "everything of this owner was erased")
    return Response.json({"erased": result.erased, "next": None if result.done else "again"})


ROUTES: tuple[Route, ...] = (
    Route("GET", "/memories", _list),
    Route("DELETE", "/memories", _erase),
    Route("GET", "/memories/{memory_id}", _show),
    Route("GET", "/memories/{memory_id}/history", _history),
    Route("GET", "/receipts/{memory_id}", _receipt),
    Route("GET", "/recalls/{recall_id}", _recall),
    Route("GET", "/audit", _audit),
    Route("GET", "/export", _export),
    Route("POST", "/import", _import),
)

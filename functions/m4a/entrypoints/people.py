"""The routes for people and programs: everything over HTTPS that is not a tool."""

from m4a.application.forget import receipt_of
from m4a.application.importing import import_memories
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput, NotFound
from m4a.domain.ids import is_ulid
from m4a.domain.owner import Caller
from m4a.domain.times import format_instant
from m4a.entrypoints.http import MAX_IMPORT_BYTES, NDJSON, Request, Response, to_json
from m4a.entrypoints.routes import Route
from m4a.tools.answers import erase_answer, export_rows, history_answer, import_answer, list_answer, show_answer
from m4a.tools.inputs import read
from m4a.tools.outputs import ReceiptOutput, audit_fields
from m4a.tools.queries import AuditQuery, EraseQuery, ExportQuery, ListQuery
from m4a.tools.transfer import LINE, read_lines

NEXT_HEADER = "m4a-next"


def _list(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(list_answer(service, caller, read(ListQuery, request.query)))


def _show(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(show_answer(service, caller, request.params["memory_id"]))


def _history(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(history_answer(service, caller, request.params["memory_id"]))


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

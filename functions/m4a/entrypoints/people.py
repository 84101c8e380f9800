"""The routes for people and programs: everything over HTTPS that is not a tool."""

import hashlib

from m4a.application.forget import receipt_of
from m4a.application.service import Service
from m4a.domain.errors import NotFound
from m4a.domain.ids import is_ulid
from m4a.domain.owner import Caller
from m4a.domain.times import format_instant
from m4a.entrypoints.http import JSON, Request, Response, to_json
from m4a.entrypoints.routes import Route
from m4a.tools.answer_models import (
    AuditOutput,
    ContextOutput,
    HistoryOutput,
    ListOutput,
    PromptOutput,
    TraceOutput,
)
from m4a.tools.answers import (
    context_answer,
    history_answer,
    list_answer,
    show_answer,
)
from m4a.tools.export.operations import Operation
from m4a.tools.inputs import read
from m4a.tools.outputs import MemoryOutput, ReceiptOutput
from m4a.tools.plain import audit_fields
from m4a.tools.prompt import system_prompt
from m4a.tools.queries import AuditQuery, ContextQuery, ListQuery


def _list(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(list_answer(service, caller, read(ListQuery, request.query)))


def _show(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(show_answer(service, caller, request.params["memory_id"]))


def _history(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(history_answer(service, caller, request.params["memory_id"]))


def _context(service: Service, caller: Caller, request: Request) -> Response:
    """The same bytes for the same memories: a client that has them is told so by its ETag."""
    body = to_json(context_answer(service, caller, read(ContextQuery, request.query).max_tokens))
    tag = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(304, headers)
    return Response(headers={"content-type": JSON, **headers}, body=body)


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


def _prompt(_service: Service, _caller: Caller, _request: Request) -> Response:
    return Response.json({"prompt": system_prompt()})


ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/memories",
        _list,
        Operation(id="listMemories", summary="A page of memories, newest first", query=ListQuery, answer=ListOutput),
    ),
    Route(
        "GET",
        "/memories/{memory_id}",
        _show,
        Operation(id="showMemory", summary="One memory", answer=MemoryOutput),
    ),
    Route(
        "GET",
        "/memories/{memory_id}/history",
        _history,
        Operation(id="showHistory", summary="A memory and its earlier versions", answer=HistoryOutput),
    ),
    Route(
        "GET",
        "/receipts/{memory_id}",
        _receipt,
        Operation(id="showReceipt", summary="The receipt of a forgotten memory", answer=ReceiptOutput),
    ),
    Route(
        "GET",
        "/recalls/{recall_id}",
        _recall,
        Operation(id="showRecall", summary="The trace of a recall", answer=TraceOutput),
    ),
    Route(
        "GET",
        "/context",
        _context,
        Operation(
            id="showContext",
            summary="The core block: what must never be missed, for a system prompt",
            query=ContextQuery,
            headers={"If-None-Match": "The ETag of an earlier answer: the same text is answered with 304."},
            answer=ContextOutput,
            answer_headers={"ETag": "Of this text."},
        ),
    ),
    Route(
        "GET",
        "/audit",
        _audit,
        Operation(id="listAudit", summary="A page of audit events, newest first", query=AuditQuery, answer=AuditOutput),
    ),
    Route(
        "GET",
        "/prompt",
        _prompt,
        Operation(id="showPrompt", summary="How to use the tools, for a system prompt", answer=PromptOutput),
    ),
)

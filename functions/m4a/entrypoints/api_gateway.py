"""The HTTPS entry point: payload 2.0 events of an API Gateway HTTP API."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import m4a
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput
from m4a.domain.owner import Caller, Owner
from m4a.entrypoints.http import Request, Response, read_request, request_id_of
from m4a.entrypoints.identity import ON_BEHALF_OF, caller_of
from m4a.entrypoints.people import ROUTES as PEOPLE_ROUTES
from m4a.entrypoints.routes import Route, Router
from m4a.tools import call_tool

ENTRY_POINT = "https"
NOBODY = Caller(owner=Owner("", ""), actor="", entry_point=ENTRY_POINT, request_id="")
"""The caller of public routes: an owner that no verified identity can be."""


def respond(service: Service, event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answers one event. Every error becomes problem details; nothing is raised."""
    request_id = request_id_of(event, context)
    try:
        response = _run(service, read_request(event, context))
        payload = response.to_event(request_id)
    except Exception as error:  # noqa: BLE001 the edge: whatever it is, the client gets an answer
        payload = Response.problem(error, request_id).to_event(request_id)
    return payload


def _run(service: Service, request: Request) -> Response:
    route, params = _ROUTER.find(request)
    caller = NOBODY if route.public else _caller(service, request)
    return route.run(service, caller, replace(request, params=params))


def _caller(service: Service, request: Request) -> Caller:
    return caller_of(
        request.claims,
        request.headers.get(ON_BEHALF_OF),
        tenant_claim=service.tenant_claim,
        entry_point=ENTRY_POINT,
        request_id=request.request_id,
    )


def _call_tool(name: str, service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(call_tool(service, caller, name, request.json_object()))


def _remember(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(call_tool(service, caller, "remember", _with_idempotency_key(request)))


def _with_idempotency_key(request: Request) -> dict[str, object]:
    """The body, with the key that the header Idempotency-Key names."""
    arguments = request.json_object()
    key = request.headers.get("idempotency-key")
    if key is None:
        return arguments
    if arguments.get("idempotency_key") not in (None, key):
        raise InvalidInput.of("idempotency_key", "differs between the header Idempotency-Key and the body")
    return {**arguments, "idempotency_key": key}


def _health(_service: Service, _caller: Caller, _request: Request) -> Response:
    return Response.json({"status": "ok", "version": m4a.__version__})


ROUTES: tuple[Route, ...] = (
    Route("POST", "/tools/remember", _remember),
    Route("POST", "/tools/recall", partial(_call_tool, "recall")),
    Route("POST", "/tools/update_memory", partial(_call_tool, "update_memory")),
    Route("POST", "/tools/forget", partial(_call_tool, "forget")),
    Route("GET", "/health", _health, public=True),
    *PEOPLE_ROUTES,
)
_ROUTER = Router(ROUTES)

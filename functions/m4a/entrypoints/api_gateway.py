"""The HTTPS entry point: payload 2.0 events of an API Gateway HTTP API."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import m4a
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput, NotFound
from m4a.domain.owner import Caller, Owner
from m4a.entrypoints.bulk import ROUTES as BULK_ROUTES
from m4a.entrypoints.http import Request, Response, read_request, request_id_of
from m4a.entrypoints.identity import ON_BEHALF_OF, caller_of
from m4a.entrypoints.operations import Operation as Recorded
from m4a.entrypoints.operations import current
from m4a.entrypoints.people import ROUTES as PEOPLE_ROUTES
from m4a.entrypoints.protected_resource import MCP_PATH
from m4a.entrypoints.protected_resource import ROUTES as SIGN_IN_ROUTES
from m4a.entrypoints.recording import recording
from m4a.entrypoints.routes import Route, Router, Run
from m4a.entrypoints.time_left import in_time
from m4a.entrypoints.tool_calls import run_tool
from m4a.tools import TOOLS
from m4a.tools.answer_models import HealthOutput
from m4a.tools.export import EXPORTS, OPENAPI, tool_path
from m4a.tools.export.openapi import openapi
from m4a.tools.export.operations import Operation
from m4a.tools.inputs import read
from m4a.tools.queries import NoQuery, ToolsQuery

ENTRY_POINT = "https"
NOBODY = Caller(owner=Owner("", ""), actor="", entry_point=ENTRY_POINT, request_id="")
"""The caller of public routes: an owner that no verified identity can be."""
PREFLIGHT = "OPTIONS /{proxy+}"
"""Route of what a browser asks before a page of another site calls. Only the API knows whom to allow, and says it."""


def respond(service: Service, event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answers one event. Every error becomes problem details; nothing is raised."""
    request_id = request_id_of(event, context)
    recorded = Recorded(entry_point=ENTRY_POINT, request_id=request_id)
    with recording(recorded, service.metrics_namespace), in_time(context):
        try:
            response = _run(service, read_request(event, context))
            payload = response.to_event(request_id)
        except Exception as error:  # noqa: BLE001 the edge: whatever it is, the client gets an answer
            payload = Response.problem(error, request_id).to_event(request_id)
        recorded.status = payload["statusCode"]
    return payload


def _run(service: Service, request: Request) -> Response:
    if request.route_key == PREFLIGHT:
        return Response(204)
    route, params = _ROUTER.find(request)
    if recorded := current():
        recorded.name = route.operation.id
        recorded.note_ids(params)
    caller = NOBODY if route.public else _caller(service, request)
    if not route.public and route.operation.query is None:
        read(NoQuery, request.query)
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
    return Response.json(run_tool(service, caller, name, request.json_object()))


def _remember(service: Service, caller: Caller, request: Request) -> Response:
    return Response.json(run_tool(service, caller, "remember", _with_idempotency_key(request)))


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


def _mcp(_service: Service, _caller: Caller, _request: Request) -> Response:
    """The API sends this route to the MCP function; what arrives here was not written quite so."""
    raise NotFound(f"MCP is at {MCP_PATH}, with nothing after it.")


def _tools(_service: Service, _caller: Caller, request: Request) -> Response:
    return Response.json(published_schema(read(ToolsQuery, request.query).format))


def published_schema(name: str) -> Any:
    """The schema of that format, one of ``FORMATS``: of the routes for ``openapi``, of the tools for all others."""
    return openapi(ROUTES) if name == OPENAPI else EXPORTS[name](TOOLS.values())


def _tool_route(name: str, run: Run, headers: Mapping[str, str] | None = None) -> Route:
    spec = TOOLS[name]
    about = Operation(
        id=name,
        summary=spec.title,
        description=spec.description,
        headers=headers or {},
        body=spec.input,
        answer=spec.output,
    )
    return Route("POST", tool_path(name), run, about)


ROUTES: tuple[Route, ...] = (
    _tool_route("remember", _remember, {"Idempotency-Key": "The same as idempotency_key."}),
    *(_tool_route(name, partial(_call_tool, name)) for name in ("recall", "update_memory", "forget")),
    Route(
        "GET",
        "/tools",
        _tools,
        Operation(id="listTools", summary="The tools, as a framework or a platform wants them", query=ToolsQuery),
    ),
    Route(
        "GET",
        "/health",
        _health,
        Operation(id="showHealth", summary="Whether the server answers", answer=HealthOutput),
        public=True,
    ),
    Route("POST", MCP_PATH, _mcp, Operation(id="mcp", summary="One message of MCP's stateless streamable HTTP")),
    *SIGN_IN_ROUTES,
    *PEOPLE_ROUTES,
    *BULK_ROUTES,
)
_ROUTER = Router(ROUTES)

"""What tells an MCP client where to sign in: the protected-resource metadata of RFC 9728."""

from collections.abc import Mapping
from typing import Any

from m4a.application.service import Service
from m4a.domain.errors import NotFound
from m4a.domain.owner import Caller
from m4a.entrypoints.http import Request, Response
from m4a.entrypoints.routes import Route
from m4a.tools.export.operations import Operation

MCP_PATH = "/mcp"
WELL_KNOWN = "/.well-known/oauth-protected-resource"
_SUMMARY = "Where MCP clients sign in (RFC 9728)"


def challenge(service: Service, base_url: str) -> str:
    """The value of WWW-Authenticate for a call of /mcp without a usable token."""
    if service.issuer is None:
        return "Bearer"
    return f'Bearer resource_metadata="{base_url}{WELL_KNOWN}{MCP_PATH}"'


def metadata(service: Service, request: Request) -> Mapping[str, Any]:
    """The metadata of /mcp. Raises NotFound where no issuer is set."""
    if service.issuer is None:
        raise NotFound("This server names no authorization server.")
    return {
        "resource": service.resource_url or request.base_url + MCP_PATH,
        "resource_name": "M4A: memory as tools",
        "authorization_servers": [service.issuer],
        "bearer_methods_supported": ["header"],
    }


def _metadata(service: Service, _caller: Caller, request: Request) -> Response:
    return Response.json(metadata(service, request))


ROUTES: tuple[Route, ...] = (
    Route("GET", WELL_KNOWN, _metadata, Operation(id="showSignIn", summary=_SUMMARY), public=True),
    Route("GET", WELL_KNOWN + MCP_PATH, _metadata, Operation(id="showMcpSignIn", summary=_SUMMARY), public=True),
)

"""What each error becomes at each entry point: one table."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from m4a.domain.errors import Internal, InvalidInput, M4AError, place_of
from m4a.entrypoints.operations import note_error

BedrockState = Literal["REPROMPT", "FAILURE"]
McpShape = Literal["is_error", "http_status", "json_rpc_internal"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one error code is answered over HTTP, to a Bedrock agent and over MCP."""

    status: int
    title: str
    bedrock: BedrockState
    mcp: McpShape


OUTCOMES: Mapping[str, Outcome] = {
    "invalid_input": Outcome(400, "Invalid input", "REPROMPT", "is_error"),
    "unauthenticated": Outcome(401, "Not signed in", "FAILURE", "http_status"),
    "forbidden": Outcome(403, "Not allowed", "FAILURE", "http_status"),
    "not_found": Outcome(404, "Not found", "REPROMPT", "is_error"),
    "conflict": Outcome(409, "Conflict", "REPROMPT", "is_error"),
    "too_large": Outcome(413, "Too large", "REPROMPT", "is_error"),
    "throttled": Outcome(429, "Too much at once", "REPROMPT", "is_error"),
    "unavailable": Outcome(503, "Unavailable", "FAILURE", "is_error"),
    "internal": Outcome(500, "Internal error", "FAILURE", "json_rpc_internal"),
}


class Refusal(InvalidInput):
    """Invalid input that HTTP has a status of its own for; ``allowed`` is what would have been right."""

    def __init__(self, status: int, field: str, message: str, allowed: str) -> None:
        super().__init__(InvalidInput.of(field, message, allowed).problems)
        self.status = status
        self.allowed = allowed


def known(error: Exception, request_id: str) -> M4AError:
    """The error itself if it is one of ours, else an Internal: type and place are logged, its text goes nowhere.

    It is noted as the outcome of the operation that is recorded.
    """
    if isinstance(error, M4AError) and error.code != Internal.code:
        ours = error
    else:
        logger.error("%s at %s, request %s", type(error).__name__, place_of(error), request_id)
        ours = Internal(f"Something went wrong on our side. Quote request {request_id} when you report it.")
    note_error(ours)
    return ours


def status_of(error: M4AError) -> int:
    """The HTTP status."""
    return error.status if isinstance(error, Refusal) else OUTCOMES[error.code].status


def problem(error: Exception, request_id: str) -> dict[str, Any]:
    """RFC 9457 problem details: type, title, status, detail, then code, request_id and what the error adds."""
    ours = known(error, request_id)
    return {
        "type": f"urn:m4a:error:{ours.code}",
        "title": OUTCOMES[ours.code].title,
        "status": status_of(ours),
        "detail": ours.message,
        "code": ours.code,
        "request_id": request_id,
        **ours.details(),
    }

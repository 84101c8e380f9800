"""From one event of an action group to its reply. Nothing is kept from one call to the next."""

from collections.abc import Collection, Mapping
from typing import Any

from m4a.application.service import Service
from m4a.domain.errors import Forbidden, TooLarge
from m4a.domain.owner import Caller
from m4a.entrypoints.action_group.events import agent_id, read_call, session_attributes
from m4a.entrypoints.action_group.replies import envelope, reply_to
from m4a.entrypoints.identity import session_caller
from m4a.entrypoints.operations import Operation
from m4a.entrypoints.outcomes import OUTCOMES, problem
from m4a.entrypoints.recording import recording
from m4a.entrypoints.time_left import in_time
from m4a.entrypoints.tool_calls import run_tool

ENTRY_POINT = "bedrock"

Event = Mapping[str, Any]


def respond(service: Service, event: Event, context: object, *, agent_ids: Collection[str] = ()) -> dict[str, Any]:
    """Answers one event; every error becomes a reply, and nothing is raised.

    ``agent_ids``: the agents that may call; if there are none, who may invoke the function may call.
    """
    request_id = str(getattr(context, "aws_request_id", None) or "unknown")
    event = event if isinstance(event, Mapping) else {}  # pyright: ignore[reportUnnecessaryIsInstance] whatever invokes
    operation = Operation(entry_point=ENTRY_POINT, request_id=request_id)
    with recording(operation, service.metrics_namespace), in_time(context):
        try:
            caller = _caller(service, event, request_id, agent_ids)
            call = read_call(event)
            return reply_to(event, run_tool(service, caller, call.tool, call.arguments))
        except Exception as error:  # noqa: BLE001 the edge: whatever it is, the agent gets an answer
            return _refusal(event, error, request_id)


def _caller(service: Service, event: Event, request_id: str, agent_ids: Collection[str]) -> Caller:
    if agent_ids and agent_id(event) not in agent_ids:
        raise Forbidden("This agent is not one of those that may use this memory.")
    return session_caller(
        session_attributes(event),
        tenant_claim=service.tenant_claim,
        entry_point=ENTRY_POINT,
        request_id=request_id,
    )


def _refusal(event: Event, error: Exception, request_id: str) -> dict[str, Any]:
    """The same problem details as over HTTPS, and whether the model may try again."""
    document = problem(error, request_id)
    state = OUTCOMES[document["code"]].bedrock
    try:
        return reply_to(event, document, document["status"], state)
    except TooLarge as too_large:  # its details fill it: an error of one sentence says so
        shorter = problem(too_large, request_id)
        return envelope(event, shorter, shorter["status"], OUTCOMES[shorter["code"]].bedrock)

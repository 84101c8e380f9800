"""The entry point for a Lambda target of an Amazon Bedrock AgentCore Gateway.

The event is the bare arguments of the tool, as JSON. Which tool it is, and who calls, stands in the client context: the
second as an assertion of our interceptor, without which nobody is let in.
"""

from collections.abc import Mapping
from typing import Any

from m4a.application.service import Service
from m4a.domain.errors import InvalidInput, Unauthenticated
from m4a.domain.owner import Caller
from m4a.domain.strict_json import JSON_OBJECT
from m4a.entrypoints.assertion import ASSERTION_HEADER, Call, verify
from m4a.entrypoints.gateway_interceptor import ENTRY_POINT
from m4a.entrypoints.identity import caller_of
from m4a.entrypoints.operations import Operation
from m4a.entrypoints.outcomes import problem
from m4a.entrypoints.recording import recording
from m4a.entrypoints.time_left import in_time
from m4a.entrypoints.tool_calls import run_tool

DELIMITER = "___"
_TOOL = "bedrockAgentCoreToolName"
_MESSAGE = "bedrockAgentCoreMcpMessageId"
_HEADERS = "bedrockAgentCorePropagatedHeaders"


def respond(service: Service, event: object, context: object, *, secret: bytes) -> dict[str, Any]:
    """The tool's answer, or ``{"error": …}`` with the same problem details as over HTTPS. Nothing is raised."""
    request_id = str(getattr(context, "aws_request_id", None) or "unknown")
    operation = Operation(entry_point=ENTRY_POINT, request_id=request_id)
    with recording(operation, service.metrics_namespace), in_time(context):
        try:
            custom = _custom(context)
            call = Call(str(custom.get(_TOOL)), str(custom.get(_MESSAGE)))
            caller = _caller(service, call, custom, secret, request_id)
            return run_tool(service, caller, call.tool.rpartition(DELIMITER)[2], _arguments(event))
        except Exception as error:  # noqa: BLE001 the edge: whatever it is, the client gets an answer
            return {"error": problem(error, request_id)}


def _custom(context: object) -> Mapping[str, Any]:
    """What the Gateway says of the call. Raises Unauthenticated if another than the Gateway has called."""
    custom = getattr(getattr(context, "client_context", None), "custom", None)
    if not isinstance(custom, Mapping):
        raise Unauthenticated("Only an AgentCore Gateway may call: there is no client context.")
    return custom  # pyright: ignore[reportUnknownVariableType]


def _caller(service: Service, call: Call, custom: Mapping[str, Any], secret: bytes, request_id: str) -> Caller:
    headers: Mapping[str, str] = custom.get(_HEADERS) or {}
    assertions = {value for name, value in headers.items() if name.lower() == ASSERTION_HEADER}
    if len(assertions) != 1:
        raise Unauthenticated("The assertion of the caller's identity is missing: has the Gateway its interceptor?")
    claims, on_behalf_of = verify(secret, call, assertions.pop(), service.clock.now())
    return caller_of(
        claims, on_behalf_of, tenant_claim=service.tenant_claim, entry_point=ENTRY_POINT, request_id=request_id
    )


def _arguments(event: object) -> Mapping[str, Any]:
    if not isinstance(event, Mapping):
        raise InvalidInput.of("arguments", "is not an object", JSON_OBJECT)
    return event  # pyright: ignore[reportUnknownVariableType]

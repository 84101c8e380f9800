"""The REQUEST interceptor of an AgentCore Gateway: turns the verified token of a tool call into an assertion.

The Gateway must have a CUSTOM_JWT authorizer: it verifies the token before it calls the interceptor, which reads its
claims only. The Gateway passes headers on to the target, so what a client sends under our header is overwritten.
"""

from collections.abc import Mapping
from typing import Any, TypeGuard, cast

from m4a.domain.errors import Internal, InvalidInput
from m4a.domain.strict_json import refuse_surrogates
from m4a.entrypoints.assertion import ASSERTION_HEADER, Call, claims_of_token, sign
from m4a.entrypoints.identity import ON_BEHALF_OF, SENT_TENANT_CLAIMS, caller_of
from m4a.entrypoints.json_rpc import is_id
from m4a.entrypoints.operations import Operation
from m4a.entrypoints.outcomes import problem
from m4a.entrypoints.recording import recording
from m4a.ports import Clock

VERSION = "1.0"
ENTRY_POINT = "gateway"
OPERATION = "intercept"
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REFUSED = -32000
_CODES = {InvalidInput.code: INVALID_PARAMS, Internal.code: INTERNAL_ERROR}

Fields = Mapping[str, Any]


def intercept(
    event: Fields,
    context: object,
    *,
    secret: bytes,
    tenant_claim: str | None,
    clock: Clock,
    metrics_namespace: str | None = None,
) -> dict[str, Any]:
    """Answers one event; a call without an identity ends here, with the status and the reason. Nothing is raised."""
    request_id = str(getattr(context, "aws_request_id", None) or "unknown")
    recorded = Operation(entry_point=ENTRY_POINT, name=OPERATION, request_id=request_id)
    with recording(recorded, metrics_namespace):
        output = _output(event, request_id, secret, tenant_claim, clock)
    return {"interceptorOutputVersion": VERSION, "mcp": output}


def _output(event: Fields, request_id: str, secret: bytes, tenant_claim: str | None, clock: Clock) -> dict[str, Any]:
    message: object = None
    try:
        request: Fields = event["mcp"]["gatewayRequest"]
        message = request["body"]
        sent: Mapping[str, str] = request.get("headers") or {}
        assertion = _assertion(message, sent, secret, tenant_claim, clock) if _is_call(message) else ""
        return {"transformedGatewayRequest": {"headers": _headers(sent, assertion), "body": message}}
    except Exception as error:  # noqa: BLE001 the edge: whatever it is, the call must not go on
        return {"transformedGatewayResponse": _refusal(message, error, request_id)}


def _is_call(message: object) -> TypeGuard[Fields]:
    """Whether it is a tool call, to be answered; no other message reaches a target."""
    fields: Fields = cast("Fields", message) if isinstance(message, dict) else {}
    return fields.get("method") == "tools/call" and fields.get("id") is not None


def _assertion(message: Fields, sent: Mapping[str, str], secret: bytes, tenant_claim: str | None, clock: Clock) -> str:
    headers = {name.lower(): value for name, value in sent.items()}
    claims = claims_of_token(headers.get("authorization"))
    acted_for = headers.get(ON_BEHALF_OF)
    caller_of(claims, acted_for, tenant_claim=tenant_claim, entry_point=ENTRY_POINT, request_id="")
    call = _call_of(message)
    carried = ("sub", "scope", *SENT_TENANT_CLAIMS, tenant_claim)
    needed = {name: value for name, value in claims.items() if name in carried}
    return sign(secret, call, needed, acted_for, clock.now())


def _call_of(message: Fields) -> Call:
    """Which call it is. Raises InvalidInput for one that no target could be called with."""
    if not is_id(message["id"]):
        raise InvalidInput.of("id", "is neither a string nor a whole number")
    params: Any = message.get("params")
    name = cast("Fields", params).get("name") if isinstance(params, dict) else None
    if not isinstance(name, str):
        raise InvalidInput.of("params", "name no tool", "an object with the name of a tool")
    refuse_surrogates(dict(message))
    return Call(name, str(message["id"]))


def _headers(sent: Mapping[str, str], assertion: str) -> dict[str, str]:
    """Our header alone, in each spelling that the client used too: all others stay as they are."""
    spellings = [name for name in sent if name.lower() == ASSERTION_HEADER]
    return dict.fromkeys([ASSERTION_HEADER, *spellings], assertion)


def _refusal(message: object, error: Exception, request_id: str) -> dict[str, Any]:
    document = problem(error, request_id)
    message_id: object = cast("Fields", message).get("id") if isinstance(message, dict) else None
    return {
        "statusCode": document["status"],
        "body": {
            "jsonrpc": "2.0",
            "id": message_id if is_id(message_id) else None,
            "error": {
                "code": _CODES.get(document["code"], REFUSED),
                "message": document["detail"],
                "data": {"code": document["code"], "request_id": request_id},
            },
        },
    }

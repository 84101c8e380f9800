"""The REQUEST interceptor: who is let through, with what, and what a client can not smuggle in."""

import json
from typing import Any

import pytest

from m4a.entrypoints.assertion import Call, verify
from m4a.entrypoints.gateway_interceptor import intercept
from tests.support.action_group import lambda_context
from tests.support.doubles import SettableClock
from tests.support.gateway import SECRET, interceptor_event, token, tool_call

CLOCK = SettableClock()
MESSAGE = tool_call("recall", {"query": "x"}, message_id=7)


def run(message: object, headers: dict[str, str], tenant_claim: str | None = None) -> dict[str, Any]:
    event = interceptor_event(message, headers)
    output = intercept(event, lambda_context(), secret=SECRET, tenant_claim=tenant_claim, clock=CLOCK)
    assert output["interceptorOutputVersion"] == "1.0" and len(output["mcp"]) == 1
    return output["mcp"]


def bearer(**claims: object) -> dict[str, str]:
    return {"authorization": f"Bearer {token({'sub': 'ivo', **claims})}"}


def test_a_tool_call_goes_on_unchanged_with_an_assertion() -> None:
    request = run(MESSAGE, bearer())["transformedGatewayRequest"]
    assert request["body"] == MESSAGE
    assert request["headers"].keys() == {"m4a-assertion"}
    asserted = verify(SECRET, Call("memory___recall", "7"), request["headers"]["m4a-assertion"], CLOCK.now())
    assert asserted == ({"sub": "ivo"}, None)


@pytest.mark.parametrize("name", ["m4a-assertion", "M4A-Assertion", "M4A-ASSERTION"])
def test_what_a_client_sends_under_our_header_is_overwritten(name: str) -> None:
    headers = run(MESSAGE, {**bearer(), name: "forged"})["transformedGatewayRequest"]["headers"]
    assert headers[name] and "forged" not in headers.values()
    assert len(set(headers.values())) == 1


@pytest.mark.parametrize("method", ["initialize", "tools/list", "notifications/initialized", "ping"])
def test_other_messages_go_on_without_an_assertion(method: str) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": method}
    request = run(message, {"M4A-Assertion": "forged"})["transformedGatewayRequest"]
    assert request["body"] == message
    assert set(request["headers"].values()) == {""}


@pytest.mark.parametrize("message", [[MESSAGE], "text", None, {**MESSAGE, "id": None}])
def test_what_is_no_single_call_gets_no_assertion(message: object) -> None:
    assert set(run(message, bearer())["transformedGatewayRequest"]["headers"].values()) == {""}


def test_only_the_claims_that_are_needed_are_carried() -> None:
    headers = bearer(org="acme", email="ivo@example.com", scope="openid", tenant_id="acme")
    request = run(MESSAGE, headers, tenant_claim="org")["transformedGatewayRequest"]
    claims, _ = verify(SECRET, Call("memory___recall", "7"), request["headers"]["m4a-assertion"], CLOCK.now())
    assert claims == {"sub": "ivo", "org": "acme", "scope": "openid", "tenant_id": "acme"}


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "AWS4-HMAC-SHA256 Credential=x"},
        {"authorization": "Bearer opaque"},
        bearer(sub=""),
        bearer(sub=7),
        bearer(tenant_id="acme"),
        {"m4a-assertion": "forged"},
    ],
)
def test_a_call_without_an_identity_ends_here(headers: dict[str, str]) -> None:
    response = run(MESSAGE, headers)["transformedGatewayResponse"]
    assert response["statusCode"] == 401
    assert (response["body"]["id"], response["body"]["error"]["data"]["code"]) == (7, "unauthenticated")


@pytest.mark.parametrize(
    "changes",
    [
        {"params": None},
        {"params": {}},
        {"params": []},
        {"params": "memory___recall"},
        {"params": {"name": None}},
        {"params": {"name": ["memory___recall"]}},
        {"params": {"name": 7}},
        {"params": {"name": "half \ud800"}},
        {"params": {"name": "memory___recall", "arguments": {"query": "half \ud800"}}},
        {"id": [7]},
        {"id": True},
        {"id": 7.5},
        {"id": "half \ud800"},
    ],
)
def test_a_call_of_the_wrong_shape_is_the_clients_mistake(changes: dict[str, object]) -> None:
    message = {**MESSAGE, **changes}
    response = run(message, bearer())["transformedGatewayResponse"]
    error = response["body"]["error"]
    assert (response["statusCode"], error["code"], error["data"]["code"]) == (400, -32602, "invalid_input")
    assert response["body"]["id"] == (None if "id" in changes else 7)
    json.dumps(response, ensure_ascii=False).encode()


def test_a_call_without_params_is_the_clients_mistake() -> None:
    message = {name: value for name, value in MESSAGE.items() if name != "params"}
    response = run(message, bearer())["transformedGatewayResponse"]
    assert (response["statusCode"], response["body"]["error"]["code"]) == (400, -32602)
    assert run(message, {})["transformedGatewayResponse"]["statusCode"] == 401


def test_a_list_of_scopes_lets_a_delegate_act() -> None:
    headers = {**bearer(scope=["openid", "memory:delegate"]), "M4A-On-Behalf-Of": "kim"}
    request = run(MESSAGE, headers)["transformedGatewayRequest"]
    claims, acted_for = verify(SECRET, Call("memory___recall", "7"), request["headers"]["m4a-assertion"], CLOCK.now())
    assert (claims["scope"], acted_for) == (["openid", "memory:delegate"], "kim")


def test_acting_for_another_without_the_scope_ends_here() -> None:
    response = run(MESSAGE, {**bearer(), "M4A-On-Behalf-Of": "kim"})["transformedGatewayResponse"]
    assert (response["statusCode"], response["body"]["error"]["data"]["code"]) == (403, "forbidden")


@pytest.mark.parametrize("event", [{}, {"mcp": None}, {"mcp": {"gatewayRequest": {}}}, {"http": {}}])
def test_an_event_that_is_not_understood_does_not_go_on(event: dict[str, Any]) -> None:
    output = intercept(event, lambda_context(), secret=SECRET, tenant_claim=None, clock=CLOCK)["mcp"]
    response = output["transformedGatewayResponse"]
    assert (response["statusCode"], response["body"]["error"]["code"]) == (500, -32603)


def test_headers_that_are_not_passed_let_nobody_in() -> None:
    event = interceptor_event(MESSAGE, {})
    del event["mcp"]["gatewayRequest"]["headers"]
    output = intercept(event, lambda_context(), secret=SECRET, tenant_claim=None, clock=CLOCK)["mcp"]
    assert output["transformedGatewayResponse"]["statusCode"] == 401

"""What belongs to an AgentCore Gateway: the tool's name, plain JSON, and an identity that nobody can bring along."""

import json
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.domain.owner import Owner
from m4a.entrypoints.agentcore_gateway import respond
from m4a.entrypoints.assertion import Call, sign
from tests.support.gateway import SECRET, Gateway, target_context, token, tool_call

BEARER = {"Authorization": f"Bearer {token({'sub': 'ivo'})}"}


@pytest.fixture
def gateway(service: Service) -> Gateway:
    return Gateway(service, service.clock)


def asserted(gateway: Gateway, message: dict[str, Any], headers: dict[str, str] = BEARER) -> dict[str, str]:
    """The headers that the interceptor sends on."""
    return gateway.intercepted(message, headers)["transformedGatewayRequest"]["headers"]


def test_the_answer_is_the_tools_own(gateway: Gateway) -> None:
    made = gateway.called(tool_call("remember", {"content": "Skis are waxed in Chur", "tags": ["Ski"]}), BEARER)
    assert (made["created"], made["tags"]) == (True, ["ski"])
    found = gateway.called(tool_call("recall", {"query": "skis", "limit": 2.0}), BEARER)
    assert found["memories"][0]["memory_id"] == made["memory_id"]


def test_an_error_is_an_object_of_its_own(gateway: Gateway) -> None:
    answer = gateway.called(tool_call("recall", {"query": "x", "limit": 0}), BEARER)
    assert answer.keys() == {"error"}
    assert (answer["error"]["code"], answer["error"]["errors"][0]["field"]) == ("invalid_input", "limit")


@pytest.mark.parametrize("tool", ["memorise", "", "recall___extra"])
def test_an_unknown_tool_names_those_that_there_are(gateway: Gateway, tool: str) -> None:
    answer = gateway.called(tool_call(tool, {}), BEARER)
    assert answer["error"]["code"] == "not_found" and "update_memory" in answer["error"]["detail"]


@pytest.mark.parametrize("context", [SimpleNamespace(), None, SimpleNamespace(client_context=None)])
def test_a_direct_call_without_a_client_context_is_refused(service: Service, context: object) -> None:
    assert respond(service, {"query": "x"}, context, secret=SECRET)["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"m4a-assertion": ""},
        {"m4a-assertion": "ivo"},
        {"x-user-id": "ivo", "Authorization": BEARER["Authorization"]},
    ],
)
def test_a_call_without_an_assertion_is_refused(service: Service, headers: dict[str, str]) -> None:
    context = target_context(tool_call("recall", {}), headers)
    assert respond(service, {"query": "x"}, context, secret=SECRET)["error"]["code"] == "unauthenticated"


def test_an_assertion_is_taken_in_any_spelling_of_its_header(service: Service, gateway: Gateway) -> None:
    message = tool_call("recall", {"query": "x"})
    assertion = asserted(gateway, message)["m4a-assertion"]
    for headers in ({"M4A-Assertion": assertion}, {"M4A-ASSERTION": assertion, "m4a-assertion": assertion}):
        assert "error" not in respond(service, {"query": "x"}, target_context(message, headers), secret=SECRET)


def test_an_assertion_beside_another_is_refused_even_if_both_are_good(service: Service) -> None:
    message = tool_call("recall", {"query": "x"})
    call = Call(message["params"]["name"], str(message["id"]))
    earlier = service.clock.now() - timedelta(seconds=2)
    moments = {"m4a-assertion": service.clock.now(), "M4A-Assertion": earlier}
    headers = {name: sign(SECRET, call, {"sub": "ivo"}, None, moment) for name, moment in moments.items()}
    answer = respond(service, {"query": "x"}, target_context(message, headers), secret=SECRET)
    assert answer["error"]["code"] == "unauthenticated"


def test_an_assertion_opens_no_other_tool_message_or_secret(service: Service, gateway: Gateway) -> None:
    headers = asserted(gateway, tool_call("recall", {}, message_id=7))
    others = [
        (tool_call("forget", {}, message_id=7), SECRET),
        (tool_call("recall", {}, message_id=8), SECRET),
        (tool_call("recall", {}, message_id=7), b"another secret of thirty-two bytes"),
    ]
    for message, secret in others:
        answer = respond(service, {"query": "x"}, target_context(message, headers), secret=secret)
        assert answer["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize("message_id", [7, "7", "a-b-c"])
def test_an_assertion_is_bound_to_the_id_as_the_gateway_writes_it(gateway: Gateway, message_id: int | str) -> None:
    assert "error" not in gateway.called(tool_call("recall", {"query": "x"}, message_id), BEARER)


def test_arguments_can_not_say_who_the_caller_is(gateway: Gateway) -> None:
    jana = {"Authorization": f"Bearer {token({'sub': 'jana'})}"}
    gateway.called(tool_call("remember", {"content": "Clinic visit on 3 June"}), jana)
    answer = gateway.called(tool_call("recall", {"query": "clinic visit", "user_id": "jana"}), BEARER)
    assert answer["error"]["errors"][0]["field"] == "user_id"
    found = gateway.called(tool_call("recall", {"query": "clinic visit"}), BEARER)["memories"]
    assert "Clinic visit on 3 June" not in [one["content"] for one in found]


def test_a_delegate_acts_for_the_user_that_it_names(service: Service, gateway: Gateway) -> None:
    backend = {"Authorization": f"Bearer {token({'sub': 'backend', 'scope': 'memory:delegate'})}"}
    gateway.called(tool_call("remember", {"content": "Acted for"}), {**backend, "M4A-On-Behalf-Of": "kim"})
    (event,) = service.log.audit(Owner("default", "kim"), None, 10).items
    assert (event.actor, event.entry_point, event.request_id) == ("backend", "gateway", "lambda-1")


def test_the_tenant_comes_from_the_configured_claim(service: Service) -> None:
    gateway = Gateway(replace(service, tenant_claim="org"), service.clock, tenant_claim="org")
    acme = {"Authorization": f"Bearer {token({'sub': 'lea', 'org': 'acme'})}"}
    globex = {"Authorization": f"Bearer {token({'sub': 'lea', 'org': 'globex'})}"}
    gateway.called(tool_call("remember", {"content": "Badge is green"}), acme)
    assert len(gateway.called(tool_call("recall", {"query": "badge"}), acme)["memories"]) == 1
    assert gateway.called(tool_call("recall", {"query": "badge"}), globex)["memories"] == []


def test_the_target_does_not_trust_an_interceptor_without_its_tenant_claim(service: Service) -> None:
    gateway = Gateway(replace(service, tenant_claim="org"), service.clock)
    acme = {"Authorization": f"Bearer {token({'sub': 'lea', 'org': 'acme'})}"}
    assert gateway.called(tool_call("recall", {"query": "x"}), acme)["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize("event", [None, [], "x", 1])
def test_arguments_that_are_no_object_are_refused(service: Service, gateway: Gateway, event: object) -> None:
    message = tool_call("recall", {})
    context = target_context(message, asserted(gateway, message))
    assert respond(service, event, context, secret=SECRET)["error"]["code"] == "invalid_input"


def test_an_error_can_always_be_sent(service: Service, gateway: Gateway) -> None:
    message = tool_call("recall", {})
    context = target_context(message, asserted(gateway, message))
    answer = respond(service, {"query": "x", "half \ud800": 1}, context, secret=SECRET)
    assert answer["error"]["code"] == "invalid_input"
    json.dumps(answer, ensure_ascii=False).encode()

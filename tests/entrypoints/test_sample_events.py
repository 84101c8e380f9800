"""The sample events: each is answered as its name says, by the entry point that its folder is for."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.entrypoints import action_group, agentcore_gateway, api_gateway, mcp
from m4a.entrypoints.gateway_interceptor import intercept
from m4a.entrypoints.mcp.server import PROBLEM_META
from m4a.tools import TOOLS
from tests.support.action_group import body_of, lambda_context, state_of
from tests.support.doubles import SettableClock
from tests.support.gateway import SECRET
from tests.support.samples import ERRORS, EVENTS, FOLDERS, OTHERS, PLACEHOLDER, sample, signed_context

Answer = tuple[dict[str, Any], str | None]


def https(service: Service, name: str, memory_id: str) -> Answer:
    reply = api_gateway.respond(service, sample(f"https/{name}.json", memory_id), lambda_context())
    body = json.loads(reply["body"])
    return body, None if reply["statusCode"] == 200 else body["code"]


def agent(folder: str) -> Callable[[Service, str, str], Answer]:
    def call(service: Service, name: str, memory_id: str) -> Answer:
        reply = action_group.respond(service, sample(f"{folder}/{name}.json", memory_id), lambda_context())
        body = body_of(reply)
        return body, body["code"] if state_of(reply) else None

    return call


def mcp_call(service: Service, name: str, memory_id: str) -> Answer:
    reply = mcp.respond(service, sample(f"mcp/{name}.json", memory_id), lambda_context())
    body = json.loads(reply["body"])
    if reply["statusCode"] != 200:
        return body, body["code"]
    result = body["result"]
    if not result["isError"]:
        return result["structuredContent"], None
    problem = result["_meta"][PROBLEM_META]
    return problem, problem["code"]


def gateway(service: Service, name: str, memory_id: str) -> Answer:
    custom = signed_context(name, service.clock.now())["custom"]
    context = SimpleNamespace(client_context=SimpleNamespace(custom=custom))
    event = sample(f"agentcore_gateway/{name}.json", memory_id)
    answer = agentcore_gateway.respond(service, event, context, secret=SECRET)
    return answer.get("error", answer), answer["error"]["code"] if "error" in answer else None


CALLS = {
    "https": https,
    "mcp": mcp_call,
    "action_group": agent("action_group"),
    "action_group_openapi": agent("action_group_openapi"),
    "agentcore_gateway": gateway,
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_conversation_of_sample_events(service: Service, folder: str) -> None:
    call = CALLS[folder]
    made, error = call(service, "remember", PLACEHOLDER)
    assert (error, made["importance"], made["tags"], made["event_time"]) == (
        None,
        "high",
        ["travel", "basel"],
        "2026-03-01",
    )
    found, error = call(service, "recall", PLACEHOLDER)
    assert (error, found["applied_filters"]["limit"]) == (None, 3)
    assert [one["memory_id"] for one in found["memories"]] == [made["memory_id"]]
    updated, error = call(service, "update_memory", made["memory_id"])
    assert (error, updated["version"], updated["tags"]) == (None, 2, ["travel"])
    receipt, error = call(service, "forget", made["memory_id"])
    assert (error, receipt["reason"]) == (None, "asked to")


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", ERRORS)
def test_samples_of_errors_are_answered_with_them(service: Service, folder: str, name: str) -> None:
    body, error = CALLS[folder](service, name, PLACEHOLDER)
    assert error == name
    assert name != "invalid_input" or body["errors"][0]["field"] == "limit"


@pytest.mark.parametrize("folder", FOLDERS)
def test_as_it_is_a_sample_changes_no_memory(service: Service, folder: str) -> None:
    assert CALLS[folder](service, "update_memory", PLACEHOLDER)[1] == "not_found"


@pytest.mark.parametrize("name", TOOLS)
def test_as_it_is_a_gateways_sample_lets_nobody_in(service: Service, name: str) -> None:
    custom = sample(f"agentcore_gateway/{name}.context.json")["custom"]
    context = SimpleNamespace(client_context=SimpleNamespace(custom=custom))
    event = sample(f"agentcore_gateway/{name}.json")
    answer = agentcore_gateway.respond(service, event, context, secret=SECRET)
    assert answer["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize(("name", "status"), [("tools_call", None), ("tools_list", None), ("unauthenticated", 401)])
def test_samples_for_the_interceptor(name: str, status: int | None) -> None:
    event = sample(f"gateway_interceptor/{name}.json")
    output = intercept(event, lambda_context(), secret=SECRET, tenant_claim=None, clock=SettableClock())["mcp"]
    assert output.get("transformedGatewayResponse", {}).get("statusCode") == status


def test_every_sample_is_used() -> None:
    named = {*TOOLS, *ERRORS}
    used = {f"{folder}/{name}.json" for folder in FOLDERS for name in named}
    used |= {f"agentcore_gateway/{name}.context.json" for name in named} | set(OTHERS)
    assert {path.relative_to(EVENTS).as_posix() for path in EVENTS.glob("*/*.json")} == used

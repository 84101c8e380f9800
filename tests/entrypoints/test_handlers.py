"""The handlers that no route of the API names: wired to the settings of their process."""

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from m4a.settings import SettingsError
from tests.support.action_group import body_of, function_event, lambda_context, openapi_event
from tests.support.gateway import SECRET, interceptor_event, target_context, token, tool_call
from tests.support.process import fresh_process

Handler = Callable[[Any, Any], dict[str, Any]]
BEARER = {"authorization": f"Bearer {token({'sub': 'nia'})}"}


@pytest.fixture(autouse=True)
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """A process of its own, as far as settings and service go."""
    variables = {"M4A_DB": str(tmp_path / "m4a.db"), "M4A_GATEWAY_SECRET": SECRET.decode()}
    with fresh_process(monkeypatch, **variables):
        yield monkeypatch


def handler(name: str) -> Handler:
    return importlib.import_module(f"{name}.handler").handler


def test_the_action_group_serves_both_styles() -> None:
    run = handler("action_group")
    made = run(function_event("nia", "remember", {"content": "The lamp is by the door"}), lambda_context())
    found = run(openapi_event("nia", "recall", {"query": "lamp"}), lambda_context())
    assert [one["memory_id"] for one in body_of(found)["memories"]] == [body_of(made)["memory_id"]]


def test_the_action_group_knows_the_agents_that_the_settings_list(process: pytest.MonkeyPatch) -> None:
    process.setenv("M4A_AGENT_IDS", "OTHER00001,OTHER00002")
    reply = handler("action_group")(function_event("nia", "recall", {"query": "x"}), lambda_context())
    assert body_of(reply)["code"] == "forbidden"


def test_interceptor_and_target_share_the_secret_of_the_settings() -> None:
    message = tool_call("remember", {"content": "The lamp is by the door"})
    output = handler("gateway_interceptor")(interceptor_event(message, BEARER), lambda_context())
    headers = output["mcp"]["transformedGatewayRequest"]["headers"]
    answer = handler("agentcore_gateway")(message["params"]["arguments"], target_context(message, headers))
    assert answer["created"] is True


@pytest.mark.parametrize("name", ["gateway_interceptor", "agentcore_gateway"])
def test_without_the_secret_neither_does_anything(process: pytest.MonkeyPatch, name: str) -> None:
    process.delenv("M4A_GATEWAY_SECRET")
    with pytest.raises(SettingsError, match="M4A_GATEWAY_SECRET"):
        handler(name)({}, lambda_context())


def test_clients_of_mcp_are_sent_to_the_issuer_that_the_settings_name(process: pytest.MonkeyPatch) -> None:
    process.setenv("M4A_ISSUER", "https://login.example/pool")
    process.setenv("M4A_RESOURCE_URL", "https://memory.example/mcp")
    path = "/.well-known/oauth-protected-resource"
    about = {"http": {"method": "GET", "path": path}, "stage": "$default", "requestId": "request-1"}
    reply = handler("memories")({"rawPath": path, "headers": {}, "requestContext": about}, lambda_context())
    told = json.loads(reply["body"])
    assert (told["resource"], told["authorization_servers"]) == (
        "https://memory.example/mcp",
        ["https://login.example/pool"],
    )

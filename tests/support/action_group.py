"""Action groups as a Bedrock agent calls them: every value is text, and only what is published is sent."""

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from m4a.application.service import Service
from m4a.entrypoints.action_group import respond
from m4a.entrypoints.api_gateway import published_schema
from m4a.tools import TOOLS
from tests.support.client import Answer

MAX_BYTES = 24_999
"""Bedrock takes less than 25,000."""


def spelled(value: object) -> str:
    """The value as Bedrock writes it: a list without quotes, whatever is in it."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(map(str, value))}]"  # pyright: ignore[reportUnknownArgumentType]
        case dict():
            return json.dumps(value)
        case _:
            return str(value)


def parameters(arguments: Mapping[str, object]) -> list[dict[str, str]]:
    """Arguments as an event lists them."""
    return [{"name": name, "type": "string", "value": spelled(value)} for name, value in arguments.items()]


def function_event(user: str, function: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    """An event of the function-details style."""
    return {**_event(user), "function": function, "parameters": parameters(arguments)}


def openapi_event(user: str, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    """An event of the OpenAPI style."""
    content = {"application/json": {"properties": parameters(arguments)}}
    return {
        **_event(user),
        "apiPath": f"/tools/{tool}",
        "httpMethod": "POST",
        "parameters": [],
        "requestBody": {"content": content},
    }


def body_of(reply: Mapping[str, Any]) -> dict[str, Any]:
    """The document in a reply of either style."""
    response = reply["response"]
    result = response.get("functionResponse", response)
    (content,) = result["responseBody"].values()
    return json.loads(content["body"])


def state_of(reply: Mapping[str, Any]) -> str | None:
    """REPROMPT, FAILURE, or None for a success."""
    response = reply["response"]
    return response.get("functionResponse", response).get("responseState")


def lambda_context() -> SimpleNamespace:
    """As much of a Lambda context as the entry point reads."""
    return SimpleNamespace(aws_request_id="lambda-1", client_context=None)


class ActionGroupClient:
    """One user's session with an agent."""

    def __init__(self, service: Service, user: str, *, openapi: bool) -> None:
        self._service = service
        self._user = user
        self._openapi = openapi
        self._published = _published_in_openapi() if openapi else _published_in_functions()

    def call(self, tool: str, **arguments: Any) -> Answer:
        refuse_unpublished(tool, arguments, self._published)
        event = (openapi_event if self._openapi else function_event)(self._user, tool, arguments)
        reply = respond(self._service, event, lambda_context())
        assert len(json.dumps(reply, ensure_ascii=False).encode()) <= MAX_BYTES
        assert reply.keys() == {"messageVersion", "response"}
        body = body_of(reply)
        return Answer(body, body["code"]) if state_of(reply) else Answer(body)


def refuse_unpublished(tool: str, arguments: Mapping[str, object], published: Mapping[str, set[str]]) -> None:
    """Fails a test that sends a field which no agent could know of here."""
    unpublished = arguments.keys() & TOOLS[tool].input.model_fields.keys() - published[tool]
    assert not unpublished, f"not published here: {unpublished}"


def _event(user: str) -> dict[str, Any]:
    return {
        "messageVersion": "1.0",
        "agent": {"name": "helper", "id": "AGENT00001", "alias": "TSTALIASID", "version": "1"},
        "sessionId": "session-1",
        "inputText": "…",
        "actionGroup": "memory",
        "sessionAttributes": {"user_id": user},
        "promptSessionAttributes": {},
    }


def _published_in_functions() -> dict[str, set[str]]:
    return {one["name"]: set(one["parameters"]) for one in published_schema("bedrock-functions")["functions"]}


def _published_in_openapi() -> dict[str, set[str]]:
    operations = [path["post"] for path in published_schema("bedrock-openapi")["paths"].values()]
    return {one["operationId"]: _properties(one) for one in operations}


def _properties(operation: Mapping[str, Any]) -> set[str]:
    return set(operation["requestBody"]["content"]["application/json"]["schema"]["properties"])

"""Replies of the entry points that wrap a tool's answer in a protocol of their own: Bedrock agents and MCP."""

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from m4a.application.service import Service
from m4a.entrypoints.action_group import respond
from m4a.entrypoints.mcp.server import PROBLEM_META
from tests.cases.reply import Reply, http_outcome, parsed


def answer_agent(service: Service, event: Mapping[str, Any], agent_ids: Collection[str]) -> Reply:
    """The reply to an event of an action group. Whatever it raises is part of the reply."""
    start = time.monotonic()
    try:
        document = respond(service, event, SimpleNamespace(aws_request_id="case-event"), agent_ids=agent_ids)
    except Exception as error:
        document, raised = None, type(error).__name__
    else:
        raised = None
    value, failed = _body(document) if document else (None, True)
    return Reply(
        outcome=http_outcome(value["status"] if failed and value else 500 if failed else 200),
        body=json.dumps(document, ensure_ascii=False).encode(),
        value=value,
        document=document,
        seconds=time.monotonic() - start,
        arguments=_arguments(event),
        raised=raised,
    )


def answer_mcp(reply: Reply) -> Reply:
    """An HTTP reply read as a JSON-RPC message: the tool's own answer or error is its value."""
    message = reply.document
    result = message.get("result") if isinstance(message, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(result, dict):
        return reply if reply.status != 200 else replace(reply, outcome="client_error")
    answer: dict[str, Any] = result  # pyright: ignore[reportUnknownVariableType]
    if not answer.get("isError"):
        return replace(reply, value=answer.get("structuredContent", answer))
    problem: dict[str, Any] = answer.get("_meta", {}).get(PROBLEM_META, {})
    return replace(reply, value=problem, outcome=http_outcome(problem.get("status", 400)))


def _body(document: Mapping[str, Any]) -> tuple[Any, bool]:
    """The document in the body, and whether the reply is an error."""
    response = document["response"]
    result = response.get("functionResponse", response)
    (content,) = result["responseBody"].values()
    return parsed(content["body"].encode()), "responseState" in result


def _arguments(event: Mapping[str, Any]) -> dict[str, Any]:
    """The named values in it, wherever they stand; parts that are null or of another form hold none."""
    content = _object(_object(event.get("requestBody")).get("content"))
    places = (event.get("parameters"), *(_object(media).get("properties") for media in content.values()))
    listed = [_object(one) for place in places if isinstance(place, list) for one in cast("list[object]", place)]
    return {str(one["name"]): one.get("value") for one in listed if "name" in one}


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}

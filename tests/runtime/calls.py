"""The sample events sent to the packaged functions, and their answers read as their callers read them."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from m4a.entrypoints.mcp.server import PROBLEM_META
from m4a.entrypoints.outcomes import OUTCOMES
from tests.runtime.emulator import Functions
from tests.support.action_group import MAX_BYTES, body_of, state_of
from tests.support.samples import PLACEHOLDER, sample, signed_context

BY_PATH: Mapping[str, str] = {
    "/tools/remember": "Remember",
    "/tools/recall": "Recall",
    "/tools/update_memory": "UpdateMemory",
    "/tools/forget": "Forget",
    "/mcp": "McpServer",
}
"""As the template has it; every other path is the function Memories'."""

Answer = tuple[dict[str, Any], str | None]
"""The document, and the code of an error, held against the table of outcomes."""


def call(functions: Functions, folder: str, name: str, memory_id: str = PLACEHOLDER) -> Answer:
    """Sends the sample to the function that it is for."""
    event = sample(f"{folder}/{name}.json", memory_id)
    if folder == "agentcore_gateway":
        answer = functions["AgentcoreGateway"].invoke(event, signed_context(name, datetime.now(UTC)))
        return (answer["error"], answer["error"]["code"]) if "error" in answer else (answer, None)
    if folder in ("https", "mcp"):
        return http(functions, event)
    return agent(functions, event)


def http(functions: Functions, event: Mapping[str, Any]) -> Answer:
    """Sends an event of the HTTP API."""
    reply = functions[BY_PATH.get(event["rawPath"], "Memories")].invoke(event)
    body = json.loads(reply["body"])
    if reply["statusCode"] == 200:
        return _mcp_answer(body) if event["rawPath"] == "/mcp" else (body, None)
    assert reply["headers"]["content-type"] == "application/problem+json"
    assert reply["statusCode"] == body["status"] == OUTCOMES[body["code"]].status
    return body, body["code"]


def agent(functions: Functions, event: Mapping[str, Any]) -> Answer:
    """Sends an event of a Bedrock agent; what comes back is measured as it is sent."""
    text = functions["ActionGroup"].answer(event)
    assert len(text.encode()) <= MAX_BYTES
    reply = json.loads(text)
    body, state = body_of(reply), state_of(reply)
    if state is None:
        return body, None
    assert state == OUTCOMES[body["code"]].bedrock
    return body, body["code"]


def tool_event(tool: str, user: str, **arguments: object) -> dict[str, Any]:
    """An event of the HTTP API that calls a tool."""
    event = sample(f"https/{tool}.json")
    event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"] = user
    return {**event, "body": json.dumps(arguments)}


def _mcp_answer(message: Mapping[str, Any]) -> Answer:
    result = message["result"]
    if not result["isError"]:
        return result["structuredContent"], None
    problem = result["_meta"][PROBLEM_META]
    assert OUTCOMES[problem["code"]].mcp == "is_error"
    return problem, problem["code"]

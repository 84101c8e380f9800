"""Reads action-group events: a tool's name and its arguments, which Bedrock sends as strings.

What the strings stand for, ``"5"``, ``"true"`` or ``[a, b]``, is read by the tools themselves. Here is decided what
counts as absent: models fill optional parameters that they don't know with an empty string, ``null`` or ``None``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_lambda_powertools.utilities.data_classes.bedrock_agent_event import BedrockAgentEvent
from aws_lambda_powertools.utilities.data_classes.bedrock_agent_function_event import BedrockAgentFunctionEvent
from aws_lambda_powertools.utilities.data_classes.common import DictWrapper

from m4a.domain.errors import InvalidInput, NotFound
from m4a.entrypoints.outcomes import Refusal
from m4a.tools import TOOLS
from m4a.tools.export import tool_path

JSON = "application/json"
METHOD = "POST"
ABSENT = ("", "null", "None")
KEPT = {"remember": "content", "recall": "query"}
"""What is kept whatever it says: the text that the tool is about. "None" is a statement and a query like any other."""

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool's name, which need not exist, and the arguments that were given."""

    tool: str
    arguments: Mapping[str, object]


def is_openapi(event: Event) -> bool:
    """Whether the action group is described by an OpenAPI schema, and not by function details."""
    return "apiPath" in event


def agent_id(event: Event) -> str | None:
    """The id of the agent that calls."""
    agent: Mapping[str, str] = event.get("agent") or {}
    return agent.get("id")


def session_attributes(event: Event) -> Mapping[str, object]:
    """What the backend that invokes the agent has set; never the prompt's attributes."""
    return BedrockAgentFunctionEvent(dict(event)).session_attributes


def read_call(event: Event) -> Call:
    """The call. Raises NotFound for an unknown path, a 405 for another method, InvalidInput for a name given twice."""
    if is_openapi(event):
        openapi = BedrockAgentEvent(dict(event))
        body = openapi.request_body.content.get(JSON) if openapi.request_body else None
        return _call(_tool_at(openapi), [*openapi.parameters, *(body.properties if body else ())])
    function = BedrockAgentFunctionEvent(dict(event))
    return _call(function.function, function.parameters)


def _tool_at(event: BedrockAgentEvent) -> str:
    tools = {tool_path(name): name for name in TOOLS}
    if event.api_path not in tools:
        raise NotFound("There is no tool at this path; there are " + ", ".join(tools) + ".")
    if event["httpMethod"].upper() != METHOD:
        raise Refusal(405, "method", "is not one that this path takes", METHOD)
    return tools[event.api_path]


def _call(tool: str, parameters: Iterable[DictWrapper]) -> Call:
    arguments: dict[str, object] = {}
    for parameter in parameters:
        name = parameter["name"]
        if name in arguments:
            raise InvalidInput.of(name[:64], "is given twice", "each parameter once")
        arguments[name] = parameter.get("value")
    kept = KEPT.get(tool)
    return Call(tool, {name: value for name, value in arguments.items() if name == kept or not _is_absent(value)})


def _is_absent(value: object) -> bool:
    return isinstance(value, str) and value.strip() in ABSENT

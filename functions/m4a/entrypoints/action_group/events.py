"""Reads action-group events: a tool's name and its arguments, which Bedrock sends as strings.

What the strings stand for, ``"5"``, ``"true"`` or ``[a, b]``, is read by the tools themselves. Here is decided what
counts as absent: models fill optional parameters that they don't know with an empty string, ``null`` or ``None``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from aws_lambda_powertools.utilities.data_classes.bedrock_agent_function_event import BedrockAgentFunctionEvent

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
    return event.get("apiPath") is not None


def agent_id(event: Event) -> str | None:
    """The id of the agent that calls."""
    agent: object = event.get("agent")
    return cast("Event", agent).get("id") if isinstance(agent, dict) else None


def session_attributes(event: Event) -> Mapping[str, object]:
    """What the backend that invokes the agent has set; never the prompt's attributes."""
    attributes: Any = BedrockAgentFunctionEvent(dict(event)).session_attributes
    return cast("Event", attributes) if isinstance(attributes, dict) else {}


def read_call(event: Event) -> Call:
    """The call; parts of the event that are null are absent.

    Raises NotFound for an unknown path, a 405 for another method, and InvalidInput for an event without function or
    method, a parameter without a name, a name given twice and a part of another form.
    """
    if is_openapi(event):
        media = _part(_part(_part(event, "requestBody"), "content"), JSON)
        return _call(_tool_at(event), [*_rows(event, "parameters"), *_rows(media, "properties")])
    return _call(_text(event, "function"), _rows(event, "parameters"))


def _tool_at(event: Event) -> str:
    tools = {tool_path(name): name for name in TOOLS}
    path = event["apiPath"]
    if not isinstance(path, str) or path not in tools:
        raise NotFound("There is no tool at this path; there are " + ", ".join(tools) + ".")
    if _text(event, "httpMethod").upper() != METHOD:
        raise Refusal(405, "method", "is not one that this path takes", METHOD)
    return tools[path]


def _text(whole: Event, name: str) -> str:
    value = whole.get(name)
    if not isinstance(value, str):
        raise InvalidInput.of(name, "is missing" if value is None else "is not a text")
    return value


def _part(whole: Event, name: str) -> Event:
    """The object of that name; an empty one if it is null or missing."""
    value = whole.get(name)
    if not isinstance(value, dict | None):
        raise InvalidInput.of(name, "is not an object")
    return cast("Event", value or {})


def _rows(whole: Event, name: str) -> list[Event]:
    """The objects in the list of that name; none if it is null or missing."""
    value = whole.get(name)
    rows = cast("list[object]", value if isinstance(value, list) else [])
    if not isinstance(value, list | None) or not all(isinstance(row, dict) for row in rows):
        raise InvalidInput.of(name, "is not a list of objects")
    return cast("list[Event]", rows)


def _call(tool: str, parameters: Iterable[Event]) -> Call:
    arguments: dict[str, object] = {}
    for parameter in parameters:
        name = parameter.get("name")
        if not isinstance(name, str):
            raise InvalidInput.of("parameters", "have one without a name", "parameters with name and value")
        if name in arguments:
            raise InvalidInput.of(name[:64], "is given twice", "each parameter once")
        arguments[name] = parameter.get("value")
    kept = KEPT.get(tool)
    return Call(tool, {name: value for name, value in arguments.items() if name == kept or not _is_absent(value)})


def _is_absent(value: object) -> bool:
    return isinstance(value, str) and value.strip() in ABSENT

"""OpenAPI document of an Amazon Bedrock agent's action group.

Bedrock takes part of OpenAPI 3.0 only: no null, no unions, no ``enum`` or ``const``, one word as a type. So limits
stand in the descriptions, and members that may be null are described by their other type.
"""

from collections.abc import Iterable
from typing import Any

import m4a
from m4a.tools.export.schemas import plain_schema, reduced, schema_in_words
from m4a.tools.specs import ToolSpec

VERSION = "3.0.3"
_KEYWORDS = ("type", "description", "properties", "required", "items")


def tool_path(name: str) -> str:
    """The path of a tool, here and over HTTPS."""
    return f"/tools/{name}"


def bedrock_openapi(tools: Iterable[ToolSpec]) -> dict[str, Any]:
    """One operation a tool, with every argument in its body."""
    return {
        "openapi": VERSION,
        "info": {
            "title": "M4A",
            "version": m4a.__version__,
            "description": "Memory of the user that lasts from one conversation to the next.",
        },
        "paths": {tool_path(tool.name): {"post": _operation(tool)} for tool in tools},
    }


def _operation(tool: ToolSpec) -> dict[str, Any]:
    answer = reduced(plain_schema(tool.output), _KEYWORDS)
    return {
        "operationId": tool.name,
        "summary": tool.title,
        "description": tool.description,
        "x-requireConfirmation": "ENABLED" if tool.confirm else "DISABLED",
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema_in_words(tool.input)}}},
        "responses": {
            "200": {"description": answer["description"], "content": {"application/json": {"schema": answer}}}
        },
    }

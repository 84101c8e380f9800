"""Tools for Anthropic's Messages API."""

from collections.abc import Iterable
from typing import Any

from m4a.tools.export.schemas import input_schema
from m4a.tools.specs import ToolSpec


def anthropic(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Name, description and the whole input schema."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": input_schema(tool.input)} for tool in tools
    ]

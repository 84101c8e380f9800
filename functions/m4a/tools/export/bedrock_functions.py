"""Function details of an Amazon Bedrock agent's action group: the ``functionSchema`` that its API takes."""

from collections.abc import Iterable
from typing import Any

from m4a.tools.export.schemas import input_fields
from m4a.tools.specs import ToolSpec

MAX_PARAMETERS = 5


def bedrock_functions(tools: Iterable[ToolSpec]) -> dict[str, Any]:
    """The first five arguments of each tool, limits in words; ``required`` is always said, since its absence fails."""
    return {
        "functions": [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": {
                    field.name: {
                        "type": field.schema["type"],
                        "description": field.in_words(),
                        "required": field.required,
                    }
                    for field in input_fields(tool.input)[:MAX_PARAMETERS]
                },
                "requireConfirmation": "ENABLED" if tool.confirm else "DISABLED",
            }
            for tool in tools
        ]
    }

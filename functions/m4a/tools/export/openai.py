"""Tools for OpenAI's Chat Completions, and for the many that take its form, with strict schemas.

The Responses API takes what is under ``function``, with ``type`` beside it.
"""

from collections.abc import Iterable
from typing import Any

from m4a.tools.export.schemas import InputField, Schema, input_fields, nullable, reduced
from m4a.tools.specs import ToolSpec

_KEYWORDS = ("type", "enum", "items")


def openai(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Strict: every argument is required, null stands for absent, and limits without a keyword stand in words."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "strict": True,
                "parameters": _parameters(input_fields(tool.input)),
            },
        }
        for tool in tools
    ]


def _parameters(fields: Iterable[InputField]) -> Schema:
    properties = {field.name: {**_schema(field), "description": field.in_words()} for field in fields}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _schema(field: InputField) -> Schema:
    schema = reduced(field.schema, _KEYWORDS)
    return schema if field.required else nullable(schema)

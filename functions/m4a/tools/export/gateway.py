"""Tools for a Lambda target of Amazon Bedrock AgentCore Gateway: the ``inlinePayload`` of its tool schema.

The Gateway's schemas know types, properties, items and descriptions alone, so limits stand in words. There is no schema
of the answer: a client would hold an error, which is plain JSON here, against it and hide it.
"""

from collections.abc import Iterable
from typing import Any

from m4a.tools.export.schemas import schema_in_words
from m4a.tools.specs import ToolSpec


def gateway(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Name, description and input schema of each tool."""
    return [
        {"name": tool.name, "description": tool.description, "inputSchema": schema_in_words(tool.input)}
        for tool in tools
    ]

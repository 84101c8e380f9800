"""Tools as MCP lists them: the result of ``tools/list``."""

from collections.abc import Iterable
from typing import Any

from m4a.tools.export.schemas import input_schema, plain_schema
from m4a.tools.specs import ToolSpec


def mcp(tools: Iterable[ToolSpec]) -> dict[str, Any]:
    """With the schema of the answer, and hints for clients that ask before they call."""
    return {
        "tools": [
            {
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": input_schema(tool.input),
                "outputSchema": plain_schema(tool.output),
                "annotations": {
                    "title": tool.title,
                    "readOnlyHint": tool.read_only,
                    "destructiveHint": tool.destructive,
                    "idempotentHint": True,
                    "openWorldHint": False,
                },
            }
            for tool in tools
        ]
    }

"""What the MCP server publishes of itself: its tools, resources and prompt."""

from functools import lru_cache

import mcp_types as types

from m4a.tools import TOOLS
from m4a.tools.export import mcp

CONTEXT_URI = "m4a://context"
MEMORY_URI = "m4a://memories/"
PROMPT = "memory"

RESOURCES = [
    types.Resource(
        uri=CONTEXT_URI,
        name="context",
        title="What must never be missed",
        description="The facts and preferences of high importance, as a short text for a system prompt.",
        mime_type="text/plain",
    )
]
RESOURCE_TEMPLATES = [
    types.ResourceTemplate(
        uri_template=MEMORY_URI + "{memory_id}",
        name="memory",
        title="One memory",
        description="A memory with all its fields, by the id that remember or recall returned.",
        mime_type="application/json",
    )
]
PROMPTS = [
    types.Prompt(
        name=PROMPT,
        title="Use memory",
        description="How to use the memory tools well: when to recall, what to remember, when to update or forget.",
    )
]


@lru_cache(1)
def tools() -> dict[str, types.Tool]:
    """The tools by name, in the order in which they are shown."""
    return {row["name"]: types.Tool.model_validate(row) for row in mcp(TOOLS.values())["tools"]}

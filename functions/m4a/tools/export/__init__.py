"""The published schemas of the tools: one pure function for each format, all from the same models."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from m4a.tools.export.anthropic import anthropic
from m4a.tools.export.bedrock_functions import bedrock_functions
from m4a.tools.export.bedrock_openapi import bedrock_openapi, tool_path
from m4a.tools.export.gateway import gateway
from m4a.tools.export.mcp import mcp
from m4a.tools.export.openai import openai
from m4a.tools.specs import ToolSpec

OPENAPI = "openapi"
"""The one format that describes routes and not tools: see ``m4a.tools.export.openapi``."""

EXPORTS: Mapping[str, Callable[[Iterable[ToolSpec]], Any]] = {
    "openai": openai,
    "anthropic": anthropic,
    "bedrock-functions": bedrock_functions,
    "bedrock-openapi": bedrock_openapi,
    "mcp": mcp,
    "gateway": gateway,
}
FORMATS = (OPENAPI, *EXPORTS)

__all__ = ["EXPORTS", "FORMATS", "OPENAPI", "mcp", "tool_path"]

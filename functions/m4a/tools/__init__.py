"""The tools that agents see: inputs, outputs, and how they reach the use cases."""

from m4a.tools.specs import TOOLS, ToolSpec, call_tool

__all__ = ["TOOLS", "ToolSpec", "call_tool"]

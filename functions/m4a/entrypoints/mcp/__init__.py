"""The MCP entry point, on the official SDK: over HTTPS one message an event, and over stdio."""

from m4a.entrypoints.mcp.http import respond

__all__ = ["respond"]

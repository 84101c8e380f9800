"""POST /mcp"""

from typing import Any

from m4a.bootstrap import service
from m4a.bootstrap.snapshot import load_before_snapshot
from m4a.entrypoints.mcp import respond

load_before_snapshot()


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    return respond(service(), event, context)

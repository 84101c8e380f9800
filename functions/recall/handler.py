"""POST /tools/recall"""

from typing import Any

from m4a.bootstrap import service
from m4a.bootstrap.snapshot import load_before_snapshot
from m4a.entrypoints.api_gateway import respond

load_before_snapshot()


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    return respond(service(), event, context)

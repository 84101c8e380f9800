"""POST /tools/update_memory"""

from typing import Any

from m4a.bootstrap import service
from m4a.entrypoints.api_gateway import respond


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    return respond(service(), event, context)

"""Lambda target of an Amazon Bedrock AgentCore Gateway"""

from typing import Any

from m4a.bootstrap import service, settings
from m4a.bootstrap.snapshot import load_before_snapshot
from m4a.entrypoints.agentcore_gateway import respond

load_before_snapshot()


def handler(event: object, context: object) -> dict[str, Any]:
    return respond(service(), event, context, secret=settings().gateway_key)

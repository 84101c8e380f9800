"""Lambda target of an Amazon Bedrock AgentCore Gateway"""

from typing import Any

from m4a.bootstrap import service, settings
from m4a.entrypoints.agentcore_gateway import respond


def handler(event: object, context: object) -> dict[str, Any]:
    return respond(service(), event, context, secret=settings().gateway_key)

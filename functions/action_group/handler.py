"""Action groups of Amazon Bedrock agents"""

from typing import Any

from m4a.bootstrap import service, settings
from m4a.bootstrap.snapshot import load_before_snapshot
from m4a.entrypoints.action_group import respond

load_before_snapshot()


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    return respond(service(), event, context, agent_ids=settings().agent_ids)

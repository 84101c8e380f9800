"""The sample events of ``events/``."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from m4a.entrypoints.assertion import Call, sign
from tests.support.gateway import SECRET

EVENTS = Path(__file__).parents[2] / "events"
PLACEHOLDER = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
"""The id in them, which no memory has."""
FOLDERS = ("https", "mcp", "action_group", "action_group_openapi", "agentcore_gateway")
"""Those with one event for each tool and each of ``ERRORS``."""
ERRORS = ("invalid_input", "unauthenticated", "not_found")
OTHERS = (
    "gateway_interceptor/tools_call.json",
    "gateway_interceptor/tools_list.json",
    "gateway_interceptor/unauthenticated.json",
    "indexer/inserted.json",
    "indexer/unreadable.json",
    "sweep/minute.json",
)


def sample(path: str, memory_id: str = PLACEHOLDER) -> Any:
    """The event, with the id in the placeholder's place."""
    return json.loads((EVENTS / path).read_text("utf-8").replace(PLACEHOLDER, memory_id))


def signed_context(name: str, now: datetime) -> dict[str, Any]:
    """The client context of a Gateway's event, with an assertion that is good now where the sample has one."""
    context = sample(f"agentcore_gateway/{name}.context.json")
    custom = context["custom"]
    headers = custom.get("bedrockAgentCorePropagatedHeaders", {})
    call = Call(custom["bedrockAgentCoreToolName"], custom["bedrockAgentCoreMcpMessageId"])
    headers.update({header: sign(SECRET, call, {"sub": "maria"}, None, now) for header in headers})
    return context

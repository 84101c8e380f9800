"""A call of a tool at an entry point, with what its log line may say noted."""

from collections.abc import Mapping
from typing import Any

from m4a.application.service import Service
from m4a.domain.owner import Caller
from m4a.entrypoints.operations import UNKNOWN, current
from m4a.tools import TOOLS, call_tool


def run_tool(service: Service, caller: Caller, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """``call_tool``, and the operation that is recorded learns of the tool, ids and what was degraded. Raises as that
    does."""
    operation = current()
    if operation:
        operation.name = name if name in TOOLS else UNKNOWN
        operation.note_ids(arguments)
    answer = call_tool(service, caller, name, arguments)
    if operation:
        operation.note_ids(answer)
        operation.degraded = tuple(one["code"] for one in answer.get("degraded", ()))
    return answer

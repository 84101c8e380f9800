"""The four tools: name, description, models and use case. Every published schema is made from these."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from m4a.application.forget import forget
from m4a.application.recall import recall
from m4a.application.remember import remember
from m4a.application.service import Service
from m4a.application.update_memory import update_memory
from m4a.domain.errors import Conflict, NotFound
from m4a.domain.memory import Memory
from m4a.domain.owner import Caller
from m4a.tools.inputs import ForgetInput, RecallInput, RememberInput, ToolInput, UpdateMemoryInput, read
from m4a.tools.outputs import (
    Output,
    RecallOutput,
    ReceiptOutput,
    RememberOutput,
    UpdateMemoryOutput,
)
from m4a.tools.plain import memory_fields


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool. ``run`` takes arguments as they came and answers the output model.

    ``read_only``: it changes no memory; ``destructive``: it replaces or erases; ``confirm``: what it takes away can't
    be had back. None does more when it is called again with the same arguments.
    """

    name: str
    title: str
    description: str
    input: type[ToolInput]
    output: type[Output]
    run: Callable[[Service, Caller, Mapping[str, Any]], Output]
    read_only: bool = False
    destructive: bool = False
    confirm: bool = False


def _remember(service: Service, caller: Caller, arguments: Mapping[str, Any]) -> Output:
    return RememberOutput.answer(remember(service, caller, read(RememberInput, arguments).command()))


def _recall(service: Service, caller: Caller, arguments: Mapping[str, Any]) -> Output:
    asked = read(RecallInput, arguments)
    return RecallOutput.answer(recall(service, caller, asked.command()), asked)


def _update_memory(service: Service, caller: Caller, arguments: Mapping[str, Any]) -> Output:
    return UpdateMemoryOutput.answer(update_memory(service, caller, read(UpdateMemoryInput, arguments).command()))


def _forget(service: Service, caller: Caller, arguments: Mapping[str, Any]) -> Output:
    return ReceiptOutput.answer(forget(service, caller, read(ForgetInput, arguments).command()))


TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec(
            "remember",
            "Remember",
            "Stores one statement about the user for later conversations. Call it when the user states a lasting fact, "
            "a preference, an event or a task, or asks you to remember something. Do not call it for what only matters "
            "in this conversation. Storing the same text again returns the memory that is there. If the answer lists a "
            "similar memory that this statement corrects, forget the new one and call update_memory on the older.",
            RememberInput,
            RememberOutput,
            _remember,
        ),
        ToolSpec(
            "recall",
            "Recall",
            "Searches what was remembered about the user, by words and by meaning, best first. Call it before you "
            "answer anything that may depend on earlier conversations, on the user's preferences, plans or history. "
            "Tags: all that are given must be carried. An answer with degraded is not complete; a best score under 0.3 "
            "is weak.",
            RecallInput,
            RecallOutput,
            _recall,
            read_only=True,
        ),
        ToolSpec(
            "update_memory",
            "Update a memory",
            "Changes named fields of one memory and keeps its earlier version in the history. Call it when something "
            "that was remembered has changed or was wrong, rather than storing a second, contradicting memory. Take "
            "memory_id from remember or recall.",
            UpdateMemoryInput,
            UpdateMemoryOutput,
            _update_memory,
            destructive=True,
        ),
        ToolSpec(
            "forget",
            "Forget",
            "Erases one memory with its history for good and returns a receipt. Call it when the user asks for "
            "something to be forgotten, or a memory is plainly wrong and nothing replaces it. For a correction use "
            "update_memory. Take memory_id from recall.",
            ForgetInput,
            ReceiptOutput,
            _forget,
            destructive=True,
            confirm=True,
        ),
    )
}
"""By name, in the order in which they are shown."""


def call_tool(service: Service, caller: Caller, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a tool; answers plain JSON values. Raises errors of ``m4a.domain.errors``."""
    spec = TOOLS.get(name)
    if spec is None:
        raise NotFound("There is no tool of this name; there are " + ", ".join(TOOLS) + ".")
    try:
        return _without_absent(spec.run(service, caller, arguments).model_dump())
    except Conflict as conflict:
        if isinstance(conflict.current, Memory):
            conflict.current = memory_fields(conflict.current)
        raise


def _without_absent(answer: dict[str, Any]) -> dict[str, Any]:
    """Leaves out ``degraded`` and ``explain`` where there is nothing to say, so that a whole answer stays small."""
    for row in (answer, *answer.get("memories", ())):
        for name in ("degraded", "explain"):
            if row.get(name, 0) is None:
                del row[name]
    return answer

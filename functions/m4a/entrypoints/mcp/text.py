"""The tools' answers and errors as text for people and models. The structured part has the same facts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from m4a.domain.errors import Conflict, InvalidInput, M4AError

Answer = Mapping[str, Any]


def answer_text(tool: str, answer: Answer) -> str:
    """What a tool answered. What could not run is named first."""
    degraded: Sequence[Answer] = answer.get("degraded", ())
    return "\n".join([f"Not complete: {one['message']}" for one in degraded] + _ANSWERS[tool](answer))


def error_text(error: M4AError) -> str:
    """Why a call was refused: the field and what is allowed, or the state that is in the way."""
    match error:
        case InvalidInput():
            rows = [(f"{one.field}: {one.message}.", one.allowed) for one in error.problems]
            return "\n".join(
                _on_one_line(says + (f" Allowed: {allowed}." if allowed else "")) for says, allowed in rows
            )
        case Conflict():
            state = _memory(error.current) if error.current else []
            held = [f"Its id is {error.memory_id}."] if error.memory_id and not state else []
            return "\n".join([error.message, *held, *state])
        case _:
            retry: int | None = error.details().get("retry_after")
            return error.message + (f" Try again in {retry} s." if retry else "")


def _remember(answer: Answer) -> list[str]:
    if answer["created"]:
        lines = ["Stored:", *_memory(answer)]
    else:
        lines = ["This was stored already, and nothing has changed:", *_memory(answer)]
    if answer["differs"]:
        fields = ", ".join(answer["differs"])
        lines.append(f"It was sent with other values of: {fields}. Call update_memory if the new ones are right.")
    if answer["similar"]:
        lines.append("Similar memories. If this statement corrects one of them, forget this one and update that one:")
        lines += [_indented(f"- {one['content']} (id {one['memory_id']})") for one in answer["similar"]]
    return lines


def _recall(answer: Answer) -> list[str]:
    memories: Sequence[Answer] = answer["memories"]
    if not memories:
        return ["No memory matches."]
    lines = [f"{len(memories)} {'memory' if len(memories) == 1 else 'memories'}, best first:"]
    for number, memory in enumerate(memories, 1):
        lines += _memory(memory, f"{number}. ")
    return lines


def _update_memory(answer: Answer) -> list[str]:
    return ["Updated:" if answer["updated"] else "Nothing differs from what was stored:", *_memory(answer)]


def _forget(answer: Answer) -> list[str]:
    erased = answer["versions_erased"]
    versions = "1 version" if erased == 1 else f"{erased} versions"
    lines = [f"Forgotten: memory {answer['memory_id']}, {versions}, at {answer['forgotten_at']}."]
    if not answer["residue_cleared"]:
        lines.append("A reader still holds an older state of the store: the next write clears it.")
    return lines


_ANSWERS: Mapping[str, Callable[[Answer], list[str]]] = {
    "remember": _remember,
    "recall": _recall,
    "update_memory": _update_memory,
    "forget": _forget,
}


def _memory(memory: Answer, mark: str = "- ") -> list[str]:
    """Its content, then one line of everything else that is known of it."""
    tags: Sequence[str] = memory["tags"]
    facts = [
        f"score {memory['score']:.2f}" if "score" in memory else None,
        memory["type"],
        f"{memory['importance']} importance",
        "tags: " + ", ".join(tags) if tags else None,
        f"event {memory['event_time']}" if memory["event_time"] else None,
        f"expires {memory['expires_at']}" if memory.get("expires_at") else None,
        f"source: {memory['source']}" if memory["source"] else None,
        f"stored {memory['created_at']}",
        f"version {memory['version']}",
        f"id {memory['memory_id']}",
    ]
    return [_indented(mark + memory["content"]), "  " + _on_one_line(" | ".join(fact for fact in facts if fact))]


def _indented(text: str) -> str:
    """Further lines of a text moved in, deeper than any of ours, so that none of them looks like one."""
    return "\n    ".join(text.splitlines())


def _on_one_line(text: str) -> str:
    """For tags, sources and names of fields, whose line feeds say nothing and could forge a line of ours."""
    return " ".join(text.split())

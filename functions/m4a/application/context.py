"""The core block: the owner's most important facts and preferences as one short text for a system prompt."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from m4a.application.service import Service
from m4a.domain.memory import Filters, Memory, MemoryType
from m4a.domain.owner import Caller

CORE_TYPES: tuple[MemoryType, ...] = ("fact", "preference")
DEFAULT_TOKENS = 1_000
MAX_TOKENS = 20_000
CHARS_A_TOKEN = 4
"""An estimate: tokenizers differ, and few texts have fewer characters a token."""

_TITLE = "What is remembered about the user and must never be missed:"
_MORE = "({count} more did not fit here: recall finds them.)"
_PAGE = 200


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """``text`` is empty where there is nothing to say. ``tokens`` is an estimate, never above what was asked for.

    ``included`` and ``left_out`` are in the order of the text: by creation, oldest first.
    """

    text: str
    tokens: int
    included: tuple[Memory, ...]
    left_out: tuple[Memory, ...]


def core_block(service: Service, caller: Caller, max_tokens: int = DEFAULT_TOKENS) -> CoreBlock:
    """The same bytes for the same memories, whenever it is asked for. Where not all fit, the newest go first."""
    return arrange(_core_memories(service, caller, service.clock.now()), max_tokens)


def arrange(memories: Sequence[Memory], max_tokens: int) -> CoreBlock:
    """The block of these memories. A memory that does not fit is left out whole; smaller, older ones may still fit."""
    ordered = sorted(memories, key=_age)
    kept = _chosen(ordered, max_tokens * CHARS_A_TOKEN)
    included = tuple(one for one in ordered if one.memory_id in kept)
    left_out = tuple(one for one in ordered if one.memory_id not in kept)
    text = _text([_line(one) for one in included], len(left_out))
    if estimate(text) > max_tokens:  # the budget is too small even for the frame
        text = ""
    return CoreBlock(text, estimate(text), included, left_out)


def estimate(text: str) -> int:
    """How many tokens a text has, about."""
    return -(-len(text) // CHARS_A_TOKEN)


def _core_memories(service: Service, caller: Caller, now: datetime) -> list[Memory]:
    """Type by type, for which a store may have pointers, so that it need not look at all memories."""
    with service.store.snapshot():
        return [one for kind in CORE_TYPES for one in _all(service, caller, Filters(type=kind, importance="high"), now)]


def _all(service: Service, caller: Caller, filters: Filters, now: datetime) -> Iterator[Memory]:
    cursor = None
    while True:
        page = service.store.list(caller.owner, filters, now, cursor, _PAGE)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def _chosen(ordered: Sequence[Memory], room: int) -> set[str]:
    """Ids of the memories that fit into that many characters, beside the frame."""
    lines = {one.memory_id: len(_line(one)) + 1 for one in reversed(ordered)}
    whole = len(_TITLE) + sum(lines.values())
    if whole <= room:
        return set(lines)
    left = room - len(_text([], len(ordered)))
    kept: set[str] = set()
    for memory_id, size in lines.items():
        if size <= left:
            kept.add(memory_id)
            left -= size
    return kept


def _age(memory: Memory) -> tuple[datetime, str]:
    return memory.created_at, memory.memory_id


def _line(memory: Memory) -> str:
    return f"- [{memory.type}] {' '.join(memory.content.split())}"


def _text(lines: Sequence[str], left_out: int) -> str:
    more = [_MORE.format(count=left_out)] if left_out else []
    return "\n".join([_TITLE, *lines, *more]) if lines or more else ""

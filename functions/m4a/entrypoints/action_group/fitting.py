"""Makes an answer fit: whole memories are left out from its end; if not even one fits, its text is cut.

``truncated`` says that something is missing, ``omitted`` how many memories; a memory whose text was cut is marked too.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any

from m4a.domain.errors import TooLarge

Document = Mapping[str, Any]
Fits = Callable[[Document], bool]

_LISTS = {"memories": 1, "similar": 0}
"""Members that hold memories, and how many of them must stay."""


def fitted(document: Document, fits: Fits) -> Document:
    """The document itself if it fits, else as much of it as does. Raises TooLarge."""
    if fits(document):
        return document
    shorter: Document = {**document, "truncated": True}
    for name, least in _LISTS.items():
        if name in shorter:
            shorter = _with_fewer(shorter, name, least, fits)
    if not fits(shorter):
        shorter = _with_cut_text(shorter, fits)
    if not fits(shorter):
        raise TooLarge("The answer has more bytes than a Bedrock agent takes. Ask for less.")
    return shorter


def _with_fewer(document: Document, name: str, least: int, fits: Fits) -> Document:
    rows = document[name]

    def first(count: int) -> Document:
        omitted = {"omitted": len(rows) - count} if count < len(rows) else {}
        return {**document, name: rows[:count], **omitted}

    return first(_most(min(least, len(rows)), len(rows), lambda count: fits(first(count))))


def _with_cut_text(document: Document, fits: Fits) -> Document:
    """Cuts the text of the one memory that the document is about: the first, the current one, or itself."""
    text = _memory(document).get("content", "")

    def cut(length: int) -> Document:
        memory = {**_memory(document), "content": text[:length], "truncated": True}
        if document.get("memories"):
            return {**document, "memories": [memory, *document["memories"][1:]]}
        return {**document, "current": memory} if "current" in document else memory

    return cut(_most(0, len(text), lambda length: fits(cut(length)))) if text else document


def _memory(document: Document) -> Document:
    return document["memories"][0] if document.get("memories") else document.get("current", document)


def _most(least: int, most: int, fits: Callable[[int], bool]) -> int:
    """The largest number that fits; the least if none does."""
    return least + bisect_left(range(least + 1, most + 1), 1, key=lambda number: 0 if fits(number) else 1)

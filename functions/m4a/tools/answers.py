"""What people and programs are answered beside the tools, as plain JSON: the same over HTTP and by the command."""

from collections.abc import Sequence
from typing import Any

from m4a.application.context import core_block
from m4a.application.erasing import erase
from m4a.application.exporting import export_page
from m4a.application.importing import Imported
from m4a.application.listing import history, list_memories, show
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput
from m4a.domain.owner import Caller
from m4a.tools.plain import memory_fields, version_fields
from m4a.tools.queries import ListQuery
from m4a.tools.transfer import export_header, export_line

SHOWN_FAILURES = 100
_COUNTS = ("created", "existing", "expired", "renamed", "not_embedded")


def list_answer(service: Service, caller: Caller, asked: ListQuery) -> dict[str, Any]:
    """One page of a listing, newest first. Raises InvalidInput for a wrong cursor."""
    page = list_memories(service, caller, asked.filters(), asked.cursor, asked.limit)
    return {"memories": [memory_fields(one) for one in page.items], "next": page.next}


def show_answer(service: Service, caller: Caller, memory_id: str) -> dict[str, Any]:
    """One memory. Raises NotFound."""
    return memory_fields(show(service, caller, memory_id))


def history_answer(service: Service, caller: Caller, memory_id: str) -> dict[str, Any]:
    """A memory and its earlier versions. Raises NotFound."""
    with service.store.snapshot():
        memory, versions = history(service, caller, memory_id)
    return {"memory": memory_fields(memory), "history": [version_fields(one) for one in versions]}


def context_answer(service: Service, caller: Caller, max_tokens: int) -> dict[str, Any]:
    """The core block, and which memories are in it and which did not fit."""
    block = core_block(service, caller, max_tokens)
    chosen = {"memories": block.included, "left_out": block.left_out}
    ids = {
        name: [{"memory_id": one.memory_id, "version": one.version} for one in rows] for name, rows in chosen.items()
    }
    return {"text": block.text, "tokens": block.tokens, "max_tokens": max_tokens, **ids}


def export_rows(service: Service, caller: Caller, cursor: str | None) -> tuple[list[dict[str, Any]], str | None]:
    """One page of an export as lines, the first with its header; and the cursor of the next page."""
    with service.store.snapshot():  # so that each memory and its history are of one moment
        page = export_page(service, caller, cursor)
    rows = [export_line(memory, versions) for memory, versions in page.memories]
    return [export_header(service.clock.now()), *rows] if page.first else rows, page.next


def import_answer(
    lines: int, result: Imported, failed: int, failures: Sequence[dict[str, Any]], next_line: int | None
) -> dict[str, Any]:
    """What an import did. ``failures`` name lines that could not be read: at most the first hundred of ``failed``."""
    counts = {name: getattr(result, name) for name in _COUNTS}
    return {
        "lines": lines,
        **counts,
        "failed": failed,
        "failures": list(failures[:SHOWN_FAILURES]),
        "next": next_line,
    }


def erase_answer(service: Service, caller: Caller, confirm: str) -> dict[str, Any]:
    """Erases for as long as one call may take; ``next`` is "again" while more is left.

    Raises InvalidInput if ``confirm`` is not the user's id.
    """
    if confirm != caller.owner.user:
        raise InvalidInput.of("confirm", "is not the id of this user", "the user id whose memories are to be erased")
    result = erase(service, caller, "everything of this owner was erased")
    return {"erased": result.erased, "next": None if result.done else "again"}

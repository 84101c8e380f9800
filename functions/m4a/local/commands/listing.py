"""Commands that show memories as they are."""

from collections.abc import Mapping
from typing import Any

import click

from m4a.application.service import Service
from m4a.domain.owner import Caller
from m4a.local.commands.options import Decorator, field, given, tags
from m4a.local.output import console, memory_cell, note, plain, say, show_fields, show_memories, table
from m4a.local.session import Session, with_session
from m4a.tools.answers import history_answer, list_answer, show_answer
from m4a.tools.inputs import RecallInput, read
from m4a.tools.queries import DEFAULT_PAGE, MAX_PAGE, ListQuery


def listing_options(command: Any) -> Any:
    """Filters and paging of a listing."""
    options: tuple[Decorator, ...] = (
        field(RecallInput, "type"),
        field(RecallInput, "importance"),
        tags("Only memories that carry this tag; of several, all."),
        field(RecallInput, "time_range"),
        click.option(
            "--limit",
            metavar="NUMBER",
            help=f"How many memories at most, 1 to {MAX_PAGE}; {DEFAULT_PAGE} if not given.",
        ),
        click.option("--cursor", help="Go on where an earlier listing with the same filters ended: its `next`."),
        click.option("--all", "everything", is_flag=True, help="All memories, however many."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def listed(service: Service, caller: Caller, everything: bool, options: Mapping[str, Any]) -> dict[str, Any]:
    """One page of a listing, or all of them as one."""
    if not everything:
        return list_answer(service, caller, read(ListQuery, given(**options)))
    if options["limit"] is not None:
        raise click.UsageError("--all and --limit can't be given together.")
    memories: list[dict[str, Any]] = []
    cursor = options["cursor"]
    with service.store.snapshot():
        while True:
            asked = read(ListQuery, given(**{**options, "limit": MAX_PAGE, "cursor": cursor}))
            page = list_answer(service, caller, asked)
            memories += page["memories"]
            cursor = page["next"]
            if cursor is None:
                return {"memories": memories, "next": None}


def show_listed(answer: Mapping[str, Any]) -> None:
    """The page for people."""
    if answer["memories"]:
        show_memories(answer["memories"])
    elif not answer["next"]:
        say("No memory matches.")
    if answer["next"]:
        note(f"There are more: add --all, or --cursor {answer['next']}")


@click.command("list")
@listing_options
@with_session
def list_command(session: Session, everything: bool, **options: Any) -> None:
    """List memories, newest first."""
    with session.service() as (service, caller):
        session.answer(listed(service, caller, everything, options), show_listed)


@click.command("show")
@click.argument("memory_id")
@with_session
def show_command(session: Session, memory_id: str) -> None:
    """Show all of MEMORY_ID."""
    with session.service() as (service, caller):
        session.answer(show_answer(service, caller, memory_id), show_fields)


@click.command("history")
@click.argument("memory_id")
@with_session
def history_command(session: Session, memory_id: str) -> None:
    """Show MEMORY_ID and its earlier versions, newest first."""
    with session.service() as (service, caller):
        session.answer(history_answer(service, caller, memory_id), _show_history)


def _show_history(answer: Mapping[str, Any]) -> None:
    memory = answer["memory"]
    rows = table("Version", "From", "Until", "Memory", whole=("Version",))
    for one in (memory, *answer["history"]):
        until = one.get("replaced_at", "now")
        rows.add_row(str(one["version"]), plain(one["updated_at"]), plain(until), memory_cell(one))
    console().print(rows)

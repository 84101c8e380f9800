"""Answers for people: tables on stdout, notes on stderr. Texts are wrapped, never cut; none can steer the terminal."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from m4a.local.failures import one_line, visible

MIN_WIDTH = 60

Fields = Mapping[str, Any]


def console(stream: TextIO | None = None) -> Console:
    """For stdout by default; plain text where that is not a terminal."""
    made = Console(file=stream or sys.stdout, highlight=False, markup=False, emoji=False)
    made.width = max(made.width, MIN_WIDTH)
    return made


def say(text: str) -> None:
    """One line on stdout."""
    click.echo(one_line(text))


def note(text: str) -> None:
    """One line on stderr."""
    click.echo(one_line(text), err=True)


def note_degraded(answer: Fields) -> None:
    """Tells what could not run."""
    for reason in answer.get("degraded", ()):
        note(f"Note: {reason['message']}")


def plain(text: object, style: str = "") -> Text:
    """The text as it is, without markup."""
    return Text(visible(str(text)), style, overflow="fold")


def table(*columns: str, whole: Sequence[str] = ("Id",)) -> Table:
    """A table with these columns; those of ``whole`` are never wrapped."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for name in columns:
        made.add_column(name, no_wrap=name in whole, overflow="fold")
    return made


def show_fields(fields: Fields) -> None:
    """Names and values, one pair a line; what is not set is left out."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in fields.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if text not in (None, ""):
            grid.add_row(plain(name, "dim"), plain(text))
    console().print(grid)


def memory_cell(memory: Fields, *more: str) -> Text:
    """The text of a memory, and under it what else is known of it."""
    parts = [memory["type"], memory["importance"], *(f"#{tag}" for tag in memory["tags"])]
    more_fields = ("event_time", "expires_at", "source")
    parts += [f"{name.replace('_', ' ')} {memory[name]}" for name in more_fields if memory.get(name)]
    parts.append(f"version {memory['version']}")
    if "created_at" in memory:
        parts.append(f"created {memory['created_at'][:10]}")
    cell = plain(memory["content"])
    for line in (" · ".join(parts), *more):
        cell.append("\n").append(one_line(line), "dim")
    return cell


def show_memories(memories: Sequence[Fields]) -> None:
    """A table of memories."""
    rows = table("Id", "Memory")
    for memory in memories:
        rows.add_row(memory["memory_id"], memory_cell(memory))
    console().print(rows)

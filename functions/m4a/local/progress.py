"""Progress of long commands, on stderr."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from m4a.local.output import console

Advance = Callable[[int, int, int | None], None]
"""Takes what was counted so far, then how much of the whole is done, and the whole or None if it is not known."""


@contextmanager
def progress(doing: str, counted: str, *, quiet: bool) -> Generator[Advance]:
    """A bar on a terminal, one line at the end elsewhere, nothing if ``quiet``. ``counted`` names what is counted."""
    if quiet:
        yield _nothing
        return
    text = TextColumn("{task.fields[text]}")
    columns = (TextColumn(doing), BarColumn(), TaskProgressColumn(), text, TimeElapsedColumn())
    with Progress(*columns, console=console(sys.stderr), redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(doing, total=None, text="")

        def advance(count: int, done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total, text=f"{count:,} {counted}")

        yield advance


def _nothing(_count: int, _done: int, _total: int | None) -> None:
    pass

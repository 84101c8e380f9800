"""The command that copies the store."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from m4a.adapters.sqlite.database import Database
from m4a.domain.errors import InvalidInput
from m4a.local.output import say
from m4a.local.progress import progress
from m4a.local.session import Session, with_session


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@with_session
def backup_command(session: Session, file: Path) -> None:
    """Copy the store to the new file FILE, while it is in use.

    FILE is a store itself, of all users, with histories, audit and receipts: use it with --db. Nobody else can read it.
    It keeps what is forgotten in the store later.
    """
    source = session.existing_file()
    if file.exists():
        raise InvalidInput.of("file", f"{file} exists already", "a name that is free")
    with closing(Database.open(source)) as database, progress("Copying", "pages", quiet=session.as_json) as advance:
        database.backup(file, lambda done, total: advance(done, done, total))
    session.answer({"file": str(file), "bytes": file.stat().st_size}, _show_copied)


def _show_copied(answer: Mapping[str, Any]) -> None:
    say(f"Copied the store to {answer['file']}, {answer['bytes']:,} bytes.")

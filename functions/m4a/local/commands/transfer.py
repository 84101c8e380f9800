"""Commands that carry memories out of the store and into it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from m4a.domain.errors import FieldProblem, InvalidInput
from m4a.local.failures import STATUSES, sentence
from m4a.local.files import STDIO
from m4a.local.output import note, say
from m4a.local.session import Session, with_session
from m4a.local.transfers import export_all, import_all


@click.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), required=False)
@with_session
def export_command(session: Session, file: Path | None) -> None:
    """Write all memories with their histories to FILE, or to stdout.

    The format is m4a-export/1, JSON Lines, which `m4a import` reads back without loss. FILE appears, and replaces an
    earlier one, only when it is complete; nobody else can read it.
    """
    with session.service() as (service, caller):
        target = export_target(session, file)
        count = export_all(service, caller, target, quiet=session.as_json)
    answer_export(session, target, count)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@with_session
def import_command(session: Session, file: Path) -> None:
    """Store the memories that FILE holds; - reads stdin.

    FILE has one JSON object a line: what `m4a export` wrote, or as little as {"content": "…"}. Ids, times and histories
    are kept. What is there already stays as it is, so an import that was interrupted can simply be run again. Lines
    that can't be read are named and skipped; the status is then 2.
    """
    with session.service(with_model=True, create=True) as (service, caller):
        answer = import_all(service, caller, file, quiet=session.as_json)
    session.answer(answer, _show_imported)
    if answer["failed"]:
        click.get_current_context().exit(STATUSES[InvalidInput.code])


def export_target(session: Session, file: Path | None) -> Path | None:
    """Where to write: None for stdout. Raises InvalidInput for a file of the store itself."""
    if file is None or str(file) == STDIO:
        return None
    store = session.settings.db_path
    names = [store.name + suffix for suffix in ("", "-wal", "-shm", "-journal")]
    if any(_same(file, store.with_name(name)) for name in names):
        raise InvalidInput.of("file", f"{file} belongs to the store itself", "any other file")
    return file


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve() or (one.exists() and other.exists() and one.samefile(other))


def answer_export(session: Session, target: Path | None, count: int) -> None:
    """Says what was written, unless stdout holds the export itself."""
    if target is not None:
        session.answer(
            {"file": str(target), "memories": count}, lambda _: say(f"Wrote {count:,} memories to {target}.")
        )


def note_failures(answer: Mapping[str, Any]) -> None:
    """Names the lines that could not be read."""
    for failure in answer["failures"]:
        problems = [FieldProblem(one["field"], one["message"], one.get("allowed")) for one in failure["errors"]]
        note(f"Line {failure['line']}: {sentence(InvalidInput(problems))}")
    if answer["failed"] > len(answer["failures"]):
        note(f"{answer['failed'] - len(answer['failures']):,} more lines could not be read.")


def _show_imported(answer: Mapping[str, Any]) -> None:
    note_failures(answer)
    counts = (
        ("new", answer["created"]),
        ("known already", answer["existing"]),
        ("expired", answer["expired"]),
        ("not readable", answer["failed"]),
        ("stored under a new id", answer["renamed"]),
        ("not embedded yet", answer["not_embedded"]),
    )
    parts = [f"{count:,} {label}" for label, count in counts if count]
    say(f"{answer['lines']:,} lines: {', '.join(parts) or 'no memory in them'}.")

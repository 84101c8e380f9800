"""Commands that carry what was forgotten out of a store, and into one that was restored from an older backup."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

import click

from m4a.application.replaying import Replayed, replay_records
from m4a.domain.errors import InvalidInput
from m4a.local.commands.transfer import export_target, note_failures
from m4a.local.failures import STATUSES
from m4a.local.files import batches, read_from, written
from m4a.local.forgotten_file import BadLine, Record, lines_of, read_records
from m4a.local.output import say
from m4a.local.progress import Advance, progress
from m4a.local.session import Session, with_session
from m4a.tools.answers import SHOWN_FAILURES


@click.command("receipts")
@click.option("--output", "file", type=click.Path(dir_okay=False, path_type=Path), help="The file; stdout without it.")
@with_session
def receipts_command(session: Session, file: Path | None) -> None:
    """Write what was ever forgotten, of all users, for a later replay-receipts.

    JSON Lines: receipts, and erasures of all that a user had. No content of memories, but the reasons that were given.
    The file appears, and replaces an earlier one, only when it is complete; nobody else can read it. Keep it apart from
    the store. It reads the whole store.
    """
    target = export_target(session, file)
    count = 0
    with (
        session.operator() as operator,
        written(target) as stream,
        progress("Writing", "records", quiet=session.as_json or target is None) as advance,
    ):
        lines = lines_of(operator.forgotten.records(), operator.service.clock.now())
        for count, line in enumerate(lines, start=-1):  # the first and the last line are no records
            stream.write(line)
            advance(max(count, 0), 0, None)
    if target is not None:
        answer = {"file": str(target), "records": count}
        session.answer(answer, lambda _: say(f"Wrote {count:,} receipts and erasures to {target}."))


@click.command("replay-receipts")
@click.argument("file", type=click.Path(path_type=Path))
@with_session
def replay_command(session: Session, file: Path) -> None:
    """Forget again what a restored store brought back.

    FILE is what `m4a admin receipts` has written, best from the store that was in use until now; - reads stdin. Run it
    before anyone uses the restored store. Safe to stop and to run again. Lines that can't be read are named and
    skipped; the status is then 2.
    """
    bad: list[BadLine] = []
    total = Replayed()
    with (
        session.operator() as operator,
        read_from(file) as (stream, size),
        progress("Replaying", "lines", quiet=session.as_json) as advance,
    ):
        records = _good(read_records(_lines(stream, size, advance)), bad)
        for owner, group in groupby(records, key=attrgetter("owner")):
            caller = session.operator_for(owner)
            total += replay_records(operator.service, operator.forgotten, caller, [one.what for one in group])
    session.answer(_answer(total, bad), _show_replayed)
    if bad:
        click.get_current_context().exit(STATUSES[InvalidInput.code])


def _lines(stream: BinaryIO, size: int | None, advance: Advance) -> Iterator[bytes]:
    count = done = 0
    for batch in batches(stream):
        yield from batch
        count += len(batch)
        done += sum(map(len, batch))
        advance(count, done, size)


def _good(lines: Iterable[Record | BadLine], bad: list[BadLine]) -> Iterator[Record]:
    """The records; what is none goes to ``bad``."""
    for one in lines:
        if isinstance(one, Record):
            yield one
        else:
            bad.append(one)


def _answer(total: Replayed, bad: Sequence[BadLine]) -> dict[str, Any]:
    shown = [{"line": line, **problem.details()} for line, problem in bad[:SHOWN_FAILURES]]
    return {**asdict(total), "failed": len(bad), "failures": shown}


def _show_replayed(answer: Mapping[str, Any]) -> None:
    note_failures(answer)
    counts = (
        ("forgotten again", answer["come_back"]),
        ("receipts put back", answer["put_back"]),
        ("known already", answer["known"]),
        ("stray items erased", answer["strays"]),
        ("erasures of users repeated", answer["erasures"]),
    )
    parts = [f"{count:,} {label}" for label, count in counts if count]
    say(f"{', '.join(parts)}." if parts else "There was nothing to forget.")

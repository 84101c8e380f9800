"""The command that looks whether all is well."""

import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from m4a.adapters.errors import Unusable
from m4a.adapters.sqlite.checkup import Checkup, check_up
from m4a.adapters.sqlite.database import Database
from m4a.bootstrap import load_embedder
from m4a.domain.errors import M4AError
from m4a.domain.text import RULES
from m4a.local.aws_checkup import check_aws, model_hint
from m4a.local.failures import UNUSABLE
from m4a.local.findings import Finding, check_model
from m4a.local.output import console, plain, table
from m4a.local.session import Session, with_session
from m4a.ports import Embedder

_OPEN_TO_OTHERS = 0o077


@click.command("doctor")
@with_session
def doctor_command(session: Session) -> None:
    """Check the store and the embedding model, and say what is wrong.

    Reads the whole file; in the profile aws, a little of the table and of the search index. The status is 5 if there is
    a problem. A file that is not there yet is a problem only if --db or M4A_DB names it.
    """
    findings = list(_check(session))
    ok = all(one.ok for one in findings)
    session.answer({"ok": ok, "checks": [asdict(one) for one in findings]}, _show)
    if not ok:
        click.get_current_context().exit(UNUSABLE)


def _check(session: Session) -> Iterator[Finding]:
    settings = session.settings
    load = partial(load_embedder, settings)
    if settings.profile == "aws":
        embedder, of_model = check_model(load, "it answers.", hint=model_hint(settings))
        try:
            with session.operator() as operator:
                yield from check_aws(operator, settings, embedder)
        except Unusable as error:
            yield Finding("index", False, str(error))
        yield from of_model
        return
    embedder, of_model = check_model(load, "its files are the right ones.")
    path = settings.db_path
    if path.exists():
        yield from _check_file(path, embedder)
    else:
        named = "db" in settings.model_fields_set
        yield Finding("file", not named, f"{path} does not exist yet: init, remember, import or serve makes it.")
    yield from of_model


def _check_file(path: Path, embedder: Embedder | None) -> Iterator[Finding]:
    mode = stat.S_IMODE(path.stat().st_mode)
    try:
        with closing(Database.open(path)) as database:
            yield Finding("file", True, f"{path}, {path.stat().st_size:,} bytes.")
            yield _permissions(path, mode)
            yield from _check_store(check_up(database), embedder)
    except Unusable as error:
        yield Finding("file", False, str(error))
    except M4AError as error:
        yield Finding("integrity", False, error.message)


def _permissions(path: Path, before: int) -> Finding:
    now = stat.S_IMODE(path.stat().st_mode)
    if now & _OPEN_TO_OTHERS:
        return Finding("permissions", False, f"Others can reach the file: its mode is {now:04o}. Set it to 0600.")
    taken = f" It was {before:04o}; that was taken back now." if before != now else ""
    return Finding("permissions", True, f"Only you can reach the file: its mode is {now:04o}.{taken}")


def _check_store(found: Checkup, embedder: Embedder | None) -> Iterator[Finding]:
    yield Finding("schema", True, f"Version {found.schema}.")
    yield Finding("integrity", not found.damage, "; ".join(found.damage) or "SQLite finds no damage.")
    known = found.token_rules == RULES
    other = f"The stored words follow rules {found.token_rules}, this version has {RULES}: run m4a reindex."
    yield Finding("token rules", known, f"Version {RULES}." if known else other)
    yield Finding("memories", True, f"Memories: {found.memories:,}. Users that have some: {found.owners:,}.")
    if found.not_embedded:
        missing = f"{found.not_embedded:,} memories are not embedded: run m4a sweep, or leave m4a serve running."
        yield Finding("embeddings", False, missing)
    foreign = sum(count for model, count in found.models.items() if embedder and model != embedder.model)
    if foreign:
        yield Finding("embeddings", False, f"{foreign:,} memories were embedded by another model: run m4a reindex.")
    if not found.not_embedded and not foreign:
        yield Finding("embeddings", True, "All memories are embedded.")


def _show(answer: Mapping[str, Any]) -> None:
    rows = table("", "Check", "Finding", whole=("", "Check"))
    for one in answer["checks"]:
        mark = plain("ok", "green") if one["ok"] else plain("problem", "bold red")
        rows.add_row(mark, one["check"], plain(one["finding"]))
    console().print(rows)

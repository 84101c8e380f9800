"""What the command says when it fails: one sentence or one problem document on stderr, and an exit status."""

import re
from collections.abc import Mapping
from typing import Any

import click

from m4a.adapters.errors import Unusable
from m4a.domain.errors import Conflict, InvalidInput, M4AError, Unavailable
from m4a.entrypoints.http import to_json
from m4a.entrypoints.outcomes import known, problem
from m4a.local.access import CannotStart
from m4a.local.extras import not_installed

UNUSABLE = 5
INTERRUPTED = 130
STATUSES: Mapping[str, int] = {
    "internal": 1,
    "invalid_input": 2,
    "too_large": 2,
    "unauthenticated": 2,
    "forbidden": 2,
    "not_found": 3,
    "conflict": 4,
    "throttled": UNUSABLE,
    "unavailable": UNUSABLE,
}
"""Exit status by error code."""

_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def report(error: Exception, request_id: str, *, as_json: bool) -> int:
    """Tells the error on stderr and answers the exit status."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return error.exit_code
    ours = known(_translated(error), request_id)
    if as_json:
        click.echo(to_json(_document(ours, error, request_id)).encode(), err=True)
    else:
        click.echo(f"{click.style('Error:', fg='red', bold=True)} {one_line(sentence(ours))}", err=True)
    return STATUSES[ours.code]


def sentence(error: M4AError) -> str:
    """The error for people: for wrong input each problem and what is allowed, for a conflict the state there is."""
    if isinstance(error, InvalidInput):
        return " ".join(_problem_sentence(p.field, p.message, p.allowed) for p in error.problems)
    if isinstance(error, Conflict):
        current: Mapping[str, Any] = error.current or {}
        state = f" It has version {current['version']}: {current['content']}" if current else ""
        which = f" Its id is {error.memory_id}." if error.memory_id and error.reason == "duplicate" else ""
        return error.message + which + state
    return error.message


def visible(text: str) -> str:
    """The text with a replacement character for each control character, which could steer a terminal."""
    return _UNSAFE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The same on one line, so that no text of a user's can pose as a line of ours."""
    return " ".join(visible(text).splitlines())


def _translated(error: Exception) -> Exception:
    """Errors that only the command meets, as errors of the contract."""
    match error:
        case click.UsageError():
            where = f" See `{error.ctx.command_path} --help`." if error.ctx else ""
            return InvalidInput.of("command", error.format_message() + where)
        case CannotStart():
            return InvalidInput.of("settings", str(error))
        case ModuleNotFoundError() if told := not_installed(error):
            return InvalidInput.of("settings", told)
        case Unusable():
            return Unavailable(str(error))
        case _:
            return error


def _document(ours: M4AError, error: Exception, request_id: str) -> dict[str, Any]:
    document = problem(ours, request_id)
    if isinstance(error, Unusable):
        del document["retry_after"]  # trying again does not mend it
    return document


def _problem_sentence(field: str, message: str, allowed: str | None) -> str:
    if field in ("command", "settings"):
        return message
    return f"{field} {message}." + (f" Allowed: {allowed}." if allowed else "")

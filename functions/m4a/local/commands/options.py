"""Options that several commands have. Their help is what the tools' schemas say of the same fields."""

import sys
from collections.abc import Callable
from typing import Any

import click
from pydantic import BaseModel

from m4a.domain.errors import InvalidInput
from m4a.domain.memory import IMPORTANCES, MEMORY_TYPES
from m4a.entrypoints.http import MAX_JSON_BYTES, too_large
from m4a.local.files import STDIO

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
_CHOICES = {"type": MEMORY_TYPES, "importance": IMPORTANCES}
_METAVARS = {
    "limit": "NUMBER",
    "expected_version": "NUMBER",
    "event_time": "TIME",
    "expires_at": "TIME",
    "time_range": "START/END",
}


def field(model: type[BaseModel], name: str) -> Decorator:
    """The option for one field of a tool's input. Values are checked by the tool; what is not given is not sent."""
    described = model.model_fields[name].description
    choices = _CHOICES.get(name)
    return click.option(
        "--" + name.replace("_", "-"),
        name,
        type=click.Choice(choices, case_sensitive=False) if choices else str,
        metavar=_METAVARS.get(name),
        help=described,
    )


def tags(help: str) -> Decorator:
    """The option --tag, which may be given several times; it becomes the argument ``tags``."""
    return click.option("--tag", "tags", multiple=True, metavar="TAG", help=f"{help} May be given several times.")


def given(**values: Any) -> dict[str, Any]:
    """The arguments that were given, as a tool takes them."""
    return {
        name: list(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType]
        for name, value in values.items()
        if value not in (None, ())
    }


def text_or_stdin(text: str | None) -> str | None:
    """The text itself; for ``-`` what stdin holds, without the line break at its end.

    Raises InvalidInput for what is not UTF-8, TooLarge.
    """
    if text != STDIO:
        return text
    data = sys.stdin.buffer.read(MAX_JSON_BYTES + 1)
    if len(data) > MAX_JSON_BYTES:
        raise too_large(MAX_JSON_BYTES)
    try:
        return data.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise InvalidInput.of("content", "is not valid UTF-8", "text in UTF-8 on stdin") from None

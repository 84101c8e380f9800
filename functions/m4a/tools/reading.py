"""How values are read, at every entry point: one layer of coercion and checks. ``fields`` makes pydantic types of them.

Integers take ``"2"`` and ``2.0``. A list takes a list, JSON text, ``[a, b]`` or bare text, split on commas only where a
string came; elements of a list are never split. Content is never parsed. None means absent.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, NoReturn, cast

from pydantic_core import PydanticCustomError

from m4a.domain.memory import (
    MAX_TAG_CHARS,
    MAX_TAGS,
    is_blank,
    normalise_tags,
)
from m4a.domain.times import ALLOWED_RANGE, ALLOWED_TIME, EventTime, StartAfterEnd, TimeRange

CLEAR = "clear"
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?")


def refuse(message: str, allowed: str) -> NoReturn:
    """Fails the field with a sentence and what is allowed instead."""
    raise PydanticCustomError("m4a", "{message}", {"message": message, "allowed": allowed})


def read_text(value: object, allowed: str = "text") -> str:
    """A string that can be stored and sent as UTF-8."""
    if not isinstance(value, str):
        refuse("is not a string", allowed)
    if "\0" in value:
        refuse("holds a NUL character", "text without NUL")
    if any("\ud800" <= char <= "\udfff" for char in value):
        refuse("holds half of a surrogate pair", "well-formed Unicode text")
    return value


def bounded(most: int, *, trim: bool = False) -> Callable[[object], str]:
    allowed = f"1 to {most:,} characters, not blank"

    def check(value: object) -> str:
        text = read_text(value, allowed)
        text = text.strip() if trim else text
        if is_blank(text):
            refuse("is blank", allowed)
        if len(text) > most:
            refuse(f"has {len(text):,} characters", allowed)
        return text

    return check


def one_of(choices: tuple[str, ...]) -> Callable[[object], str]:
    allowed = ", ".join(choices)

    def check(value: object) -> str:
        word = value.strip().lower() if isinstance(value, str) else ""
        if word not in choices:
            refuse("is not one of the allowed words", allowed)
        return word

    return check


def whole(least: int, most: int) -> Callable[[object], int]:
    allowed = f"a whole number from {least} to {most}"

    def check(value: object) -> int:
        if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value.strip()):
            value = int(value.strip().partition(".")[0])
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            refuse("is not a whole number", allowed)
        if not least <= value <= most:
            refuse("is out of range", allowed)
        return value

    return check


def read_flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    refuse("is neither true nor false", "true, false")


def read_list(value: object, allowed: str) -> list[object]:
    """A list, or the list that a text stands for."""
    if isinstance(value, list):
        return cast("list[object]", value)
    return _elements(read_text(value, allowed).strip())


def names_nothing(value: object) -> bool:
    """Whether what stands for a list has nothing but blanks in it: that says nothing, while ``[]`` says "none"."""
    rows = _elements(value.strip()) if isinstance(value, str) else value
    if not isinstance(rows, list) or not rows:
        return False
    return all(isinstance(row, str) and is_blank(row) for row in cast("list[object]", rows))


def _elements(text: str) -> list[object]:
    if text.startswith("[") and text.endswith("]"):
        parsed = _json_texts(text)
        if parsed is not None:
            return parsed
        text = text[1:-1]
    return [part.strip().strip("\"'") for part in text.split(",")]


def _json_texts(text: str) -> list[object] | None:
    """The elements of a JSON list of strings; None for anything else, a list with numbers too: their digits count."""
    try:
        parsed: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    rows = cast("list[object]", parsed)
    return rows if all(isinstance(row, str) for row in rows) else None


def read_tags(value: object) -> tuple[str, ...]:
    allowed = f"at most {MAX_TAGS} tags of 1 to {MAX_TAG_CHARS} characters"
    tags = normalise_tags(read_text(tag, allowed) for tag in read_list(value, allowed))
    if len(tags) > MAX_TAGS:
        refuse(f"has {len(tags)} tags", allowed)
    if any(len(tag) > MAX_TAG_CHARS for tag in tags):
        refuse(f"has a tag of more than {MAX_TAG_CHARS} characters", allowed)
    return tags


def read_event_time(value: object) -> EventTime:
    try:
        return EventTime.parse(read_text(value, ALLOWED_TIME))
    except ValueError:
        refuse("can't be read as a time", ALLOWED_TIME)


def read_expiry(value: object) -> datetime:
    return read_event_time(value).end


def or_clear(read: Callable[[object], object]) -> Callable[[object], object]:
    def check(value: object) -> object:
        cleared = isinstance(value, str) and value.strip().lower() == CLEAR
        return CLEAR if cleared else read(value)

    return check


def read_range(value: object) -> TimeRange:
    sides = _range_sides(value)
    try:
        return TimeRange.parse(*(None if side is None else read_text(side, ALLOWED_RANGE) for side in sides))
    except StartAfterEnd:
        refuse("has its start after its end", ALLOWED_RANGE)
    except ValueError:
        refuse("can't be read as a range of times", ALLOWED_RANGE)


def _range_sides(value: object) -> tuple[object, object]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            refuse("can't be read as a range of times", ALLOWED_RANGE)
    if isinstance(value, dict):
        sides = cast("dict[str, object]", value)
        if not sides or not sides.keys() <= {"start", "end"}:
            refuse("takes only start and end", ALLOWED_RANGE)
        return sides.get("start"), sides.get("end")
    start, slash, end = read_text(value, ALLOWED_RANGE).partition("/")
    if not slash:
        refuse("is not a range", ALLOWED_RANGE)
    return start, end

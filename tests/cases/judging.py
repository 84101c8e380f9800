"""What the checks are written with."""

import re
from typing import Any, cast

_STEP_OF_PATH = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_MISSING = object()


class CheckFailed(Exception):
    """The check does not hold; the message says what was found instead."""


class CannotTell(Exception):
    """The check can't be answered in this profile: it neither holds nor fails."""


def require(holds: object, found: str) -> None:
    """Raises CheckFailed, with what was found, if it does not hold."""
    if not holds:
        raise CheckFailed(found)


def at_path(document: Any, path: str) -> Any:
    """The value at a path such as ``memories[0].score``. Raises CheckFailed if there is none."""
    value = document
    for name, position in _STEP_OF_PATH.findall(path):
        value = _member(value, name) if name else _item(value, int(position))
        require(value is not _MISSING, f"there is no {path}")
    return value


def same(one: Any, other: Any) -> bool:
    """Equal as JSON values: true is not 1, 2 is 2.0."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _member(value: Any, name: str) -> Any:
    return cast("dict[str, Any]", value).get(name, _MISSING) if isinstance(value, dict) else _MISSING


def _item(value: Any, position: int) -> Any:
    items = cast("list[Any]", value if isinstance(value, list) else [])
    return items[position] if position < len(items) else _MISSING

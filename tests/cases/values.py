"""Values of a case that are not written out: ids of memories made by earlier steps, long texts, loop numbers."""

from collections.abc import Mapping
from typing import Any, cast


class CannotBuild(Exception):
    """A value can't be built: unknown form, or an id that no step has saved."""


def build(value: Any, ids: Mapping[str, str], number: int = 0) -> Any:
    """The value with every ``$`` form in it replaced. ``number`` is the loop number, from 0.

    ``{"$ref": name}``                     the id that was saved under this name
    ``{"$prefix": [name, length, text]}``  the first characters of that id, then the text
    ``{"$repeat": [text, times]}``         the text, or the list, so many times
    ``{"$concat": [...]}``                 the texts one after the other
    ``{"$join": [separator, [...]]}``      the texts with the separator between them; also flat: [separator, text, ...]
    ``{"$fmt": "box {i}"}``                the text with the loop number in it

    Raises CannotBuild.
    """
    if isinstance(value, list):
        return [build(item, ids, number) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    form = next(iter(members), "")
    if len(members) == 1 and form.startswith("$"):
        return _build_form(form, build(members[form], ids, number), ids, number)
    return {name: build(item, ids, number) for name, item in members.items()}


def _build_form(form: str, given: Any, ids: Mapping[str, str], number: int) -> Any:
    try:
        match form:
            case "$ref":
                return _id(given, ids)
            case "$prefix":
                name, length, text = given
                return _id(name, ids)[:length] + text
            case "$repeat":
                text, times = given
                return text * times
            case "$concat":
                return "".join(given)
            case "$join":
                separator, *texts = given
                return separator.join(texts[0] if len(texts) == 1 and isinstance(texts[0], list) else texts)
            case "$fmt":
                return given.format(i=number)
            case _:
                raise CannotBuild(f"unknown value {form}")
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise CannotBuild(f"{form} can't be built of {str(given)[:80]}") from error


def _id(name: str, ids: Mapping[str, str]) -> str:
    if name not in ids:
        raise CannotBuild(f"no step has saved a memory as {name}")
    return ids[name]

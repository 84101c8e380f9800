"""JSON as RFC 8259 has it, and only an object: what is unclear is refused, never guessed."""

import json
import math
from typing import NoReturn

from m4a.domain.errors import InvalidInput

JSON_OBJECT = "a JSON object in UTF-8"


def read_object(body: bytes) -> dict[str, object]:
    """The object that the bytes hold.

    Raises InvalidInput, naming the body or the field, for what ``parse_object`` refuses and for lone surrogates.
    """
    fields = parse_object(body)
    if b"\\u" in body:
        refuse_surrogates(fields)
    return fields


def parse_object(body: bytes) -> dict[str, object]:
    """The object that the bytes hold; its texts may hold lone surrogates.

    Raises InvalidInput, naming the body, for: anything but an object, broken JSON or UTF-8, a key given twice, numbers
    that are not finite, and nesting deeper than the parser goes.
    """
    value = parse(body)
    if not isinstance(value, dict):
        raise _refused("is not an object")
    return value  # pyright: ignore[reportUnknownVariableType]


def parse(body: bytes) -> object:
    """The same for any JSON value."""
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_without_duplicates,
            parse_float=_finite,
            parse_constant=_not_json,
        )
    except UnicodeDecodeError as error:
        raise _refused("is not valid UTF-8") from error
    except RecursionError as error:
        raise _refused("is nested too deeply") from error
    except ValueError as error:
        raise _refused("is empty" if not body.strip() else "is not valid JSON") from error


def refuse_surrogates(fields: dict[str, object]) -> None:
    """Raises InvalidInput naming the field that holds half of a surrogate pair, which UTF-8 can't carry."""
    for name, value in fields.items():
        try:
            json.dumps([name, value], ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            field = name if name.isprintable() else "body"  # a surrogate is not printable
            raise InvalidInput.of(field, "holds a lone surrogate", "text that UTF-8 can carry") from error


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _refused("has a key that is given twice")
    return fields


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _not_json(text)


def _not_json(_: str) -> NoReturn:
    raise _refused("holds a number that is not finite")


def _refused(message: str) -> InvalidInput:
    return InvalidInput.of("body", message, JSON_OBJECT)

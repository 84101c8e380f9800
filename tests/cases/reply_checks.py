"""Checks of one reply as such: outcome, status, errors, texts, members, size and time."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tests.cases.judging import CheckFailed, at_path, require, same
from tests.cases.reply import Reply
from tests.cases.run import Run

OUTCOMES = ("ok", "client_error", "not_found")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "number": (int, float),
    "integer": (int,),
    "string": (str,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def outcome(reply: Reply, expected: str | Sequence[str], _run: Run) -> None:
    allowed = _listed(expected)
    unknown = [one for one in allowed if one not in OUTCOMES]
    require(not unknown, f"unknown outcome {unknown}")
    require(reply.outcome in allowed, f"{reply}")


def http(reply: Reply, expected: int | Sequence[int], _run: Run) -> None:
    require(reply.status in _listed(expected), f"{reply}")


def never_http(reply: Reply, expected: int | Sequence[int], _run: Run) -> None:
    require(reply.status not in _listed(expected), f"{reply}")


def never_5xx(reply: Reply, expected: bool, _run: Run) -> None:
    require(((reply.status or 0) < 500) is expected, f"{reply}")


def no_exception(reply: Reply, expected: bool, _run: Run) -> None:
    require((reply.raised is None) is expected, f"it raised {reply.raised}")


def names_field(reply: Reply, expected: str, _run: Run) -> None:
    """An error that names the field: among its ``errors``, or as a word of its text."""
    require(reply.outcome != "ok", f"not an error: {reply}")
    rows = cast("list[dict[str, Any]]", _member(reply.value, "errors") or [])
    named = any(str(row.get("field", "")).partition(".")[0] == expected for row in rows)
    require(named or re.search(rf"\b{re.escape(expected)}\b", reply.texts()), f"{expected} is not named: {reply}")


def error_code(reply: Reply, expected: str, _run: Run) -> None:
    require(str(_member(reply.value, "code")).lower() == expected.lower(), f"{reply}")


def json_error(reply: Reply, expected: bool, _run: Run) -> None:
    """JSON by its type and its body, with a text that says what is wrong."""
    is_json = re.match(r"application/(problem\+)?json\b", reply.headers.get("content-type", ""))
    says = any(_member(reply.value, name) for name in ("detail", "message", "error"))
    require(bool(is_json and says and reply.outcome != "ok") is expected, f"{reply}")


def no_text(reply: Reply, expected: Sequence[str], _run: Run) -> None:
    texts = reply.texts()
    require(not [text for text in expected if text in texts], f"one of {expected} is in {reply}")


def text_has(reply: Reply, expected: Sequence[str], _run: Run) -> None:
    texts = reply.texts()
    require(all(text in texts for text in expected), f"one of {expected} is not in {reply}")


def flag(reply: Reply, expected: str, _run: Run) -> None:
    """A member of that name, on the reply or on one of its memories, that says something."""
    rows: list[Any] = [reply.value, *reply.memories]
    require(any(_member(row, expected) for row in rows), f"no {expected} in {reply}")


def field(reply: Reply, expected: Mapping[str, Any], _run: Run) -> None:
    _all_equal(reply.value, expected)


def field_type(reply: Reply, expected: Mapping[str, str], _run: Run) -> None:
    for path, name in expected.items():
        require(name in _TYPES, f"unknown type {name}")
        value = at_path(reply.value, path)
        fits = isinstance(value, _TYPES[name]) and (name == "boolean" or not isinstance(value, bool))
        require(fits, f"{path} is {value!r}, not of the type {name}")


def equals(reply: Reply, expected: Mapping[str, Any], _run: Run) -> None:
    _all_equal(reply.document, expected)


def not_equals(reply: Reply, expected: Mapping[str, Any], _run: Run) -> None:
    for path, value in expected.items():
        require(not same(at_path(reply.document, path), value), f"{path} is {value!r}")


def has(reply: Reply, expected: str | Sequence[str], _run: Run) -> None:
    for path in _listed(expected):
        at_path(reply.document, path)


def empty_body(reply: Reply, expected: bool, _run: Run) -> None:
    require((not reply.body) is expected, f"{reply}")


def valid_json(reply: Reply, expected: bool, _run: Run) -> None:
    """The reply is JSON, and so is the tool's answer inside it."""
    require((reply.document is not None and reply.value is not None) is expected, f"{reply}")


def response_bytes_max(reply: Reply, expected: int, _run: Run) -> None:
    require(len(reply.body) <= expected, f"{len(reply.body)} bytes")


def within_s(reply: Reply, expected: float, _run: Run) -> None:
    require(reply.seconds <= expected, f"took {reply.seconds:.1f} s")


def same_reply_as(reply: Reply, expected: int, run: Run) -> None:
    """Status and body, apart from the request id."""
    others = run.replies[expected - 1]
    require(len(others) == 1, f"step {expected} does not have one reply")
    mine, other = ((one.status, one.outcome, _without_request_id(one)) for one in (reply, others[0]))
    require(mine == other, f"{reply}, but step {expected} {others[0]}")


def _all_equal(document: Any, expected: Mapping[str, Any]) -> None:
    for path, value in expected.items():
        found = at_path(document, path)
        require(same(found, value), f"{path} is {found!r}, not {value!r}")


def _without_request_id(reply: Reply) -> Any:
    request_id = str(_member(reply.value, "request_id") or "")
    return reply.body.replace(request_id.encode(), b"") if request_id else reply.body


def _member(value: Any, name: str) -> Any:
    return cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None


def _listed(expected: Any) -> list[Any]:
    if isinstance(expected, dict):
        raise CheckFailed(f"can't be read: {expected}")
    return cast("list[Any]", expected) if isinstance(expected, list) else [expected]

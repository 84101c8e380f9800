"""The API's replies: what was asked for, or an error of M4A's tree."""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import httpx

from m4a.domain.errors import (
    Conflict,
    FieldProblem,
    Forbidden,
    Internal,
    InvalidInput,
    M4AError,
    NotFound,
    Throttled,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

T = TypeVar("T")
Problem = Mapping[str, Any]

NOT_OURS = "The server answered something that is not M4A's."

_LONGEST_WAIT = 3_600


def answer_of(reply: httpx.Response, read: Callable[[bytes], T]) -> T:
    """What a reply that tells success holds. Raises the M4AError that any other one tells, and Internal for what can't
    be read."""
    if not reply.is_success:
        raise error_of(reply)
    try:
        return read(reply.content)
    except (ValueError, RecursionError):
        raise Internal(NOT_OURS) from None  # the error of the reader quotes what it read


def error_of(reply: httpx.Response) -> M4AError:
    """The error. A gateway in front of M4A has replies of its own, without a code: their status decides."""
    problem = _problem(reply)
    code = str(problem.get("code") or _CODES.get(reply.status_code) or ("unavailable" if _is_gateway(reply) else ""))
    make = _ERRORS.get(code, lambda problem: Internal(_message(problem)))
    said = problem.get("detail")
    detail = said if isinstance(said, str) else f"The server answered {reply.status_code}."
    return make({**problem, "detail": detail, "retry_after": _wait(reply, problem)})


def _is_gateway(reply: httpx.Response) -> bool:
    return reply.status_code in (502, 503, 504)


def _problem(reply: httpx.Response) -> Problem:
    try:
        value: Any = json.loads(reply.content)
    except (ValueError, RecursionError):
        return {}
    is_problem = isinstance(value, dict) and "code" in value
    return value if is_problem else {}  # pyright: ignore[reportUnknownVariableType]


def _wait(reply: httpx.Response, problem: Problem) -> int:
    """Seconds that the reply asks to wait for; 0 if it does not."""
    told = str(problem.get("retry_after") or reply.headers.get("retry-after", ""))
    return min(int(told[:9]), _LONGEST_WAIT) if told.isdecimal() else 0


def _message(problem: Problem) -> str:
    return str(problem["detail"])


def _invalid_input(problem: Problem) -> InvalidInput:
    sent: Any = problem.get("errors")
    rows = cast("list[Any]", sent) if isinstance(sent, list) else []
    problems = [cast("Problem", row) for row in rows if isinstance(row, dict)]
    known = [_field_problem(row) for row in problems if "field" in row and "message" in row]
    return InvalidInput(known or [FieldProblem("request", _message(problem))])


def _field_problem(row: Problem) -> FieldProblem:
    allowed = row.get("allowed")
    return FieldProblem(str(row["field"]), str(row["message"]), None if allowed is None else str(allowed))


def _conflict(problem: Problem) -> Conflict:
    return Conflict(
        _message(problem), problem.get("reason", "version"), problem.get("current"), problem.get("memory_id")
    )


_CODES = {
    400: "invalid_input",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "too_large",
    429: "throttled",
}
_ERRORS: Mapping[str, Callable[[Problem], M4AError]] = {
    "invalid_input": _invalid_input,
    "unauthenticated": lambda problem: Unauthenticated(_message(problem)),
    "forbidden": lambda problem: Forbidden(_message(problem)),
    "not_found": lambda problem: NotFound(_message(problem)),
    "conflict": _conflict,
    "too_large": lambda problem: TooLarge(_message(problem)),
    "throttled": lambda problem: Throttled(_message(problem), problem["retry_after"]),
    "unavailable": lambda problem: Unavailable(_message(problem), problem["retry_after"]),
}

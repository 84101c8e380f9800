"""How a backend behind a proxy fails: what becomes of a request, and what is answered."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from zlib import crc32

from tests.support.proxy import Dropped, Fault, Forward, Request, Response

_CHECKSUM = "x-amz-crc32"


def lost_request(_request: Request, _forward: Forward) -> Response:
    """The backend never hears of it."""
    raise Dropped


def lost_answer(_request: Request, forward: Forward) -> Response:
    """The backend does what it is asked, and its answer does not arrive."""
    forward()
    raise Dropped


def cut_short(_request: Request, forward: Forward) -> Response:
    """The second half of the answer is missing, and nothing says so."""
    response = forward()
    return replace(response, body=response.body[: len(response.body) // 2])


def answering(status: int, body: bytes = b"", content_type: str = "application/json", **headers: str) -> Fault:
    """The backend is not asked; something else answers."""
    named = {"content-type": content_type, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return lambda _request, _forward: Response(status, named, body)


def rewritten(change: Callable[[Any], Any]) -> Fault:
    """The backend's JSON answer, changed, with a checksum that fits where it had one."""

    def fault(_request: Request, forward: Forward) -> Response:
        response = forward()
        body = json.dumps(change(json.loads(response.body))).encode()
        headers = {name: value for name, value in response.headers.items() if name != "content-encoding"}
        if _CHECKSUM in headers:
            headers[_CHECKSUM] = str(crc32(body))
        return replace(response, headers=headers, body=body)

    return fault


def only(concerns: Callable[[Request], bool], fault: Fault) -> Fault:
    """The fault meets some requests; the others are passed on."""
    return lambda request, forward: fault(request, forward) if concerns(request) else forward()


def first(times: int, fault: Fault) -> Fault:
    """The fault meets that many requests; those that follow are passed on."""
    left = iter(range(times))
    turn = threading.Lock()

    def some(request: Request, forward: Forward) -> Response:
        with turn:
            meets = next(left, None) is not None
        return fault(request, forward) if meets else forward()

    return some

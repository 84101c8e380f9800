"""What the client does when a server is overrun, down, or loses its answer."""

import json
import traceback
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from m4a.client import (
    Conflict,
    Forbidden,
    Internal,
    InvalidInput,
    M4AError,
    NotFound,
    Retries,
    Throttled,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from m4a.local.server import LocalServer
from tests.client.conftest import Answering, Connecting
from tests.support.dropping import DroppingServer

URL = "http://memory.example"
RECALLED: dict[str, object] = {"recall_id": "01R", "memories": [], "applied_filters": {}}


def problem(status: int, code: str, **more: object) -> httpx.Response:
    return httpx.Response(status, json={"code": code, "detail": "It failed.", "status": status, **more})


def answering(*replies: httpx.Response | Exception) -> tuple[Answering, list[Any]]:
    """A server that gives these replies in turn, and the bodies of what it was sent."""
    left: Iterator[httpx.Response | Exception] = iter(replies)
    seen: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(json.loads(request.content) if request.content else None)
        reply = next(left)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return answer, seen


@pytest.fixture
def front(server: LocalServer) -> Iterator[DroppingServer]:
    with DroppingServer(server.address) as running:
        yield running


def test_a_remember_whose_answer_was_lost_is_stored_once(
    server: LocalServer, front: DroppingServer, connect: Connecting
) -> None:
    memory = connect(front.address, "t-ana")
    front.drops = 2
    content = f"Found a fossil {id(connect)}"
    made = memory.remember(content)
    assert len(front.seen) == 3
    assert len({json.loads(body)["idempotency_key"] for body in front.seen}) == 1
    memories = connect(server.address, "t-ana").memories()
    assert [one.memory_id for one in memories if one.content == content] == [made.memory_id]


def test_a_forget_whose_answer_was_lost_is_done_once(front: DroppingServer, connect: Connecting) -> None:
    memory = connect(front.address, "t-bob")
    made = memory.remember(f"Keeps a fern {id(connect)}")
    front.drops = 1
    assert memory.forget(made.memory_id, "asked to").versions_erased == 1


@pytest.mark.parametrize("expected_version", [None, 1])
def test_an_update_is_not_sent_again_after_a_lost_answer(
    front: DroppingServer, connect: Connecting, expected_version: int | None
) -> None:
    memory = connect(front.address, "t-bob")
    made = memory.remember(f"Keeps a newt {id(connect)} {expected_version}")
    sent = len(front.seen)
    front.drops = 1
    with pytest.raises(Unavailable) as caught:
        memory.update_memory(made.memory_id, importance="high", expected_version=expected_version)
    assert "not known" in caught.value.message
    assert len(front.seen) == sent + 1
    front.drops = 1
    with pytest.raises(Unavailable):
        memory.call("update_memory", {"memory_id": made.memory_id, "importance": "low"})
    assert len(front.seen) == sent + 2


def test_a_lost_update_leaves_what_another_writer_stored_since(connect: Connecting) -> None:
    stored = ["before"]

    def answer(request: httpx.Request) -> httpx.Response:
        if len(stored) == 1:
            stored[:] = ["before", json.loads(request.content)["content"], "of another writer"]
            raise httpx.ReadTimeout("late")
        stored.append(json.loads(request.content)["content"])
        return httpx.Response(200, json={})

    with pytest.raises(Unavailable):
        connect(URL, answers=answer).update_memory("01A", content="of this writer")
    assert stored[-1] == "of another writer"


def test_an_update_that_was_not_done_is_sent_again(connect: Connecting) -> None:
    refusals = (problem(429, "throttled", retry_after=1), httpx.ConnectError("refused"), problem(404, "not_found"))
    answer, seen = answering(*refusals)
    with pytest.raises(NotFound):
        connect(URL, answers=answer).update_memory("01A", content="Tea")
    assert len(seen) == 3


def test_what_was_refused_in_a_crowd_or_an_outage_is_sent_again(connect: Connecting) -> None:
    replies = (
        problem(429, "throttled", retry_after=1),
        problem(503, "unavailable", retry_after=1),
        httpx.ConnectError("refused"),
        httpx.Response(200, json=RECALLED),
    )
    answer, seen = answering(*replies)
    assert connect(URL, answers=answer).recall("tea").recall_id == "01R"
    assert seen == [{"query": "tea"}] * 4
    assert len(connect.waits) == 3


def test_waits_grow_and_are_never_shorter_than_the_server_asks(connect: Connecting) -> None:
    answer, _ = answering(*[problem(503, "unavailable", retry_after=0)] * 5, problem(429, "throttled", retry_after=6))
    retries = Retries(attempts=6, first_s=1.0, longest_s=6.0)
    with pytest.raises(Throttled):
        connect(URL, answers=answer, retries=retries).recall("tea")
    for wait, most in zip(connect.waits, (1, 2, 4, 6, 6), strict=True):
        assert most / 2 <= wait <= most
    connect.waits.clear()
    answer, _ = answering(problem(503, "unavailable", retry_after=5), httpx.Response(200, json=RECALLED))
    connect(URL, answers=answer, retries=retries).recall("tea")
    assert connect.waits == [5.0]


def test_a_longer_wait_than_the_client_has_is_left_to_its_caller(connect: Connecting) -> None:
    answer, seen = answering(problem(429, "throttled", retry_after=60))
    with pytest.raises(Throttled) as caught:
        connect(URL, answers=answer).recall("tea")
    assert (caught.value.retry_after, len(seen), connect.waits) == (60, 1, [])


def test_after_the_last_attempt_the_error_is_raised(connect: Connecting) -> None:
    answer, seen = answering(*[httpx.ConnectTimeout("late")] * 3)
    with pytest.raises(Unavailable):
        connect(URL, answers=answer, retries=Retries(attempts=3)).recall("tea")
    assert len(seen) == 3


ERRORS: list[tuple[httpx.Response, type[M4AError]]] = [
    (problem(400, "invalid_input", errors=[{"field": "query", "message": "is blank"}]), InvalidInput),
    (problem(415, "invalid_input"), InvalidInput),
    (problem(401, "unauthenticated"), Unauthenticated),
    (problem(403, "forbidden"), Forbidden),
    (problem(404, "not_found"), NotFound),
    (problem(409, "conflict", reason="duplicate", memory_id="01B"), Conflict),
    (problem(413, "too_large"), TooLarge),
    (problem(500, "internal"), Internal),
    (httpx.Response(401, json={"message": "Unauthorized"}), Unauthenticated),
    (httpx.Response(403, json={"message": "Forbidden"}), Forbidden),
    (httpx.Response(404, text="<html>"), NotFound),
    (httpx.Response(418, content=b"\xff"), Internal),
    (httpx.Response(500, json={"message": "Internal Server Error"}), Internal),
    (httpx.Response(302, headers={"location": "/login"}), Internal),
    (httpx.Response(400, json=["what"]), InvalidInput),
    (problem(400, "invalid_input", errors=[{"f": 1}, "x", None]), InvalidInput),
    (problem(400, "invalid_input", errors="x"), InvalidInput),
    (problem(409, "conflict", reason=[1]), Conflict),
    (httpx.Response(404, json={"code": "not_found", "detail": None}), NotFound),
    (httpx.Response(500, content=b"[" * 100_000), Internal),
    (httpx.Response(429, headers={"retry-after": "9" * 5_000}), Throttled),
    (httpx.Response(200, text="<html>secret</html>"), Internal),
    (httpx.Response(200), Internal),
    (httpx.Response(204), Internal),
    (httpx.Response(200, json=["secret"]), Internal),
    (httpx.Response(200, content=b"\xff"), Internal),
    (httpx.Response(200, content=b"[" * 100_000), Internal),
]


@pytest.mark.parametrize(("reply", "kind"), ERRORS, ids=[f"{reply.status_code}-{kind.code}" for reply, kind in ERRORS])
def test_other_errors_are_raised_at_once(connect: Connecting, reply: httpx.Response, kind: type[M4AError]) -> None:
    same = (httpx.Response(reply.status_code, headers=reply.headers, content=reply.content) for _ in range(2))
    answer, seen = answering(*same)
    memory = connect(URL, answers=answer)
    for number, (method, *arguments) in enumerate((("recall", "tea"), ("call", "recall", {"query": "tea"})), start=1):
        with pytest.raises(kind) as caught:
            getattr(memory, method)(*arguments)
        assert type(caught.value) is kind
        assert (len(seen), connect.waits) == (number, [])
        assert "secret" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("error", [httpx.DecodingError("bad gzip"), httpx.TooManyRedirects("a circle")])
def test_a_reply_that_cant_be_read_is_an_error_of_ours(connect: Connecting, error: Exception) -> None:
    answer, seen = answering(error)
    with pytest.raises(Internal):
        connect(URL, answers=answer).recall("tea")
    assert len(seen) == 1


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_without_a_word_of_ours_counts_as_unavailable(connect: Connecting, status: int) -> None:
    headers = {"retry-after": "2"}
    answer, _ = answering(httpx.Response(status, headers=headers), httpx.Response(200, json=RECALLED))
    connect(URL, answers=answer).recall("tea")
    assert connect.waits == [2.0]

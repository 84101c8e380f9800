"""What a client gets for each kind of wrong request."""

import socket

import httpx
import pytest

from m4a.entrypoints.api_gateway import ROUTES
from m4a.entrypoints.protected_resource import MCP_PATH
from m4a.local.server import LocalServer

PROBLEM = "application/problem+json"


def open_request(server: LocalServer, header: str) -> socket.socket:
    """A socket on which the head of a recall was sent, and none of its body."""
    address = httpx.URL(server.address)
    connection = socket.create_connection((address.host, address.port or 80), timeout=20)
    head = f"POST /tools/recall HTTP/1.1\r\nhost: {address.netloc.decode()}\r\nauthorization: Bearer t-ana\r\n"
    connection.sendall(f"{head}{header}\r\n\r\n".encode())
    return connection


BAD_BODIES: list[tuple[str, bytes, int, str]] = [
    ("remember", b"", 400, "body"),
    ("remember", b"null", 400, "body"),
    ("remember", b"[]", 400, "body"),
    ("remember", b'{"content": "tea"', 400, "body"),
    ("remember", b'{"content": "\xff\xfe"}', 400, "body"),
    ("remember", b'{"content": "tea", "content": "milk"}', 400, "body"),
    ("remember", b'{"content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400, "body"),
    ("remember", b'{"content": 7}', 400, "content"),
    ("remember", b'{"content": ["tea"]}', 400, "content"),
    ("remember", b'{"content": {"text": "tea"}}', 400, "content"),
    ("remember", b'{"content": " \\u200b "}', 400, "content"),
    ("remember", b'{"content": "a\\u0000b"}', 400, "content"),
    ("remember", b'{"content": "\\ud83d"}', 400, "content"),
    ("remember", b'{"content": "' + b"x" * 8_001 + b'"}', 400, "content"),
    ("remember", b'{"type": "fact"}', 400, "content"),
    ("remember", b'{"content": "tea", "user": "bob"}', 400, "user"),
    ("remember", b'{"content": "tea", "user_id": "bob"}', 400, "user_id"),
    ("remember", b'{"content": "tea", "type": "rumour"}', 400, "type"),
    ("remember", b'{"content": "tea", "importance": 3}', 400, "importance"),
    ("remember", b'{"content": "tea", "tags": 7}', 400, "tags"),
    ("remember", b'{"content": "tea", "tags": [["a"]]}', 400, "tags"),
    ("remember", b'{"content": "tea", "tags": "' + b"[" * 100_000 + b'"}', 400, "tags"),
    ("remember", b'{"content": "tea", "event_time": "soon"}', 400, "event_time"),
    ("remember", b'{"content": "tea", "expires_at": "2001-01-01"}', 400, "expires_at"),
    ("recall", b"{}", 400, "query"),
    ("recall", b'{"query": "tea", "limit": 0}', 400, "limit"),
    ("recall", b'{"query": "tea", "limit": 51}', 400, "limit"),
    ("recall", b'{"query": "tea", "limit": 2.5}', 400, "limit"),
    ("recall", b'{"query": "tea", "limit": true}', 400, "limit"),
    ("recall", b'{"query": "tea", "limit": 1e400}', 400, "body"),
    ("recall", b'{"query": "tea", "time_range": "yesterday/now"}', 400, "time_range"),
    ("recall", b'{"query": "tea", "time_range": "2026-02-30/"}', 400, "time_range"),
    ("recall", b'{"query": "tea", "time_range": "2026-05-02/2026-05-01"}', 400, "time_range"),
    ("recall", b'{"query": "tea", "time_range": {"from": "2026-05-02"}}', 400, "time_range"),
    ("recall", b'{"query": "tea", "time_range": {"start": "2026-05-02", "end": 7}}', 400, "time_range"),
    ("update_memory", b'{"memory_id": 7, "content": "tea"}', 400, "memory_id"),
    ("update_memory", b'{"memory_id": "x", "content": "tea", "expected_version": "one"}', 400, "expected_version"),
    ("forget", b'{"memory_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}', 400, "reason"),
    ("forget", b'{"memory_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "reason": "' + b"x" * 201 + b'"}', 400, "reason"),
]


@pytest.mark.parametrize(
    ("tool", "body", "status", "field"), BAD_BODIES, ids=[f"{t}-{b[:40]!r}" for t, b, *_ in BAD_BODIES]
)
def test_bad_input_is_a_problem_that_names_the_field(
    ana: httpx.Client, tool: str, body: bytes, status: int, field: str
) -> None:
    reply = ana.post(f"/tools/{tool}", content=body)
    problem = reply.json()
    assert (reply.status_code, problem["status"], reply.headers["content-type"]) == (status, status, PROBLEM)
    assert problem["code"] == "invalid_input"
    assert field in [row["field"] for row in problem["errors"]]
    assert field in problem["detail"]


@pytest.mark.parametrize(
    ("method", "path"),
    [(route.method, route.path) for route in ROUTES if not route.public and route.path != MCP_PATH],
)
def test_a_parameter_that_no_route_reads_is_refused_by_its_name(ana: httpx.Client, method: str, path: str) -> None:
    url = path.format(memory_id="01ARZ3NDEKTSV4RRFFQ69G5FAV", recall_id="01ARZ3NDEKTSV4RRFFQ69G5FAV")
    reply = ana.request(method, url, params={"memory_idd": "x"}, content=b"{}" if method == "POST" else None)
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid_input")
    assert [row["message"] for row in reply.json()["errors"] if row["field"] == "memory_idd"] == ["is not known here"]


def test_why_one_memory_was_returned_is_not_answered_with_the_whole_trace(ana: httpx.Client) -> None:
    recall_id = ana.post("/tools/recall", json={"query": "tea"}).json()["recall_id"]
    assert ana.get(f"/recalls/{recall_id}").status_code == 200
    assert ana.get(f"/recalls/{recall_id}", params={"memory_id": "x"}).json()["errors"][0]["field"] == "memory_id"


def test_public_routes_may_be_called_with_any_parameter(server: LocalServer) -> None:
    for path in ("/health", "/.well-known/oauth-protected-resource"):
        plain, more = (httpx.get(server.address + path, params=params) for params in ({}, {"x": "1"}))
        assert (more.status_code, more.json().get("code")) == (plain.status_code, plain.json().get("code"))
    assert httpx.get(f"{server.address}/health", params={"x": "1"}).status_code == 200


def test_an_unknown_id_is_not_found(ana: httpx.Client) -> None:
    for memory_id in ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "not-an-id", "*", ""):
        reply = ana.post("/tools/forget", json={"memory_id": memory_id, "reason": "gone"})
        assert (reply.status_code, reply.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_another_content_type_is_a_415_problem(ana: httpx.Client, content_type: str) -> None:
    reply = ana.post("/tools/recall", content=b'{"query": "tea"}', headers={"content-type": content_type})
    assert (reply.status_code, reply.json()["code"]) == (415, "invalid_input")
    assert reply.json()["errors"] == [
        {"field": "content-type", "message": "is not one that this path takes", "allowed": "application/json"}
    ]


def test_a_body_of_more_than_one_megabyte_is_a_413_problem_and_the_connection_lives_on(ana: httpx.Client) -> None:
    for body in (b"x" * 1_000_001, b"x" * 3_000_000):
        reply = ana.post("/tools/remember", content=body)
        assert (reply.status_code, reply.json()["code"], reply.headers["content-type"]) == (413, "too_large", PROBLEM)
        assert ana.get("/health").status_code == 200


def test_a_body_of_unknown_length_is_cut_off_at_the_limit(ana: httpx.Client) -> None:
    reply = ana.post("/tools/remember", content=(b"x" * 100_000 for _ in range(30)))
    assert (reply.status_code, reply.json()["code"]) == (413, "too_large")


def test_a_body_without_end_is_answered_once_it_is_over_the_limit(server: LocalServer) -> None:
    with open_request(server, "transfer-encoding: chunked") as connection:
        for _ in range(11):
            connection.sendall(b"186a0\r\n" + b"x" * 100_000 + b"\r\n")
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_a_declared_length_over_the_limit_is_refused_before_any_of_it_is_read(server: LocalServer) -> None:
    with open_request(server, "content-length: 10000000000") as connection:
        assert connection.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_an_import_may_be_larger_than_other_bodies(ana: httpx.Client) -> None:
    headers = {"content-type": "application/x-ndjson"}
    line = b'{"content": "Waters the ferns on Fridays"}'
    assert ana.post("/import", content=line.ljust(4_900_000), headers=headers).status_code == 200
    assert ana.post("/import", content=line.ljust(5_000_001), headers=headers).status_code == 413

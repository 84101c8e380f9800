"""The routes over HTTPS: right answers, unknown paths, wrong methods."""

import httpx
import pytest

from m4a.local.server import LocalServer

PROBLEM = "application/problem+json"


def test_a_memory_is_stored_and_recalled_over_http(ana: httpx.Client) -> None:
    stored = ana.post("/tools/remember", json={"content": "The spare key hangs behind the boiler"})
    assert stored.status_code == 200
    assert stored.headers["content-type"] == "application/json"
    assert stored.headers["x-content-type-options"] == "nosniff"
    assert stored.headers["cache-control"] == "no-store"
    found = ana.post("/tools/recall", json={"query": "where is the spare key?"}).json()["memories"]
    assert found[0]["memory_id"] == stored.json()["memory_id"]


def test_the_health_check_is_public_and_tells_no_more_than_its_version(server: LocalServer) -> None:
    reply = httpx.get(f"{server.address}/health")
    assert reply.status_code == 200
    assert reply.json().keys() == {"status", "version"}
    assert reply.json()["status"] == "ok"


@pytest.mark.parametrize("path", ["/nothing", "/tools/erase", "/", "/memories/x/y/z"])
def test_an_unknown_path_is_a_404_problem(ana: httpx.Client, path: str) -> None:
    reply = ana.get(path)
    assert (reply.status_code, reply.json()["code"]) == (404, "not_found")
    assert reply.json()["request_id"] == reply.headers["x-request-id"]


@pytest.mark.parametrize(
    ("method", "path", "allow"), [("GET", "/tools/recall", "POST"), ("PUT", "/memories", "DELETE, GET")]
)
def test_a_wrong_method_is_a_405_problem_that_says_what_is_allowed(
    ana: httpx.Client, method: str, path: str, allow: str
) -> None:
    reply = ana.request(method, path)
    assert (reply.status_code, reply.headers["allow"]) == (405, allow)
    assert reply.headers["content-type"] == PROBLEM


@pytest.mark.parametrize("path", ["/tools/recall", "/memories/x", "/mcp"])
def test_a_preflight_without_a_token_is_answered_with_nothing(server: LocalServer, path: str) -> None:
    reply = httpx.options(f"{server.address}{path}")
    assert (reply.status_code, reply.content) == (204, b"")
    assert "access-control-allow-origin" not in reply.headers


def test_a_trailing_slash_changes_nothing(ana: httpx.Client) -> None:
    assert ana.post("/tools/recall/", json={"query": "tea"}).status_code == 200
    assert ana.get("/health/").status_code == 200


def test_the_idempotency_header_counts_as_the_field(ana: httpx.Client) -> None:
    def remember(content: str, header: str, field: str | None = None) -> httpx.Response:
        body = {"content": content, "idempotency_key": field}
        return ana.post("/tools/remember", json=body, headers={"idempotency-key": header})

    first = remember("Swims before breakfast", "key-1")
    again = remember("Swims before breakfast", "key-1", "key-1")
    assert (first.json()["created"], again.json()["created"]) == (True, False)
    assert remember("Swims after lunch", "key-1").json()["reason"] == "idempotency"
    for reply in (remember("Swims at night", "key-2", "key-3"), remember("Swims at night", "")):
        assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, "idempotency_key")

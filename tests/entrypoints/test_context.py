"""GET /context: the core block over HTTP."""

from collections.abc import Iterator

import httpx
import pytest

from m4a.application.service import Service
from m4a.local.server import LocalServer


@pytest.fixture
def dora(service: Service, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    """A client of a user that no other test has."""
    with (
        LocalServer(service, user=request.node.name) as server,
        httpx.Client(base_url=server.address, timeout=30) as client,
    ):
        yield client


def remember(client: httpx.Client, content: str, importance: str, kind: str) -> str:
    body = {"content": content, "importance": importance, "type": kind}
    return client.post("/tools/remember", json=body).json()["memory_id"]


def test_the_core_block_holds_important_facts_and_preferences_alone(dora: httpx.Client) -> None:
    fact = remember(dora, "Allergic to walnuts", "high", "fact")
    preference = remember(dora, "Wants short answers", "high", "preference")
    for importance, kind in (("medium", "fact"), ("low", "preference"), ("high", "task"), ("high", "event")):
        remember(dora, f"Something of {importance} importance, a {kind}", importance, kind)
    told = dora.get("/context").json()
    assert told["text"].splitlines()[1:] == ["- [fact] Allergic to walnuts", "- [preference] Wants short answers"]
    assert told["memories"] == [{"memory_id": fact, "version": 1}, {"memory_id": preference, "version": 1}]
    assert (told["left_out"], told["max_tokens"]) == ([], 1_000)


def test_a_client_that_has_the_block_is_told_so_until_it_changes(dora: httpx.Client) -> None:
    made = remember(dora, "Allergic to walnuts", "high", "fact")
    first = dora.get("/context")
    assert first.headers["cache-control"] == "private, no-cache"
    tag = first.headers["etag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        reply = dora.get("/context", headers={"if-none-match": known})
        assert (reply.status_code, reply.content, reply.headers["etag"]) == (304, b"", tag)
    assert dora.get("/context").content == first.content
    dora.post("/tools/update_memory", json={"memory_id": made, "content": "Allergic to hazelnuts"})
    reply = dora.get("/context", headers={"if-none-match": tag})
    assert (reply.status_code, reply.headers["etag"] == tag) == (200, False)
    assert "hazelnuts" in reply.json()["text"]


def test_what_does_not_fit_is_named(dora: httpx.Client) -> None:
    large = remember(dora, "Keeps a long list: " + "item " * 300, "high", "fact")
    small = remember(dora, "Allergic to walnuts", "high", "fact")
    told = dora.get("/context", params={"max_tokens": 60}).json()
    assert ([one["memory_id"] for one in told["memories"]], told["left_out"]) == (
        [small],
        [{"memory_id": large, "version": 1}],
    )
    assert told["tokens"] <= 60


@pytest.mark.parametrize("wrong", ["0", "-1", "20001", "many", "1.5"])
def test_a_wrong_budget_is_refused(dora: httpx.Client, wrong: str) -> None:
    reply = dora.get("/context", params={"max_tokens": wrong})
    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, "max_tokens")


def test_the_block_is_the_callers_own(ana: httpx.Client, dora: httpx.Client) -> None:
    remember(dora, "Keeps bees in secret", "high", "fact")
    assert "bees" not in ana.get("/context").text

"""The example of a backend that serves many users."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from m4a.client import AsyncClient, Client, Retries
from m4a.local.server import LocalServer
from tests.examples.conftest import example


@pytest.fixture
def backend() -> Any:
    return example("backend_many_users/backend.py")


@pytest.fixture
def app(backend: Any, server: LocalServer) -> Iterator[TestClient]:
    memory = AsyncClient(server.address, "service-token")
    with TestClient(backend.make_app(memory, backend.demo_sign_in)) as client:
        yield client
        assert client.portal
        client.portal.call(memory.aclose)


def test_each_user_has_notes_of_their_own(app: TestClient, server: LocalServer) -> None:
    users = [f"user {uuid4()}" for _ in range(2)]
    for user in users:
        kept = app.post("/notes", json={"text": f"The lamp of {user} is blue"}, headers={"x-demo-user": user})
        assert kept.json()["new"] is True
    for user in users:
        found = app.get("/notes", params={"about": "lamp"}, headers={"x-demo-user": user}).json()
        assert found == {"notes": [f"The lamp of {user} is blue"], "complete": True}
        with Client(server.address, "service-token", user=user) as memory:
            assert {event.actor for event in memory.audit()} == {"backend"}


def test_nobody_signed_in_gets_nothing(app: TestClient) -> None:
    assert app.post("/notes", json={"text": "The lamp is blue"}).status_code == 401
    assert app.get("/notes", params={"about": "lamp"}).status_code == 401


NO_NOTES = (
    "{",
    "",
    "[]",
    "7",
    "null",
    '"text"',
    "{}",
    '{"text": " "}',
    '{"text": null}',
    '{"text": [1]}',
    "[" * 100_000,
)


@pytest.mark.parametrize("body", NO_NOTES)
def test_a_note_that_is_none_is_a_mistake_of_whoever_sent_it(app: TestClient, body: str) -> None:
    assert app.post("/notes", content=body, headers={"x-demo-user": "ana"}).status_code == 400


@pytest.mark.parametrize("params", [{}, {"about": " "}, {"about": "x" * 2_001}])
def test_so_is_a_search_for_nothing(app: TestClient, params: dict[str, str]) -> None:
    assert app.get("/notes", params=params, headers={"x-demo-user": "ana"}).status_code == 400


def test_a_user_without_a_name_is_nobody(app: TestClient) -> None:
    assert app.get("/notes", params={"about": "lamp"}, headers={"x-demo-user": ""}).status_code == 401


def test_without_a_token_the_backend_says_what_to_set(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("M4A_TOKEN", raising=False)
    with pytest.raises(SystemExit, match="M4A_TOKEN"):
        backend.main()


def test_an_outage_of_the_memory_is_an_error_of_the_backend(backend: Any) -> None:
    memory = AsyncClient("http://127.0.0.1:9", "service-token", retries=Retries(attempts=1))
    with TestClient(backend.make_app(memory, backend.demo_sign_in)) as client:
        reply = client.get("/notes", params={"about": "lamp"}, headers={"x-demo-user": "ana"})
        assert (reply.status_code, reply.json()["error"]) == (502, "unavailable")
        assert client.portal
        client.portal.call(memory.aclose)

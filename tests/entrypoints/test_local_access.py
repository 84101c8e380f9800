"""Who gets into the local server: tokens, Host and Origin."""

import socket

import httpx
import pytest

from m4a.application.service import Service
from m4a.local.server import LocalServer

PROBLEM = "application/problem+json"


def exchange(server: LocalServer, request: bytes) -> bytes:
    """Sends bytes on a socket of its own; reads until the server closes."""
    address = httpx.URL(server.address)
    with socket.create_connection((address.host, address.port or 80), timeout=20) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_each_token_sees_its_own_users_memories_alone(ana: httpx.Client) -> None:
    ana.post("/tools/remember", json={"content": "Allergic to walnuts"})
    bob = {"authorization": "Bearer t-bob"}
    assert ana.post("/tools/recall", json={"query": "walnuts"}).json()["memories"]
    assert ana.post("/tools/recall", json={"query": "walnuts"}, headers=bob).json()["memories"] == []


def test_a_delegate_reaches_the_user_that_it_names(ana: httpx.Client) -> None:
    ana.post("/tools/remember", json={"content": "Plays the cello on Tuesdays"})
    for user, found in (("ana", True), ("Ana", False)):
        headers = {"authorization": "Bearer t-svc", "m4a-on-behalf-of": user}
        reply = ana.post("/tools/recall", json={"query": "cello"}, headers=headers)
        assert bool(reply.json()["memories"]) is found


def test_a_user_without_the_scope_may_not_name_another(ana: httpx.Client) -> None:
    reply = ana.post("/tools/recall", json={"query": "tea"}, headers={"m4a-on-behalf-of": "bob"})
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer t-eve", "Basic t-ana", "t-ana"])
def test_without_a_known_token_nobody_gets_in(ana: httpx.Client, authorization: str) -> None:
    reply = ana.post("/tools/recall", json={"query": "tea"}, headers={"authorization": authorization})
    assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated")
    assert reply.headers["www-authenticate"] == "Bearer"
    assert reply.headers["content-type"] == PROBLEM


def test_without_tokens_every_caller_is_the_one_user(service: Service) -> None:
    with LocalServer(service, user="solo") as server, httpx.Client(base_url=server.address) as client:
        assert client.post("/tools/remember", json={"content": "Lives by the lake"}).json()["created"]
        listed = client.get("/memories", headers={"authorization": "Bearer t-ana", "x-user-id": "ana"}).json()[
            "memories"
        ]
        assert [row["content"] for row in listed] == ["Lives by the lake"]
        reply = client.get("/memories", headers={"m4a-on-behalf-of": "ana"})
        assert reply.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example:{port}", ""])
def test_a_foreign_host_is_refused(ana: httpx.Client, host: str) -> None:
    header = host.format(port=ana.base_url.port)
    reply = ana.get("/health", headers={"host": header})
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_the_names_of_this_machine_are_its_own_host(ana: httpx.Client, name: str) -> None:
    assert ana.get("/health", headers={"host": f"{name}:{ana.base_url.port}"}).status_code == 200


def test_a_request_without_a_host_is_refused(server: LocalServer) -> None:
    assert exchange(server, b"GET /health HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 403 ")


def test_two_hosts_are_refused(server: LocalServer) -> None:
    own = server.address.removeprefix("http://").encode()
    request = b"GET /health HTTP/1.1\r\nhost: " + own + b"\r\nhost: evil.example\r\nconnection: close\r\n\r\n"
    assert exchange(server, request).split(b" ")[1] in (b"400", b"403")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "http://evil.example:{port}"])
def test_a_foreign_origin_is_refused(ana: httpx.Client, origin: str) -> None:
    headers = {"origin": origin.format(port=ana.base_url.port)}
    for reply in (
        ana.post("/tools/recall", json={"query": "tea"}, headers=headers),
        ana.options("/tools/recall", headers=headers),
    ):
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
        assert "access-control-allow-origin" not in reply.headers


def test_the_servers_own_origin_is_taken(ana: httpx.Client) -> None:
    own = {"origin": f"http://127.0.0.1:{ana.base_url.port}"}
    assert ana.post("/tools/recall", json={"query": "tea"}, headers=own).status_code == 200

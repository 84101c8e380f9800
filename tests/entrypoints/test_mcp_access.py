"""Who is let in to POST /mcp, and how a client learns where to sign in."""

import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from m4a.application.service import Service
from m4a.entrypoints import api_gateway, mcp
from m4a.local.access import Tokens
from m4a.local.events import Context
from m4a.local.server import LocalServer
from tests.entrypoints.doubles import TOKENS
from tests.support.mcp import McpHttpClient

ISSUER = "https://login.example/pool"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def respond(service: Service, path: str, claims: dict[str, object], stage: str = "$default", **headers: str) -> Any:
    """The answer to an event of the API for a path below its stage."""
    event = {
        "rawPath": path if stage == "$default" else f"/{stage}{path}",
        "headers": {"content-type": "application/json", "host": "api.example", "x-forwarded-proto": "https", **headers},
        "requestContext": {
            "http": {"method": "POST" if path == "/mcp" else "GET"},
            "requestId": "r-1",
            "stage": stage,
            "authorizer": {"jwt": {"claims": claims}},
        },
        "body": json.dumps(PING),
    }
    entry_point = mcp.respond if path == "/mcp" else api_gateway.respond
    return entry_point(service, event, Context("r-1"))


def test_the_caller_of_the_token_owns_what_a_tool_does(server: LocalServer) -> None:
    ana, bob = McpHttpClient(server.address, "t-ana"), McpHttpClient(server.address, "t-bob")
    try:
        made = ana.call("remember", content="Hides the sextant in the loft")
        assert bob.call("recall", query="sextant").contents == []
        foreign = bob.call("forget", memory_id=made["memory_id"], reason="x")
        unknown = bob.call("forget", memory_id="01ARZ3NDEKTSV4RRFFQ69G5FAV", reason="x")
        for answer in (foreign, unknown):
            assert answer.error == "not_found"
        assert {**foreign.body, "request_id": ""} == {**unknown.body, "request_id": ""}
        assert bob.call("recall", query="sextant", user_id="ana").fields == ["user_id"]
    finally:
        ana.close()
        bob.close()


def test_a_delegate_acts_for_the_user_that_it_names_and_the_audit_keeps_both(ana: httpx.Client) -> None:
    call = {"name": "remember", "arguments": {"content": "Sails at dawn"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    backend = {"authorization": "Bearer t-svc", "m4a-on-behalf-of": "ana"}
    stored = ana.post("/mcp", json=message, headers=backend).json()["result"]["structuredContent"]
    assert ana.get(f"/memories/{stored['memory_id']}").status_code == 200
    event = ana.get("/audit", params={"limit": 1}).json()["events"][0]
    assert (event["actor"], event["entry_point"], event["memory_id"]) == ("backend", "mcp", stored["memory_id"])


def test_naming_another_user_without_the_scope_is_a_403(ana: httpx.Client) -> None:
    reply = ana.post("/mcp", json=PING, headers={"m4a-on-behalf-of": "bob"})
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


def test_without_a_known_token_nobody_gets_in(server: LocalServer) -> None:
    for headers in ({}, {"authorization": "Bearer t-eve"}):
        reply = httpx.post(f"{server.address}/mcp", json=PING, headers=headers)
        assert (reply.status_code, reply.json()["code"]) == (401, "unauthenticated")
        assert reply.headers["www-authenticate"] == "Bearer"


def test_without_a_known_token_a_client_of_mcp_is_told_where_to_sign_in(service: Service) -> None:
    with LocalServer(replace(service, issuer=ISSUER), Tokens.of(TOKENS)) as server:
        reply = httpx.post(f"{server.address}/mcp", json=PING)
        metadata = f"{server.address}/.well-known/oauth-protected-resource/mcp"
        assert reply.headers["www-authenticate"] == f'Bearer resource_metadata="{metadata}"'
        assert httpx.get(metadata).json()["authorization_servers"] == [ISSUER]
        assert httpx.get(f"{server.address}/memories").headers["www-authenticate"] == "Bearer"


def test_a_page_of_another_origin_may_not_call(ana: httpx.Client) -> None:
    assert ana.post("/mcp", json=PING, headers={"origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("claims", [{}, {"sub": " "}, {"sub": 7}, {"sub": "ana", "tenant_id": "x"}])
def test_a_token_without_a_usable_identity_is_a_401_that_tells_where_to_sign_in(
    service: Service, claims: dict[str, object]
) -> None:
    for stage, prefix in (("$default", ""), ("prod", "/prod")):
        answer = respond(replace(service, issuer=ISSUER), "/mcp", claims, stage)
        assert answer["statusCode"] == 401
        assert answer["headers"]["www-authenticate"] == (
            f'Bearer resource_metadata="https://api.example{prefix}/.well-known/oauth-protected-resource/mcp"'
        )
    assert respond(service, "/mcp", claims)["headers"]["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])
def test_the_metadata_names_the_resource_and_its_authorization_server(service: Service, path: str) -> None:
    answer = respond(replace(service, issuer=ISSUER), path, {}, "prod")
    assert answer["statusCode"] == 200
    told = json.loads(answer["body"])
    assert told["resource"] == "https://api.example/prod/mcp"
    assert told["authorization_servers"] == [ISSUER]
    assert told["bearer_methods_supported"] == ["header"]
    named = replace(service, issuer=ISSUER, resource_url="https://memory.example/mcp")
    assert json.loads(respond(named, path, {})["body"])["resource"] == "https://memory.example/mcp"


def test_the_metadata_is_public_and_absent_where_there_is_no_authorization_server(service: Service) -> None:
    path = "/.well-known/oauth-protected-resource/mcp"
    for issuer, status in ((ISSUER, 200), (None, 404)):
        with LocalServer(replace(service, issuer=issuer), Tokens.of(TOKENS)) as server:
            reply = httpx.get(server.address + path)
            assert reply.status_code == status
            if issuer:
                assert reply.json()["resource"] == f"{server.address}/mcp"


def test_a_slash_at_the_end_of_the_path_changes_nothing(ana: httpx.Client) -> None:
    assert ana.post("/mcp/", json=PING).json() == ana.post("/mcp", json=PING).json()
    assert ana.get("/mcp/").status_code == ana.get("/mcp").status_code == 405


def test_below_the_path_there_is_nothing(ana: httpx.Client) -> None:
    for path in ("/mcp/x", "/mcp/x/", "/mcp//", "/mcp/mcp"):
        reply = ana.post(path, json=PING)
        assert (reply.status_code, reply.json()["code"]) == (404, "not_found")


def test_with_a_slash_at_the_end_a_client_is_told_where_to_sign_in_too(service: Service) -> None:
    with LocalServer(replace(service, issuer=ISSUER), Tokens.of(TOKENS)) as server:
        told = [httpx.post(f"{server.address}{path}", json=PING).headers for path in ("/mcp", "/mcp/")]
        assert told[0]["www-authenticate"] == told[1]["www-authenticate"] != "Bearer"

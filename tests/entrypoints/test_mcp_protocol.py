"""JSON-RPC over POST /mcp as raw messages: versions, notifications, arguments, and what the path takes."""

import httpx
import pytest

from tests.entrypoints.mcp_messages import META, ask, send, start


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_initialize_agrees_to_a_version_that_the_server_speaks(ana: httpx.Client, version: str) -> None:
    assert start(ana, version) == version


@pytest.mark.parametrize("version", ["2099-01-01", "1", ""])
def test_initialize_offers_a_version_of_its_own_for_one_that_it_does_not_speak(ana: httpx.Client, version: str) -> None:
    assert start(ana, version) == "2025-11-25"


def test_the_header_never_stands_in_the_way_of_initialize(ana: httpx.Client) -> None:
    for header in ("2099-01-01", "2026-07-28", "2025-06-18", "x"):
        assert start(ana, "2025-06-18", mcp_protocol_version=header) == "2025-06-18"


def test_an_unknown_version_in_the_header_is_a_400_on_later_calls(ana: httpx.Client) -> None:
    reply = send(ana, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, mcp_protocol_version="2099-01-01")
    assert (reply.status_code, reply.json()["id"]) == (400, 2)
    asked = {"_meta": {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
    answer = ask(ana, "tools/list", asked, mcp_protocol_version="2099-01-01", mcp_method="tools/list")
    assert answer["error"]["data"]["supported"] == ["2026-07-28"]


@pytest.mark.parametrize("version", ["1999-01-01", "2099-01-01", "x"])
def test_an_unknown_version_in_the_header_is_answered_with_those_that_are_spoken(
    ana: httpx.Client, version: str
) -> None:
    spoken = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    error = ask(ana, "tools/list", mcp_protocol_version=version)["error"]
    assert (error["code"], error["data"]) == (-32022, {"supported": spoken, "requested": version})
    assert all(one in error["message"] for one in spoken)
    for meta in (None, 7, [1], {"io.modelcontextprotocol/clientCapabilities": "none"}):
        assert ask(ana, "tools/list", {"_meta": meta}, mcp_protocol_version=version)["error"]["code"] == -32022


def test_the_present_protocol_needs_no_initialize(ana: httpx.Client) -> None:
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "server/discover"}
    result = ask(ana, "server/discover", {"_meta": META}, **headers)["result"]
    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["instructions"]


def test_what_this_server_has_no_stream_for_is_refused_at_once(ana: httpx.Client) -> None:
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "subscriptions/listen"}
    asked = {"_meta": META, "notifications": {}}
    answer = ask(ana, "subscriptions/listen", asked, accept="application/json, text/event-stream", **headers)
    assert answer["error"]["code"] == -32601


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9, "reason": "user"}},
        {"jsonrpc": "2.0", "method": "notifications/unknown_kind"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"jsonrpc": "2.0", "id": 4, "result": {}},
        {"jsonrpc": "2.0", "id": "4", "error": {"code": -1, "message": "No.", "data": [1]}},
    ],
)
def test_what_needs_no_answer_is_accepted_without_one(ana: httpx.Client, message: object) -> None:
    for version in (None, "2025-06-18"):
        headers = {"mcp_protocol_version": version} if version else {}
        reply = send(ana, message, **headers)
        assert (reply.status_code, reply.content) == (202, b"")
        assert "content-type" not in reply.headers


def test_a_ping_is_answered_with_nothing_but_its_id(ana: httpx.Client) -> None:
    for request_id in (3, "three", 0, ""):
        assert ask(ana, "ping", request_id=request_id) == {"jsonrpc": "2.0", "id": request_id, "result": {}}


def test_arguments_as_json_text_are_unwrapped(ana: httpx.Client) -> None:
    stored = ask(ana, "tools/call", {"name": "remember", "arguments": '{"content": "Plants a quince"}'})
    assert stored["result"]["structuredContent"]["content"] == "Plants a quince"
    assert ask(ana, "tools/call", {"name": "recall", "arguments": ""})["result"]["isError"] is True


@pytest.mark.parametrize("content", ["12345", '{"plan":"pro","seats":4}', 'touch <a>.off ; <script>1</script> & "x"'])
def test_content_that_looks_like_something_else_stays_text(ana: httpx.Client, content: str) -> None:
    result = ask(ana, "tools/call", {"name": "remember", "arguments": {"content": content}})["result"]
    assert result["structuredContent"]["content"] == content
    assert content in result["content"][0]["text"]


def test_tags_as_json_text_or_a_bare_word_become_tags(ana: httpx.Client) -> None:
    for content, tags, expected in (
        ("Deploys on Tuesdays", '["deploy", "schedule"]', ["deploy", "schedule"]),
        ("Freezes on the 20th", "freeze", ["freeze"]),
        ("Thaws in May", ["a, b"], ["a, b"]),
    ):
        arguments = {"content": content, "tags": tags}
        result = ask(ana, "tools/call", {"name": "remember", "arguments": arguments})["result"]
        assert result["structuredContent"]["tags"] == expected


def test_other_methods_of_the_path_are_a_405(ana: httpx.Client) -> None:
    for method in ("GET", "DELETE", "PUT"):
        reply = ana.request(method, "/mcp", headers={"accept": "text/event-stream"})
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


def test_a_message_must_come_as_json_and_be_of_a_modest_size(ana: httpx.Client) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for version in ("2025-06-18", "2026-07-28"):
        reply = send(ana, ping, content_type="text/plain", mcp_protocol_version=version)
        assert (reply.status_code, reply.json()["code"]) == (415, "invalid_input")
    assert send(ana, b" " * 1_000_001).status_code == 413


def test_a_client_that_accepts_no_json_is_told_so(ana: httpx.Client) -> None:
    assert send(ana, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, accept="text/html").status_code == 406

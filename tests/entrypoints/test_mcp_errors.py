"""What is not as the protocol wants it gets the error of its kind, with its id, and nothing is quoted."""

import httpx
import pytest

from tests.entrypoints.mcp_messages import ask, send


def test_an_unknown_tool_is_a_protocol_error(ana: httpx.Client) -> None:
    error = ask(ana, "tools/call", {"name": "erase_everything", "arguments": {}})["error"]
    assert error["code"] == -32602
    assert "remember" in error["message"]


@pytest.mark.parametrize(
    "params",
    [
        [1, 2, 3],
        "text",
        7,
        {"name": "recall", "arguments": [1]},
        {"name": "recall", "arguments": "not json"},
        {"name": "recall", "arguments": "[1]"},
        {"name": "recall", "arguments": '{"query": "a", "query": "b"}'},
        {"arguments": {"query": "tea"}},
        {"name": 7},
        {},
    ],
)
def test_malformed_params_are_a_protocol_error_with_the_same_id(ana: httpx.Client, params: object) -> None:
    answer = ask(ana, "tools/call", params, "call-4")
    assert (answer["error"]["code"], answer["id"]) == (-32602, "call-4")


def test_half_a_surrogate_pair_is_a_protocol_error_that_names_the_argument(ana: httpx.Client) -> None:
    raw = '{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "remember", "arguments": %s}}'
    for arguments in (r'{"content": "\ud83d"}', r'"{\"content\": \"\\ud83d\"}"'):
        answer = send(ana, raw % arguments).json()
        assert (answer["error"]["code"], answer["id"]) == (-32602, 5)
        assert "content" in answer["error"]["message"]


def test_half_a_surrogate_pair_anywhere_else_is_a_protocol_error_too(ana: httpx.Client) -> None:
    for params in (r'{"name": "\ud83d"}', r'{"\ud83d": 1}', r'{"name": "recall", "_meta": {"a": "\udc00"}}'):
        answer = send(ana, f'{{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {params}}}').json()
        assert (answer["error"]["code"], answer["id"]) == (-32602, 6)


def test_an_unknown_method_is_a_protocol_error_of_its_own_kind(ana: httpx.Client) -> None:
    nothing: dict[str, object] = {}
    for params in (None, nothing):
        answer = ask(ana, "no/such", params, 7)
        assert (answer["error"]["code"], answer["id"]) == (-32601, 7)


@pytest.mark.parametrize(
    ("body", "code", "request_id"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', -32700, None),
        (b'"\xff"', -32700, None),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", -32700, None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600, None),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
        (b'{"id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, 1),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600, 1),
        (b'"secret"', -32600, None),
        (b"7", -32600, None),
        (b"null", -32600, None),
        (b"[]", -32600, None),
        (b"[1", -32700, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc": "2.0", "secret": "secret"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 2, "secret": "secret"}', -32600, 2),
        (b'{"jsonrpc": "2.0", "id": [2], "result": {}}', -32600, None),
        (b'{"jsonrpc": "2.0", "result": {}}', -32600, None),
        (b'{"id": 2, "result": {}}', -32600, 2),
        (b'{"jsonrpc": "2.0", "id": "2", "result": "secret"}', -32600, "2"),
        (b'{"jsonrpc": "2.0", "id": 2, "error": "secret"}', -32600, 2),
        (b'{"jsonrpc": "2.0", "id": 2, "error": {"code": "secret", "message": "secret"}}', -32600, 2),
        (b'{"jsonrpc": "2.0", "id": 2, "error": {"code": 1}}', -32600, 2),
        (b'{"jsonrpc": "2.0", "id": 2, "result": {}, "error": {"code": 1, "message": "secret"}}', -32600, 2),
    ],
)
def test_what_is_no_message_is_a_400_with_an_error(
    ana: httpx.Client, body: bytes, code: int, request_id: int | str | None
) -> None:
    reply = send(ana, body)
    assert "secret" not in reply.text
    assert (reply.status_code, reply.json()["error"]["code"], reply.json()["id"]) == (400, code, request_id)

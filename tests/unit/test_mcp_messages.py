import json

import pytest

from m4a.entrypoints.mcp.messages import Message, Refused, read_message


def read(**fields: object) -> Message | Refused:
    return read_message(json.dumps({"jsonrpc": "2.0", **fields}).encode())


def accepted(**fields: object) -> Message:
    message = read(**fields)
    assert isinstance(message, Message)
    return message


def refused(**fields: object) -> Refused:
    message = read(**fields)
    assert isinstance(message, Refused)
    return message


def test_a_request_passes_as_it_is() -> None:
    fields = {"id": "a", "method": "tools/list", "params": {"cursor": "x", "_meta": {"y": 1}}}
    message = accepted(**fields)
    assert json.loads(message.to_json()) == {"jsonrpc": "2.0", **fields}
    assert (message.method, message.request_id) == ("tools/list", "a")


def test_params_that_are_null_are_left_out() -> None:
    assert json.loads(accepted(id=1, method="ping", params=None).to_json()) == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "ping",
    }


def test_notifications_and_answers_have_no_id_to_be_answered() -> None:
    assert accepted(method="notifications/initialized").request_id is None
    assert accepted(id=4, result={}).request_id is None
    assert not refused(method="notifications/initialized", params=[]).answerable
    assert refused(id=1, method="ping", params=[]).answerable


def test_an_error_about_a_message_without_an_id_is_an_answer() -> None:
    error = {"code": -32700, "message": "Parse error"}
    assert accepted(id=None, error=error).request_id is None
    assert refused(error=error).code == refused(id=None, result={}).code == -32600


@pytest.mark.parametrize("fields", [{"method": "ping"}, {}, {"result": {}}, {"method": 7}])
def test_an_id_that_cant_be_sent_back_is_none(fields: dict[str, object]) -> None:
    message = refused(id="\ud800", **fields)
    assert (message.code, message.request_id) == (-32600, None)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"query": '{"a": 1}'}, {"query": '{"a": 1}'}),
        ('{"query": "tea", "limit": 3}', {"query": "tea", "limit": 3}),
        ("  ", None),
        (None, None),
    ],
)
def test_the_arguments_of_a_tool_call_are_unwrapped_once(arguments: object, expected: object) -> None:
    message = accepted(id=1, method="tools/call", params={"name": "recall", "arguments": arguments})
    assert message.fields["params"] == {"name": "recall", "arguments": expected}


def test_other_methods_keep_arguments_as_text() -> None:
    params = {"name": "memory", "arguments": '{"a": "b"}'}
    assert accepted(id=1, method="prompts/get", params=params).fields["params"] == params


def test_an_error_never_quotes_what_was_sent() -> None:
    for message in (
        read_message(b'{"secret'),
        read_message(b"secret"),
        refused(id="s", method="tools/call", params="secret"),
        refused(id="s", method="tools/call", params={"arguments": "secret"}),
        refused(id=["secret"], method="ping"),
    ):
        assert isinstance(message, Refused)
        assert "secret" not in message.to_json()

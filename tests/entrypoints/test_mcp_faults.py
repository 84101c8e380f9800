"""What an MCP client gets when something behind the tools fails, and what is logged then."""

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.domain.errors import Throttled, Unavailable
from m4a.entrypoints.mcp import respond
from m4a.local.events import Context
from tests.entrypoints.doubles import Gate

RECALL = {"name": "recall", "arguments": {"query": "walnut secret"}}


class Broken:
    """A store, or an index, whose every call fails."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise self._error


def event(method: str, params: object, claims: Mapping[str, str], request_id: int | None = 1) -> dict[str, Any]:
    """What the API sends for a message of this caller: a request, or a notification."""
    identified = {} if request_id is None else {"id": request_id}
    return {
        "rawPath": "/mcp",
        "headers": {"content-type": "application/json", "host": "api.example"},
        "requestContext": {
            "http": {"method": "POST"},
            "requestId": "r-1",
            "authorizer": {"jwt": {"claims": claims}},
        },
        "body": json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **identified}),
    }


def ask(service: Service, method: str, params: object) -> Any:
    reply = respond(service, event(method, params, {"sub": "faulty"}), Context("r-1"))
    assert reply["headers"]["x-request-id"] == "r-1"
    return json.loads(reply["body"])


@pytest.mark.parametrize("method", ["tools/call", "resources/read"])
def test_a_fault_of_ours_is_an_internal_error_that_tells_the_request_and_nothing_else(
    service: Service, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    broken: Any = Broken(RuntimeError("walnut secret"))
    params = RECALL if method == "tools/call" else {"uri": "m4a://context"}
    answer = ask(replace(service, store=broken, index=broken, outbox=broken), method, params)
    assert (answer["id"], answer["error"]["code"]) == (1, -32603)
    assert "r-1" in answer["error"]["message"]
    assert "walnut" not in json.dumps(answer) + caplog.text
    assert "RuntimeError" in caplog.text


def test_a_store_that_is_down_is_a_result_that_says_when_to_try_again(service: Service) -> None:
    for error, code in ((Unavailable("The store is down.", 7), "unavailable"), (Throttled("Busy.", 7), "throttled")):
        down: Any = Broken(error)
        result = ask(replace(service, store=down, index=down, outbox=down), "tools/call", RECALL)["result"]
        assert result["isError"] is True
        assert result["_meta"]["m4a/problem"]["code"] == code
        assert "Try again in 7 s." in result["content"][0]["text"]


def test_a_resource_that_cant_be_read_now_is_no_mistake_of_the_client(service: Service) -> None:
    for error, code in ((Unavailable("The store is down.", 7), "unavailable"), (Throttled("Busy.", 7), "throttled")):
        down: Any = Broken(error)
        for uri in ("m4a://context", "m4a://memories/01ARZ3NDEKTSV4RRFFQ69G5FAV"):
            answer = ask(replace(service, store=down), "resources/read", {"uri": uri})["error"]
            assert (answer["code"], answer["message"]) == (-32603, error.message)
            assert (answer["data"]["uri"], answer["data"]["code"], answer["data"]["retry_after"]) == (uri, code, 7)
            assert answer["data"]["request_id"]


def test_a_resource_that_there_is_not_names_the_error(service: Service) -> None:
    answer = ask(service, "resources/read", {"uri": "m4a://memories/01ARZ3NDEKTSV4RRFFQ69G5FAV"})["error"]
    assert (answer["code"], answer["data"]["code"]) == (-32602, "not_found")


def test_an_answer_that_is_not_complete_says_so_first(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> Any:
        raise Unavailable("The model is down.")

    monkeypatch.setattr(Gate, "embed", down)
    result = ask(service, "tools/call", RECALL)["result"]
    assert result["isError"] is False
    assert result["structuredContent"]["degraded"]
    first, *_, last = result["content"][0]["text"].splitlines()
    assert (first.startswith("Not complete: "), last) == (True, "No memory matches.")


def test_nothing_that_a_client_sends_is_logged(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for params in (RECALL, {"name": "walnut secret"}, {"name": "recall", "arguments": ["walnut secret"]}):
        ask(service, "tools/call", params)
    ask(service, "resources/read", {"uri": "m4a://walnut secret"})
    ask(service, "walnut secret", None)
    respond(service, event("notifications/walnut", None, {"sub": "faulty"}, request_id=None), Context("r-1"))
    assert "walnut" not in caplog.text

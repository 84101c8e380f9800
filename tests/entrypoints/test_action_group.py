"""What belongs to action groups: envelopes, identity and states."""

import copy
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.domain.errors import Unavailable
from m4a.entrypoints.action_group import respond
from tests.entrypoints.action_group_calls import USER, call
from tests.support.action_group import (
    body_of,
    function_event,
    lambda_context,
    openapi_event,
    state_of,
)


def test_a_reply_to_a_function_has_its_envelope(service: Service) -> None:
    reply = call(service, "recall", user="one who has nothing", query="anything")
    content = reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"]
    assert reply == {
        "messageVersion": "1.0",
        "response": {
            "actionGroup": "memory",
            "function": "recall",
            "functionResponse": {"responseBody": {"TEXT": {"body": content}}},
        },
    }
    assert json.loads(content)["memories"] == []


def test_a_reply_to_an_operation_has_its_envelope(service: Service) -> None:
    reply = respond(service, openapi_event(USER, "recall", {"query": "anything"}), lambda_context())
    content = reply["response"]["responseBody"]["application/json"]["body"]
    assert reply == {
        "messageVersion": "1.0",
        "response": {
            "actionGroup": "memory",
            "apiPath": "/tools/recall",
            "httpMethod": "POST",
            "httpStatusCode": 200,
            "responseBody": {"application/json": {"body": content}},
        },
    }


def test_other_scripts_are_written_as_they_are(service: Service) -> None:
    reply = call(service, "remember", content="議事録は金曜日")
    assert "議事録は金曜日" in reply["response"]["functionResponse"]["responseBody"]["TEXT"]["body"]


def test_errors_say_whether_the_model_may_try_again(service: Service) -> None:
    made = body_of(call(service, "remember", content="Rent is due on the 3rd"))
    unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    replies = {
        "invalid_input": call(service, "recall", query="x", limit="abc"),
        "not_found": call(service, "update_memory", memory_id=unknown, importance="low"),
        "conflict": call(service, "forget", memory_id=made["memory_id"], reason="old", expected_version="7"),
    }
    for code, reply in replies.items():
        assert (state_of(reply), body_of(reply)["code"]) == ("REPROMPT", code)
    assert body_of(replies["conflict"])["current"]["content"] == "Rent is due on the 3rd"


def test_an_outage_fails_without_asking_the_model_to_try(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    class Down:
        def __getattr__(self, name: str) -> Any:
            raise Unavailable("The store did not answer.", 3)

    reply = call(replace(service, store=Down(), log=Down()), "remember", content="x")
    assert (state_of(reply), body_of(reply)["retry_after"]) == ("FAILURE", 3)


def test_a_fault_of_ours_shows_nothing_of_itself(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise ZeroDivisionError("the cat sleeps on the red sofa")

    with caplog.at_level(logging.DEBUG):
        reply = call(replace(service, store=Broken()), "remember", content="x")
    assert (state_of(reply), body_of(reply)["code"]) == ("FAILURE", "internal")
    assert "lambda-1" in body_of(reply)["detail"]
    assert "sofa" not in json.dumps(reply) and "sofa" not in caplog.text


def test_an_operation_carries_the_status_too(service: Service) -> None:
    def answer(**changes: object) -> tuple[int, str | None]:
        event = {**openapi_event(USER, "recall", {"query": "x", "limit": 0}), **changes}
        reply = respond(service, event, lambda_context())
        return reply["response"]["httpStatusCode"], state_of(reply)

    assert answer() == (400, "REPROMPT")
    assert answer(apiPath="/tools/erase") == (404, "REPROMPT")
    assert answer(httpMethod="GET") == (405, "REPROMPT")
    no_attributes: tuple[object, ...] = ({}, None, "user_id", [USER])
    for nobody in no_attributes:
        assert answer(sessionAttributes=nobody) == (401, "FAILURE")


def test_an_unknown_function_names_those_that_there_are(service: Service) -> None:
    reply = call(service, "memorise", content="x")
    assert state_of(reply) == "REPROMPT" and "update_memory" in body_of(reply)["detail"]


@pytest.mark.parametrize(
    "changes",
    [
        {"function": "half \ud800"},
        {"actionGroup": "half \ud800"},
        {"function": ["half \ud800"]},
        {"function": "recall", "parameters": [{"name": "half \ud800", "type": "string", "value": "x"}] * 2},
        {"apiPath": "half \ud800", "httpMethod": "half \ud800"},
        {"apiPath": None, "httpMethod": None},
        {"sessionAttributes": {"user_id": "half \ud800"}},
        {"sessionAttributes": "half \ud800"},
    ],
)
def test_whatever_an_event_holds_its_reply_can_be_sent(service: Service, changes: dict[str, Any]) -> None:
    reply = respond(service, {**function_event(USER, "recall", {}), **changes}, lambda_context())
    assert state_of(reply) in ("REPROMPT", "FAILURE")
    json.dumps(reply, ensure_ascii=False).encode()


@pytest.mark.parametrize("event", [None, [], "half \ud800", 7, {}])
def test_what_is_no_event_is_answered_too(service: Service, event: Any) -> None:
    assert state_of(respond(service, event, lambda_context())) == "FAILURE"


def test_an_event_is_not_changed_and_its_attributes_are_not_sent_back(service: Service) -> None:
    event = function_event(USER, "recall", {"query": "x"})
    event["sessionAttributes"]["theme"] = "dark"
    before = copy.deepcopy(event)
    reply = respond(service, event, lambda_context())
    assert event == before
    assert "theme" not in json.dumps(reply) and USER not in json.dumps(reply)


def test_a_failed_call_leaves_nothing_for_the_next(service: Service) -> None:
    call(service, "remember", "fay", content="Safe code is 4471")
    before = call(service, "recall", "gus", query="safe code")
    call(service, "recall", "fay", query="safe code", limit="99")
    call(service, "no_such_function", "fay", query="safe code")
    after = call(service, "recall", "gus", query="safe code")
    assert body_of(before)["memories"] == body_of(after)["memories"] == []
    nobody: dict[str, Any] = {**function_event("gus", "recall", {"query": "safe code"}), "sessionAttributes": {}}
    assert body_of(respond(service, nobody, lambda_context()))["code"] == "unauthenticated"

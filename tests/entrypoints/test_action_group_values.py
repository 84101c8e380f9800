"""How values may be spelled in an action group's event, and what counts as absent."""

from typing import Any

import pytest

from m4a.application.service import Service
from m4a.entrypoints.action_group import respond
from tests.support.action_group import body_of, function_event, lambda_context, openapi_event, parameters, state_of

USER = "edda"


def written(service: Service, function: str, user: str = USER, **values: object) -> dict[str, Any]:
    """The reply to a call whose parameters have exactly these values."""
    listed = [{"name": name, "type": "string", "value": value} for name, value in values.items()]
    return respond(service, {**function_event(user, function, {}), "parameters": listed}, lambda_context())


@pytest.mark.parametrize(
    "value",
    ["[billing, eu-west]", '["billing","eu-west"]', "['billing', 'eu-west']", "billing, eu-west", "[Billing,EU-West,]"],
)
def test_every_spelling_of_a_list_is_understood(service: Service, value: str) -> None:
    reply = written(service, "remember", content=f"Invoice contact {value}", tags=value)
    assert body_of(reply)["tags"] == ["billing", "eu-west"]


@pytest.mark.parametrize("value", ["2", "2.0", " 2 ", "+2", 2])
def test_every_spelling_of_a_number_is_understood(service: Service, value: object) -> None:
    assert body_of(written(service, "recall", query="x", limit=value))["applied_filters"]["limit"] == 2


@pytest.mark.parametrize("value", ["true", "True", "TRUE"])
def test_every_spelling_of_a_flag_is_understood(service: Service, value: str) -> None:
    event = openapi_event(USER, "recall", {"query": "x", "explain": value})
    assert "explain" in body_of(respond(service, event, lambda_context()))


@pytest.mark.parametrize("value", ["", " ", "null", "None", None])
def test_an_optional_parameter_that_the_model_did_not_know_is_absent(service: Service, value: str | None) -> None:
    given = dict.fromkeys(("type", "importance", "tags", "event_time"), value)
    made = body_of(written(service, "remember", content=f"Absent as {value!r}", **given))
    assert (made["type"], made["importance"], made["tags"], made["event_time"]) == ("fact", "medium", [], None)


@pytest.mark.parametrize("value", ["None", "null"])
def test_a_required_text_is_kept_whatever_it_says(service: Service, value: str) -> None:
    assert body_of(written(service, "remember", content=value))["content"] == value


@pytest.mark.parametrize("value", ["None", "null", "", " ", None])
@pytest.mark.parametrize("field", ["reason", "memory_id"])
def test_nothing_is_forgotten_without_a_reason_and_an_id(service: Service, field: str, value: str | None) -> None:
    made = body_of(written(service, "remember", content=f"Plays the oboe {field} {value!r}"))
    given: dict[str, Any] = {"memory_id": made["memory_id"], "reason": "asked to", field: value}
    reply = written(service, "forget", **given)
    assert state_of(reply) == "REPROMPT"
    assert [one["field"] for one in body_of(reply)["errors"]] == [field]
    again = body_of(written(service, "remember", content=made["content"]))
    assert (again["created"], again["memory_id"]) == (False, made["memory_id"])


@pytest.mark.parametrize("value", ["None", "null", ""])
def test_an_update_that_fills_in_what_it_does_not_know_keeps_the_text(service: Service, value: str) -> None:
    made = body_of(written(service, "remember", content=f"Plays the viola {value!r}"))
    given = {"memory_id": made["memory_id"], "content": value, "importance": "high"}
    after = body_of(written(service, "update_memory", **given))
    assert (after["content"], after["importance"]) == (made["content"], "high")


@pytest.mark.parametrize("value", ["None", "null"])
def test_a_query_is_kept_whatever_it_says(service: Service, value: str) -> None:
    assert body_of(written(service, "recall", query=value))["memories"] is not None


def test_an_empty_required_parameter_is_refused_by_its_name(service: Service) -> None:
    body = body_of(written(service, "remember", content=""))
    assert [one["field"] for one in body["errors"]] == ["content"]


def test_parameters_and_body_of_an_operation_count_together(service: Service) -> None:
    event = openapi_event(USER, "recall", {"query": "x"})
    event["parameters"] = parameters({"limit": 4})
    assert body_of(respond(service, event, lambda_context()))["applied_filters"]["limit"] == 4


def test_a_parameter_that_is_given_twice_is_refused(service: Service) -> None:
    event = openapi_event(USER, "recall", {"query": "x"})
    event["parameters"] = parameters({"query": "y"})
    reply = respond(service, event, lambda_context())
    assert (state_of(reply), body_of(reply)["errors"][0]["field"]) == ("REPROMPT", "query")


def query_of(**parts: object) -> dict[str, Any]:
    """An event of the OpenAPI style with these parts in place of its own."""
    return {**openapi_event(USER, "recall", {"query": "x"}), **parts}


@pytest.mark.parametrize(
    "event",
    [
        {**function_event(USER, "recall", {}), "parameters": None},
        query_of(parameters=None, requestBody=None),
        {**function_event(USER, "recall", {}), "apiPath": None},
        query_of(requestBody={}),
        query_of(requestBody={"content": None}),
        query_of(requestBody={"content": {"application/json": None}}),
        query_of(requestBody={"content": {"application/json": {}}}),
        query_of(requestBody={"content": {"application/json": {"properties": None}}}),
    ],
)
def test_a_part_that_is_null_is_absent(service: Service, event: dict[str, Any]) -> None:
    reply = respond(service, event, lambda_context())
    assert state_of(reply) == "REPROMPT"
    assert [one["field"] for one in body_of(reply)["errors"]] == ["query"]


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (query_of(httpMethod=None), "httpMethod"),
        ({name: part for name, part in query_of().items() if name != "httpMethod"}, "httpMethod"),
        (query_of(httpMethod=1), "httpMethod"),
        (query_of(parameters=[{"type": "string", "value": "x"}]), "parameters"),
        (query_of(parameters=[{"name": None, "value": "x"}]), "parameters"),
        (query_of(parameters=["query"]), "parameters"),
        (query_of(parameters={"query": "x"}), "parameters"),
        (query_of(requestBody=["x"]), "requestBody"),
        ({**function_event(USER, "recall", {}), "function": None}, "function"),
    ],
)
def test_an_event_that_can_not_be_read_is_refused_by_what_is_wrong(
    service: Service, event: dict[str, Any], field: str
) -> None:
    reply = respond(service, event, lambda_context())
    assert state_of(reply) == "REPROMPT"
    body = body_of(reply)
    assert (body["code"], [one["field"] for one in body["errors"]]) == ("invalid_input", [field])

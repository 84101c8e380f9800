"""Who calls an action group: the session says so, and nothing else."""

import json
from dataclasses import replace
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.domain.owner import Owner
from m4a.entrypoints.action_group import respond
from tests.entrypoints.action_group_calls import USER, call
from tests.support.action_group import (
    body_of,
    function_event,
    lambda_context,
    state_of,
)


@pytest.mark.parametrize("name", ["user_id", "tenant_id", "owner", "agent_id"])
def test_a_parameter_that_names_an_identity_is_refused_and_reveals_nothing(service: Service, name: str) -> None:
    call(service, "remember", "elif", content="Clinic visit on 3 June")
    reply = call(service, "recall", query="clinic visit", **{name: "elif"})
    assert (state_of(reply), body_of(reply)["errors"][0]["field"]) == ("REPROMPT", name)
    assert "3 June" not in json.dumps(reply)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"user_id": ""},
        {"user_id": " "},
        {"user_id": None},
        {"sub": "dora"},
        {"user_id": "dora", "tenant_id": "acme"},
        None,
    ],
)
def test_without_an_identity_in_the_session_nobody_is_let_in(service: Service, attributes: object) -> None:
    event = {
        **function_event(USER, "recall", {"query": "x"}),
        "sessionAttributes": attributes,
        "promptSessionAttributes": {"user_id": USER},
    }
    reply = respond(service, event, lambda_context())
    assert (state_of(reply), body_of(reply)["code"]) == ("FAILURE", "unauthenticated")
    del event["sessionAttributes"]
    assert body_of(respond(service, event, lambda_context()))["code"] == "unauthenticated"


def test_where_tenants_are_configured_the_session_must_name_one(service: Service) -> None:
    ours = replace(service, tenant_claim="org")
    event = function_event(USER, "remember", {"content": "Badge of the Lyon office is green"})

    def answer(tenant: str | None, **changes: object) -> dict[str, Any]:
        attributes = {"user_id": USER} | ({} if tenant is None else {"tenant_id": tenant})
        return body_of(respond(ours, {**event, "sessionAttributes": attributes, **changes}, lambda_context()))

    assert answer("acme")["created"]
    assert answer(None)["code"] == answer("[acme]")["code"] == answer("")["code"] == "unauthenticated"
    asked = function_event(USER, "recall", {"query": "badge Lyon"})
    assert answer("globex", **{name: asked[name] for name in ("function", "parameters")})["memories"] == []


def test_only_listed_agents_may_call_where_there_is_a_list(service: Service) -> None:
    event = function_event(USER, "recall", {"query": "x"})
    allowed = respond(service, event, lambda_context(), agent_ids=("OTHER00001", "AGENT00001"))
    assert state_of(allowed) is None
    unnamed = {name: value for name, value in event.items() if name != "agent"}
    for asked in (event, unnamed, {**event, "agent": None}, {**event, "agent": "AGENT00001"}):
        refused = respond(service, asked, lambda_context(), agent_ids=("OTHER00001",))
        assert (state_of(refused), body_of(refused)["code"]) == ("FAILURE", "forbidden")


def test_the_audit_names_the_entry_point_and_the_request(service: Service) -> None:
    call(service, "remember", "hal", content="Audited")
    from_log = service.log.audit(Owner("default", "hal"), None, 10).items
    assert {(one.entry_point, one.request_id, one.actor) for one in from_log} == {("bedrock", "lambda-1", "hal")}

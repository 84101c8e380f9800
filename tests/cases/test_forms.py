"""Forms that a case may have: what is unusual in a step must reach the product, which then answers for itself."""

from collections.abc import Mapping
from typing import Any

import pytest

from m4a.entrypoints import api_gateway
from m4a.entrypoints.http import Request, read_request
from tests.cases.case_file import Case
from tests.cases.runner import run_case
from tests.cases.test_runner import RECALL, REMEMBER, run
from tests.support.profiles import EmbeddedProfile, StackProfile
from tests.support.stack import Backends

SESSION = {"sessionAttributes": {"user_id": "user-a"}}
QUERY = {"name": "query", "type": "string", "value": "kettle"}
BODY = '{"query": "kettle"}'
ANYONE: Mapping[str, Any] = {"authorizer": {"jwt": {"claims": {"sub": "user-a"}}}}
TENANTS = {"env": {"M4A_TENANT_CLAIM": "org"}}
ANN = {"user": "ann", "tenant": "acme"}
SAME_ANN = {"user_id": "ann", "tenant_id": "acme"}
OTHER_ANN = {"user": "ann", "tenant": "other"}


def openapi_event(**parts: Any) -> dict[str, Any]:
    return {"apiPath": "/tools/recall", "httpMethod": "POST", **SESSION, **parts}


@pytest.mark.parametrize(
    "event",
    [
        {"function": "recall", "parameters": None, **SESSION},
        {"function": "recall", "parameters": [None, {"value": "x"}], **SESSION},
        openapi_event(parameters=None, requestBody={"content": {"application/json": {}}}),
        openapi_event(requestBody={"content": {"application/json": None}}),
        openapi_event(requestBody={"content": {"application/json": {"properties": None}}}),
        openapi_event(requestBody={"content": None}),
        openapi_event(requestBody=[]),
    ],
)
def test_an_agent_s_event_with_parts_missing_reaches_the_product(
    event: Mapping[str, Any], embedded: EmbeddedProfile
) -> None:
    check = {"step": 1, "no_exception": True, "has": "response.actionGroup"}

    assert run(embedded, [{"bedrock": event}], [check]).reasons == ()


@pytest.mark.parametrize("path", ["/memories/café", "/memories/a b", "/memories/\u200b\ud83d", "/memories/%C3%A9?x=ü"])
def test_a_path_that_no_url_holds_goes_percent_encoded(path: str, embedded: EmbeddedProfile) -> None:
    step = {"caller": "user-a", "http": {"method": "GET", "path": path, "headers": None, "body": None}}

    assert run(embedded, [step], [{"step": 1, "http": [404, 400]}]).status == "passed"


def test_a_request_has_the_headers_that_the_step_names(
    embedded: EmbeddedProfile, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[str]] = []

    def read(event: Mapping[str, Any], context: object) -> Request:
        seen.append(set(event["headers"]))
        return read_request(event, context)

    monkeypatch.setattr(api_gateway, "read_request", read)
    step = {"http": {"method": "GET", "path": "/health", "headers": {"x-own": "1"}, "body": None}}

    assert run(embedded, [step], [{"step": 1, "http": 200}]).status == "passed"
    assert seen == [{"host", "connection", "x-own", "x-forwarded-proto"}]


def test_an_event_without_a_path_reaches_the_product(embedded: EmbeddedProfile) -> None:
    step = {"apigw_event": {"rawPath": None, "requestContext": ANYONE, "body": BODY}}

    assert run(embedded, [step], [{"step": 1, "no_exception": True, "never_5xx": True}]).status == "passed"


def test_an_event_of_mcp_goes_to_its_own_function(embedded: EmbeddedProfile) -> None:
    step = {
        "apigw_event": {"rawPath": "/mcp", "requestContext": ANYONE, "body": '{"jsonrpc":"2.0","id":1,"method":"ping"}'}
    }

    assert run(embedded, [step], [{"step": 1, "http": 200, "jsonrpc": "result"}]).status == "passed"


def test_callers_have_tenants_where_the_deployment_has(embedded: EmbeddedProfile) -> None:
    steps = [
        {**TENANTS, **REMEMBER, "caller": ANN},
        {**RECALL, "caller": SAME_ANN},
        {**RECALL, "caller": OTHER_ANN},
        {**RECALL, "caller": "ann"},
        {"caller": ANN, "apigw_event": {"rawPath": "/recall", "body": BODY}},
        {"caller": ANN, "bedrock": {"function": "recall", "parameters": [QUERY]}},
    ]
    checks = [
        *({"step": step, "ids_exactly": ["m1"]} for step in (2, 5, 6)),
        {"step": 3, "outcome": "ok", "count": 0},
        {"step": 4, "http": 401},
    ]

    assert run(embedded, steps, checks).reasons == ()


def test_a_caller_with_a_tenant_is_refused_where_the_deployment_has_none(embedded: EmbeddedProfile) -> None:
    assert run(embedded, [{**RECALL, "caller": ANN}], [{"step": 1, "http": 401}]).status == "passed"


def test_an_event_that_says_who_calls_is_not_changed(embedded: EmbeddedProfile) -> None:
    none = {"rawPath": "/recall", "requestContext": {"authorizer": None}, "body": BODY}
    steps: list[Mapping[str, Any]] = [
        {"caller": "user-a", "apigw_event": none},
        {"caller": "user-a", "bedrock": {"function": "recall", "sessionAttributes": {}}},
    ]

    checks = [{"step": 1, "http": 401}, {"step": 2, "equals": {"response.functionResponse.responseState": "FAILURE"}}]

    assert run(embedded, steps, checks).reasons == ()


@pytest.mark.parametrize(("name", "status"), [("m1", "passed"), ("m9", "failed")])
def test_records_of_the_stream_name_their_memories(name: str, status: str, backends: Backends) -> None:
    image = {"user_id": {"S": "user-a"}, "memory_id": {"S": "m1"}, "content": {"S": "The kettle is new"}}
    record = {"eventName": "INSERT", "dynamodb": {"SequenceNumber": "1", "NewImage": image}}
    steps: list[Mapping[str, Any]] = [{"stream": {"Records": [record]}}, RECALL]
    checks = [{"step": 2, "ids_exactly": [name]}, {"step": 2, "content_equals": {name: "The kettle is new"}}]

    assert run_case(Case("X01", "A case", steps, checks), StackProfile(backends)).status == status

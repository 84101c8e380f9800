"""The functions: their time, their logs, their versions, their variables."""

from collections.abc import Callable
from typing import Any

import pytest

from m4a.local.stack import stack_settings, variables_of
from m4a.settings import Settings
from tests.templates.lambdas import (
    calls_past_the_alias,
    functions,
    functions_that_start_cold,
    functions_whose_logs_stay,
    functions_without_alias,
    functions_without_traces,
    passes_that_are_repeated,
    slow_functions,
    unknown_variables,
    unset_settings,
    variables_that_sam_drops,
    versions_that_stay,
)
from tests.templates.reading import Template

Proof = Callable[[Template], list[str]]
Break = Callable[[dict[str, Any]], object]

PROOFS: tuple[Proof, ...] = (
    calls_past_the_alias,
    functions_that_start_cold,
    functions_whose_logs_stay,
    functions_without_alias,
    functions_without_traces,
    passes_that_are_repeated,
    slow_functions,
    unknown_variables,
    unset_settings,
    versions_that_stay,
)
RECALL_INTEGRATION = ("paths", "/tools/recall", "post", "x-amazon-apigateway-integration")


def _properties(resources: dict[str, Any], name: str) -> dict[str, Any]:
    return resources[name]["Properties"]


def _call_past_the_alias(resources: dict[str, Any]) -> None:
    place: Any = _properties(resources, "HttpApi")["Body"]
    for step in RECALL_INTEGRATION:
        place = place[step]
    place["uri"]["Fn::Sub"] = place["uri"]["Fn::Sub"].replace("${RecallAliaslive}", "${Recall.Arn}")


def _give_an_unknown_variable(resources: dict[str, Any]) -> None:
    _properties(resources, "Recall")["Environment"]["Variables"]["M4A_TABEL"] = "x"


def _take_a_variable(resources: dict[str, Any]) -> None:
    for resource in resources.values():
        resource["Properties"].get("Environment", {}).get("Variables", {}).pop("M4A_TENANT_CLAIM", None)


def _keep_a_version(resources: dict[str, Any]) -> None:
    name = resources["RecallAliaslive"]["Properties"]["FunctionVersion"]["Fn::GetAtt"][0]
    resources["RecallVersion"] = resources.pop(name) | {"DeletionPolicy": "Retain"}


BREAKS: tuple[tuple[Proof, Break, list[str]], ...] = (
    (calls_past_the_alias, _call_past_the_alias, ["HttpApi"]),
    (functions_that_start_cold, lambda all_: _properties(all_, "Forget").pop("SnapStart"), ["Forget"]),
    (functions_whose_logs_stay, lambda all_: _properties(all_, "SweepLogs").pop("RetentionInDays"), ["Sweep"]),
    (functions_whose_logs_stay, lambda all_: _properties(all_, "Recall").pop("LoggingConfig"), ["Recall"]),
    (functions_without_alias, lambda all_: all_.pop("IndexerAliaslive"), ["Indexer"]),
    (functions_without_traces, lambda all_: _properties(all_, "Recall").pop("TracingConfig"), ["Recall"]),
    (slow_functions, lambda all_: _properties(all_, "Recall").update(Timeout=30), ["Recall"]),
    (slow_functions, lambda all_: _properties(all_, "Sweep").pop("Timeout"), ["Sweep"]),
    (unknown_variables, _give_an_unknown_variable, ["Recall: M4A_TABEL"]),
    (unset_settings, _take_a_variable, ["tenant_claim"]),
    (passes_that_are_repeated, lambda all_: all_.pop("SweepEventInvokeConfig"), ["Sweep"]),
    (
        passes_that_are_repeated,
        lambda all_: _properties(all_, "SweepEventInvokeConfig").update(MaximumRetryAttempts=2),
        ["Sweep"],
    ),
    (
        passes_that_are_repeated,
        lambda all_: _properties(all_, "SweepEachMinute")["Target"]["RetryPolicy"].update(MaximumRetryAttempts=1),
        ["SweepAliaslive"],
    ),
    (versions_that_stay, _keep_a_version, ["RecallVersion"]),
)


@pytest.mark.parametrize("proof", PROOFS)
def test_nothing_is_wrong_with_the_functions(template: Template, proof: Proof) -> None:
    assert proof(template) == []


@pytest.mark.parametrize(("proof", "break_it", "found"), BREAKS, ids=lambda one: getattr(one, "__name__", None))
def test_what_is_wrong_with_a_function_is_found(
    template: Template, proof: Proof, break_it: Break, found: list[str]
) -> None:
    break_it(template["Resources"])
    assert proof(template) == found


def test_every_proof_of_the_functions_is_shown_to_fail() -> None:
    assert {proof for proof, _, _ in BREAKS} == set(PROOFS)


def test_the_functions_declare_what_the_local_stack_sets_for_containers(template: Template) -> None:
    base = Settings(tenant_claim="org", issuer="https://issuer.example.com", resource_url="https://m4a.example.com/mcp")
    given = variables_of(stack_settings("http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3", base=base))
    given = {**given, "M4A_INDEX_PREFIX": "other"}
    assert variables_that_sam_drops(template, given) == []
    del _properties(template["Resources"], "Recall")["Environment"]["Variables"]["M4A_DYNAMODB_URL"]
    assert variables_that_sam_drops(template, given) == ["Recall: M4A_DYNAMODB_URL"]


def test_each_handler_folder_has_its_function(template: Template) -> None:
    folders = {one["Handler"].removesuffix(".handler.handler") for _, one in functions(template)}
    assert folders == {
        "remember",
        "recall",
        "update_memory",
        "forget",
        "mcp_server",
        "memories",
        "action_group",
        "agentcore_gateway",
        "gateway_interceptor",
        "indexer",
        "sweep",
    }


def test_the_indexer_is_started_for_new_outbox_entries_alone_and_sets_aside_what_fails(template: Template) -> None:
    changes = template["Resources"]["IndexerChanges"]["Properties"]
    (pattern,) = changes["FilterCriteria"]["Filters"]
    assert pattern == {"Pattern": '{"eventName": ["INSERT"], "dynamodb": {"Keys": {"sk": {"S": [{"prefix": "P#"}]}}}}'}
    assert changes["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert changes["BisectBatchOnFunctionError"] is True
    assert 0 <= changes["MaximumRetryAttempts"] < 100
    assert changes["DestinationConfig"] == {"OnFailure": {"Destination": {"Fn::GetAtt": ["DeadLetters", "Arn"]}}}
    queue = template["Resources"]["DeadLetters"]["Properties"]
    assert queue == {"SqsManagedSseEnabled": True, "MessageRetentionPeriod": 14 * 24 * 3600}

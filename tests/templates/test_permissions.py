"""Permissions: what each function may do, and who may call."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from m4a.adapters.bedrock.models import COHERE_V4, STAND_IN, TITAN_V2, model_called
from tests.templates.permissions import (
    ALLOWED,
    USES_THE_KEY,
    callers_that_are_not_bound,
    functions_that_can_scan,
    permissions_beside_the_list,
    roles_without_a_reason,
    searching_roles,
    statements,
    texts,
    vague_statements,
)
from tests.templates.reading import NESTED, Template, nested_template

Proof = Callable[[Template], list[str]]
Break = Callable[[dict[str, Any]], object]

PROOFS: tuple[Proof, ...] = (
    callers_that_are_not_bound,
    functions_that_can_scan,
    permissions_beside_the_list,
    roles_without_a_reason,
    vague_statements,
)


def _policy(resources: dict[str, Any], name: str) -> dict[str, Any]:
    """The first statement of a policy that roles share."""
    return resources[name]["Properties"]["PolicyDocument"]["Statement"][0]


def _let_read_by_scan(resources: dict[str, Any]) -> None:
    _policy(resources, "ReadTablePolicy")["Action"].append("dynamodb:Scan")


def _let_recall_commit(resources: dict[str, Any]) -> None:
    resources["CommitPolicy"]["Properties"]["Roles"].append({"Ref": "RecallRole"})


def _let_the_indexer_put(resources: dict[str, Any]) -> None:
    own = resources["IndexerRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
    own[1]["Action"] = [own[1]["Action"], "dynamodb:PutItem"]


def _share_a_role(resources: dict[str, Any]) -> None:
    resources["Recall"]["Properties"]["Role"] = resources["Remember"]["Properties"]["Role"]


def _forget_for_whom(resources: dict[str, Any]) -> None:
    (trust,) = resources["SweepScheduleRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    del trust["Condition"]["ArnLike"]


def _let_any_api_call(resources: dict[str, Any]) -> None:
    del resources["RecallCallPermission"]["Properties"]["SourceArn"]


def _let_agents_of_other_accounts_call(resources: dict[str, Any]) -> None:
    del resources["ForeignAgentPermission"]["Properties"]["SourceAccount"]


BREAKS: tuple[tuple[Proof, Break, set[str]], ...] = (
    (functions_that_can_scan, _let_read_by_scan, {"Recall", "Forget", "Memories"}),
    (permissions_beside_the_list, _let_recall_commit, {"Recall: dynamodb:PutItem", "Recall: dynamodb:DeleteItem"}),
    (permissions_beside_the_list, _let_the_indexer_put, {"Indexer: dynamodb:PutItem"}),
    (roles_without_a_reason, _share_a_role, {"Remember", "Recall"}),
    (
        vague_statements,
        lambda all_: _policy(all_, "EmbedPolicy").update(Action="bedrock:*"),
        {"EmbedPolicy: bedrock:*"},
    ),
    (vague_statements, lambda all_: _policy(all_, "CommitPolicy").update(Resource="*"), {"CommitPolicy: *"}),
    (callers_that_are_not_bound, _forget_for_whom, {"SweepScheduleRole: scheduler.amazonaws.com"}),
    (callers_that_are_not_bound, _let_any_api_call, {"RecallCallPermission"}),
    (callers_that_are_not_bound, _let_agents_of_other_accounts_call, {"ForeignAgentPermission"}),
)


@pytest.mark.parametrize("proof", PROOFS)
def test_nothing_is_wrong_with_permissions(whole: Template, template: Template, proof: Proof) -> None:
    assert proof(whole) == []
    if proof in (vague_statements, callers_that_are_not_bound):
        assert proof(template) == []  # what only other options bring is in this one


@pytest.mark.parametrize("name", NESTED)
def test_nothing_is_wrong_with_permissions_of_nested_stacks(name: str) -> None:
    nested = nested_template(name)
    assert vague_statements(nested) == []
    assert callers_that_are_not_bound(nested) == []


@pytest.mark.parametrize(("proof", "break_it", "found"), BREAKS)
def test_a_permission_too_many_is_found(
    template: Template, whole: Template, proof: Proof, break_it: Break, found: set[str]
) -> None:
    bad = template if break_it is _let_agents_of_other_accounts_call else whole
    break_it(bad["Resources"])
    assert found <= set(proof(bad))


def test_every_proof_of_permissions_is_shown_to_fail() -> None:
    assert {proof for proof, _, _ in BREAKS} == set(PROOFS)


def test_the_embedding_model_is_named_and_may_be_an_inference_profile(whole: Template) -> None:
    itself, elsewhere = [one for name, one in statements(whole) if name == "EmbedPolicy"]
    region = "arn:${AWS::Partition}:bedrock:${AWS::Region}"
    profile = f"{region}:${{AWS::AccountId}}:inference-profile/${{EmbeddingModel}}"
    assert list(texts(itself["Resource"])) == [f"{region}::foundation-model/${{EmbeddingModel}}", profile]
    assert list(texts(elsewhere["Condition"]["ArnLike"])) == [profile]
    assert models_without_a_profile(whole) == []


@pytest.mark.parametrize("name", ["EmbeddingModel", "FormerEmbeddingModel"])
def test_the_models_that_can_be_named_are_those_that_the_code_knows(template: Template, name: str) -> None:
    pattern = re.compile(template["Parameters"][name]["AllowedPattern"])
    known = [model.model_id for model in (TITAN_V2, COHERE_V4)]
    for allowed in [*known, *(f"{geography}.{COHERE_V4.model_id}" for geography in ("eu", "us", "global", "us-gov"))]:
        model = model_called(allowed)
        assert pattern.fullmatch(allowed) and model and model.invoke_id == allowed
    for refused in (STAND_IN.model_id, "cohere.embed-v4", "eucohere.embed-v4:0", "eu.us.cohere.embed-v4:0"):
        assert not pattern.fullmatch(refused)
    assert bool(pattern.fullmatch("")) == (name == "FormerEmbeddingModel")


def test_whoever_uses_the_table_may_use_its_key_through_dynamodb_alone(whole: Template) -> None:
    policy = whole["Resources"]["TableKeyPolicy"]["Properties"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert set(statement["Action"]) == USES_THE_KEY
    assert statement["Condition"]["StringEquals"].keys() == {"kms:ViaService"}
    of_functions = {f"{name}Role" for name, actions in ALLOWED.items() if actions}
    assert {role["Ref"] for role in policy["Roles"]} == {*of_functions, "OperatorRole"}


def models_without_a_profile(template: Template) -> list[str]:
    """Statements that let models of other regions be called, and not only through an inference profile."""
    found: list[str] = []
    for name, statement in statements(template):
        profiles = statement.get("Condition", {}).get("ArnLike", {}).get("bedrock:InferenceProfileArn", "*")
        if any("bedrock:*::foundation-model/" in one for one in texts(statement.get("Resource", []))):
            found += [name for one in texts(profiles) if "*" in one]
    return found


def test_the_agent_calls_models_of_other_regions_through_its_inference_profile_alone() -> None:
    agent = nested_template("agent")
    assert models_without_a_profile(agent) == []
    (policy,) = agent["Resources"]["Role"]["Properties"]["Policies"]
    through_a_profile = policy["PolicyDocument"]["Statement"][-1]
    through_a_profile["Condition"]["ArnLike"]["bedrock:InferenceProfileArn"] = "arn:*:inference-profile/*"
    assert models_without_a_profile(agent) == ["Role"]
    del through_a_profile["Condition"]
    assert models_without_a_profile(agent) == ["Role"]


@pytest.mark.parametrize("kind", ["::foundation-model/", ":${AWS::AccountId}:inference-profile/"])
def test_the_agent_s_model_can_be_a_foundation_model_or_an_inference_profile(kind: str) -> None:
    policies = nested_template("agent")["Resources"]["Role"]["Properties"]["Policies"]
    invoked = [
        text
        for statement in policies[0]["PolicyDocument"]["Statement"]
        if "bedrock:InvokeModel" in statement["Action"]
        for text in texts(statement["Resource"])
    ]
    assert f"arn:${{AWS::Partition}}:bedrock:${{AWS::Region}}{kind}${{Model}}" in invoked


def test_searchers_search_the_indexer_writes_and_nobody_else_is_let_in() -> None:
    domain = nested_template("search-domain")
    called = searching_roles(domain)
    assert called["SearcherRoleArns"] == {"POST /_msearch"}
    assert called["IndexerRoleArn"] == {"POST /_bulk", "GET /memories-writers/_mapping"}
    assert called["SweepRoleArn"] == called["IndexerRoleArn"] | {
        "POST /memories/_search",
        "POST /memories-g*-write/_search",
        "PUT /memories-g*-write/_doc/marker",
    }
    assert called.keys() == {"SearcherRoleArns", "IndexerRoleArn", "SweepRoleArn", "OperatorRoleArn"}
    (refused,) = [
        one
        for one in domain["Resources"]["Domain"]["Properties"]["AccessPolicies"]["Statement"]
        if one["Effect"] == "Deny"
    ]
    assert refused["Principal"] == {"AWS": "*"}
    assert refused["Condition"].keys() == {"ArnNotEquals"}


def test_only_functions_that_search_are_among_the_searchers(whole: Template) -> None:
    given: Any = whole["Resources"]["SearchDomain"]["Properties"]["Parameters"]["SearcherRoleArns"]
    searchers = {one["Fn::GetAtt"][0] for one in given["Fn::Join"][1]}
    assert searchers == {"RememberRole", "RecallRole", "McpServerRole", "ActionGroupRole", "AgentcoreGatewayRole"}

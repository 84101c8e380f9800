"""Permissions: what each function may do, and who may call."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.templates.permissions import (
    ALLOWED,
    USES_THE_KEY,
    callers_that_are_not_bound,
    functions_that_can_scan,
    permissions_beside_the_list,
    roles_without_a_reason,
    searching_roles,
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


def test_whoever_uses_the_table_may_use_its_key_through_dynamodb_alone(whole: Template) -> None:
    policy = whole["Resources"]["TableKeyPolicy"]["Properties"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert set(statement["Action"]) == USES_THE_KEY
    assert statement["Condition"]["StringEquals"].keys() == {"kms:ViaService"}
    of_functions = {f"{name}Role" for name, actions in ALLOWED.items() if actions}
    assert {role["Ref"] for role in policy["Roles"]} == {*of_functions, "OperatorRole"}


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

"""Parameters: the environments of samconfig.toml, and what is passed on to nested stacks."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

import pytest

from m4a.settings import Settings
from scripts.check_templates import OPTIONS, with_defaults
from tests.templates.reading import ROOT, Template, main_template, nested_template
from tests.templates.settling import resolved, settled


def overrides(environment: str) -> dict[str, str]:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    chosen = config[environment]["deploy"]["parameters"]["parameter_overrides"]
    return dict(one.split("=", 1) for one in chosen)


@pytest.mark.parametrize("environment", ["dev", "prod"])
def test_an_environment_sets_parameters_that_there_are_to_values_that_they_take(environment: str) -> None:
    declared: Mapping[str, Any] = main_template()["Parameters"]
    for name, value in overrides(environment).items():
        allowed = [str(one) for one in declared[name].get("AllowedValues", [value])]
        assert value in allowed, name


def test_production_is_protected_and_development_is_not() -> None:
    protected = {
        environment: settled(main_template(), **overrides(environment))["Resources"]["Table"]["Properties"]
        for environment in ("dev", "prod")
    }
    assert {name: one["DeletionProtectionEnabled"] for name, one in protected.items()} == {
        "dev": "false",
        "prod": "true",
    }


def test_production_keeps_copies_of_the_index_and_development_does_not() -> None:
    for environment, copies in (("dev", "0"), ("prod", "1")):
        recall = settled(main_template(), **overrides(environment))["Resources"]["Recall"]
        assert recall["Properties"]["Environment"]["Variables"]["M4A_SEARCH_REPLICAS"] == copies


INDEXED = (
    "M4A_EMBEDDING_MODEL",
    "M4A_SEARCH_ENGINE",
    "M4A_SEARCH_REPLICAS",
    "M4A_SEARCH_SHARDS",
)
"""Variables that an index is made by: one that is there keeps what it was made with."""
ANOTHER = {"SearchInstanceCount": 3, "SearchEngine": "faiss", "SearchShards": 2, "EmbeddingModel": "cohere.embed-v4:0"}


def silent_parameters(template: Template) -> list[str]:
    """Parameters that change what an index is made by, and whose description does not tell to make it anew."""
    before = _indexed(template)
    changing = [name for name, value in ANOTHER.items() if _indexed(template, **{name: value}) != before]
    assert changing == list(ANOTHER)
    return [name for name in changing if "m4a reindex" not in template["Parameters"][name]["Description"]]


def _indexed(template: Template, **given: Any) -> list[Any]:
    variables = settled(template, **given)["Resources"]["Recall"]["Properties"]["Environment"]["Variables"]
    return [variables[name] for name in INDEXED]


def test_a_parameter_that_asks_for_another_index_says_so(template: Template) -> None:
    assert silent_parameters(template) == []
    template["Parameters"]["SearchInstanceCount"]["Description"] = "How many instances the domain has."
    assert silent_parameters(template) == ["SearchInstanceCount"]


def wrongly_passed(template: Template) -> list[str]:
    """Parameters that a nested stack does not have, or needs and does not get."""
    found: list[str] = []
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::CloudFormation::Stack":
            location: str = resource["Properties"]["TemplateURL"]
            wanted = nested_template(location.removeprefix("infra/").removesuffix(".yaml"))["Parameters"].keys()
            found += [f"{name}: {one}" for one in sorted(wanted ^ resource["Properties"]["Parameters"].keys())]
    return found


def test_nested_stacks_get_the_parameters_that_they_have(template: Template) -> None:
    assert wrongly_passed(template) == []
    del template["Resources"]["SearchDomain"]["Properties"]["Parameters"]["SweepRoleArn"]
    assert wrongly_passed(template) == ["SearchDomain: SweepRoleArn"]


def outputs_that_are_not_there(template: Template) -> list[str]:
    """Outputs of nested stacks that the main template reads and they don't have."""
    stacks = {
        name: nested_template(one["Properties"]["TemplateURL"].removeprefix("infra/").removesuffix(".yaml"))
        for name, one in template["Resources"].items()
        if one["Type"] == "AWS::CloudFormation::Stack"
    }
    text = json.dumps(template)
    offered = {f'["{name}", "Outputs.{output}"]' for name, one in stacks.items() for output in one.get("Outputs", {})}
    read = {part.split("]")[0] + "]" for part in text.split('"Fn::GetAtt": ')[1:]}
    return sorted(one for one in read if "Outputs." in one and one not in offered)


def test_outputs_of_nested_stacks_that_are_read_are_there(template: Template) -> None:
    assert outputs_that_are_not_there(template) == []
    template["Outputs"]["ApiUrl"]["Value"] = {"Fn::GetAtt": ["SignIn", "Outputs.Password"]}
    assert outputs_that_are_not_there(template) == ['["SignIn", "Outputs.Password"]']


def test_checkov_sees_the_options_that_are_off_by_default() -> None:
    text = with_defaults((ROOT / "template.yaml").read_text("utf-8"), OPTIONS)
    for name, value in OPTIONS.items():
        assert f"Default: {value}\n" in text, name
    with pytest.raises(ValueError, match="Nothing"):
        with_defaults(text, {"Nothing": "x"})


@pytest.mark.parametrize(("given", "reserved"), [({}, None), ({"ReservedConcurrency": 5}, 5)])
def test_concurrency_is_reserved_by_parameter_and_for_callers_alone(
    given: dict[str, int], reserved: int | None
) -> None:
    resources = settled(main_template(), **given)["Resources"]
    assert resources["Recall"]["Properties"].get("ReservedConcurrentExecutions") == reserved
    assert "ReservedConcurrentExecutions" not in resources["Indexer"]["Properties"]


def test_the_output_for_the_command_makes_settings(whole: Template) -> None:
    value = whole["Outputs"]["CommandEnvironment"]["Value"]
    declared = {name: one["Default"] for name, one in whole["Parameters"].items()}
    url = "https://search.example.com"
    made = {"Table": "m4a-table", "AWS::Region": "eu-central-1", "SearchDomain.Outputs.Url": url}
    text: str = resolved(value, {**declared, **made})
    settings = Settings.from_env(dict(one.split("=", 1) for one in text.split()))
    assert (settings.profile, settings.table, settings.search_url) == ("aws", "m4a-table", url)
    assert (settings.search_engine, settings.search_replicas, settings.tenant_claim) == ("lucene", 0, None)


def test_the_policies_of_the_collection_can_be_read_and_name_each_role_once() -> None:
    arns = {
        name: f"arn:aws:iam::123456789012:role/{name}" for name in ("IndexerRoleArn", "SweepRoleArn", "OperatorRoleArn")
    }
    searchers = ["arn:aws:iam::123456789012:role/one", "arn:aws:iam::123456789012:role/two"]
    template = settled(nested_template("search-serverless"), Name="m4a-one", SearcherRoleArns=searchers, **arns)
    policies = {
        name: json.loads(resolved(one["Properties"]["Policy"], {"Name": "m4a-one", **arns}))
        for name, one in template["Resources"].items()
        if one["Type"] in ("AWS::OpenSearchServerless::AccessPolicy", "AWS::OpenSearchServerless::SecurityPolicy")
    }
    assert policies.keys() == {"Encryption", "Network", "DataAccess"}
    permitted = {tuple(rule["Principal"]): rule["Rules"][0]["Permission"] for rule in policies["DataAccess"]}
    assert permitted[tuple(searchers)] == ["aoss:ReadDocument"]
    assert "aoss:DeleteIndex" in permitted[arns["OperatorRoleArn"],]
    assert "aoss:DeleteIndex" not in permitted[arns["IndexerRoleArn"], arns["SweepRoleArn"]]

"""What the templates hold of the tools' schemas."""

import json
from typing import Any

import pytest
import yaml

from scripts.inline_schemas import filled
from tests.templates.reading import INFRA, Reader, nested_template

FORGET = "forget"


@pytest.mark.parametrize("name", ["agent", "gateway"])
def test_inlined_schemas_are_those_that_are_published(name: str) -> None:
    text = (INFRA / f"{name}.yaml").read_text("utf-8")
    assert "# BEGIN generated" in text
    assert filled(text) == text


def test_an_inlined_schema_that_is_out_of_date_is_made_anew() -> None:
    text = (INFRA / "agent.yaml").read_text("utf-8")
    stale = text.replace("- Name: forget", "- Name: remove")
    assert stale != text
    assert filled(stale) == text


def aliases_that_stay_behind(before: str, after: str) -> list[str]:
    """Aliases of agents that have changed and of which no property has: they keep the agent's old version."""
    one, other = (yaml.load(text, Loader=Reader)["Resources"] for text in (before, after))
    changed = one["Agent"] != other["Agent"]
    return ["Alias"] if changed and one["Alias"] == other["Alias"] else []


@pytest.mark.parametrize("changed", ["- Name: forget", "you have a memory", "IdleSessionTTLInSeconds: 60"])
def test_the_alias_of_an_agent_that_changes_gets_a_new_version_of_it(changed: str) -> None:
    text = (INFRA / "agent.yaml").read_text("utf-8")
    other = text.replace("# BEGIN generated", "# Generated").replace(changed, f"{changed}0")  # new schemas stay, too
    assert aliases_that_stay_behind(text, filled(other)) == []
    assert aliases_that_stay_behind(text, other) == ["Alias"]


def test_the_alias_of_an_agent_on_another_model_gets_a_new_version_of_it() -> None:
    (alias,) = [one for name, one in nested_template("agent")["Resources"].items() if name == "Alias"]
    assert "${Model}" in alias["Properties"]["Description"]["Fn::Sub"]


def test_the_agent_asks_before_it_forgets_and_never_else() -> None:
    by_functions, by_openapi = nested_template("agent")["Resources"]["Agent"]["Properties"]["ActionGroups"]
    asks = {one["Name"]: one["RequireConfirmation"] for one in by_functions["FunctionSchema"]["Functions"]}
    assert {name for name, answer in asks.items() if answer == "ENABLED"} == {FORGET}
    paths: dict[str, Any] = json.loads(by_openapi["ApiSchema"]["Payload"])["paths"]
    asking = {path for path, one in paths.items() if one["post"]["x-requireConfirmation"] == "ENABLED"}
    assert asking == {f"/tools/{FORGET}"}


def test_the_gateway_s_tools_fit_the_names_that_models_take() -> None:
    target = nested_template("gateway")["Resources"]["Target"]["Properties"]
    tools = target["TargetConfiguration"]["Mcp"]["Lambda"]["ToolSchema"]["InlinePayload"]
    assert [one["Name"] for one in tools] == ["remember", "recall", "update_memory", "forget"]
    assert max(len(f"{target['Name']}___{one['Name']}") for one in tools) <= 64

"""Which models may be called: those that are named, elsewhere through an inference profile alone."""

import re

import pytest

from m4a.adapters.bedrock.models import COHERE_V4, STAND_IN, TITAN_V2, model_called
from tests.templates.permissions import (
    statements,
    texts,
)
from tests.templates.reading import Template, nested_template


def models_without_a_profile(template: Template) -> list[str]:
    """Statements that let models of other regions be called, and not only through an inference profile."""
    found: list[str] = []
    for name, statement in statements(template):
        profiles = statement.get("Condition", {}).get("ArnLike", {}).get("bedrock:InferenceProfileArn", "*")
        if any("bedrock:*::foundation-model/" in one for one in texts(statement.get("Resource", []))):
            found += [name for one in texts(profiles) if "*" in one]
    return found


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

"""The tool loops of the examples, each with the SDK of its provider and a model that follows a script.

The script: the model makes a mistake, reads the refusal, remembers rightly and recalls in one breath, then answers.
"""

import json
from typing import Any

import boto3
from anthropic import Anthropic
from botocore.config import Config
from openai import OpenAI

from m4a.client import Client
from tests.examples import replies
from tests.examples.conftest import example
from tests.support.scripted_model import ScriptedModel

QUESTION = "I moved to Porto."
ANSWER = "Noted: Porto."
MISTAKE = ("remember", {"content": "Moved to Porto", "type": "rumour"})
RIGHT = ("remember", {"content": "Moved to Porto", "type": "fact"})
ASKED = ("recall", {"query": "Where does the user live?"})
TURNS: list[replies.Calls] = [[("c1", *MISTAKE)], [("c2", *RIGHT), ("c3", *ASKED)]]


def check(memory: Client, results: list[tuple[str, str]]) -> None:
    """What the model was told by its tools, by the ids of its calls; and what is stored afterwards."""
    assert [call_id for call_id, _ in results] == ["c1", "c2", "c3"]
    refused, stored, found = (json.loads(text) for _, text in results)
    assert (refused["error"], refused["errors"][0]["field"]) == ("invalid_input", "type")
    assert stored["created"] is True
    assert found["memories"][0]["content"] == "Moved to Porto"
    assert [one.content for one in memory.memories()] == ["Moved to Porto", "Allergic to walnuts"]


def check_start(system: str, tools: list[Any]) -> None:
    assert "recall before you answer" in system and "Allergic to walnuts" in system
    assert len(tools) == 4


def test_the_openai_loop(memory: Client) -> None:
    script = [*map(replies.openai, TURNS), replies.openai([], ANSWER)]
    memory.remember("Allergic to walnuts", importance="high")
    with ScriptedModel(script) as model, OpenAI(base_url=model.address, api_key="none", max_retries=0) as sdk:
        assert example("openai_loop/agent.py").answer(sdk, "scripted", memory, QUESTION) == ANSWER
    first, *_, last = model.requests
    check_start(first["messages"][0]["content"], first["tools"])
    check(memory, [(row["tool_call_id"], row["content"]) for row in last["messages"] if row["role"] == "tool"])


def test_the_anthropic_loop(memory: Client) -> None:
    script = [*map(replies.anthropic, TURNS), replies.anthropic([], ANSWER)]
    memory.remember("Allergic to walnuts", importance="high")
    with ScriptedModel(script) as model, Anthropic(base_url=model.address, api_key="none", max_retries=0) as sdk:
        assert example("anthropic_loop/agent.py").answer(sdk, "scripted", memory, QUESTION) == ANSWER
    first, *_, last = model.requests
    check_start(first["system"], first["tools"])
    parts = [part for row in last["messages"] if isinstance(row["content"], list) for part in row["content"]]
    check(memory, [(part["tool_use_id"], part["content"]) for part in parts if part["type"] == "tool_result"])


def test_the_bedrock_loop(memory: Client) -> None:
    script = [*map(replies.bedrock, TURNS), replies.bedrock([], ANSWER)]
    memory.remember("Allergic to walnuts", importance="high")
    with ScriptedModel(script) as model:
        boto: Any = boto3  # its stubs are partly unknown
        sdk: Any = boto.client(
            "bedrock-runtime",
            endpoint_url=model.address,
            region_name="eu-west-1",
            aws_access_key_id="none",
            aws_secret_access_key="none",
            config=Config(retries={"total_max_attempts": 1}),
        )
        assert example("bedrock_loop/agent.py").answer(sdk, "scripted", memory, QUESTION) == ANSWER
        sdk.close()
    first, *_, last = model.requests
    check_start(first["system"][0]["text"], first["toolConfig"]["tools"])
    parts = [part["toolResult"] for row in last["messages"] for part in row["content"] if "toolResult" in part]
    check(memory, [(part["toolUseId"], part["content"][0]["text"]) for part in parts])

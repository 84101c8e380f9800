"""The Strands example, where Strands is installed, with a model of Bedrock that follows a script."""

# pyright: basic, reportMissingImports=false

import json
from typing import Any

import pytest

from m4a.client import Client
from tests.examples.conftest import example
from tests.support.scripted_model import ScriptedModel

pytest.importorskip("strands")

import boto3
from strands.models import BedrockModel


def said(*content: dict[str, Any], reason: str = "tool_use") -> dict[str, Any]:
    message = {"role": "assistant", "content": list(content)}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    return {"output": {"message": message}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}}


def calling(call_id: str, name: str, **arguments: object) -> dict[str, Any]:
    return said({"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}})


def test_the_agent_reads_refusals_and_remembers(memory: Client) -> None:
    memory.remember("Allergic to walnuts", importance="high")
    script = [
        calling("c1", "remember", content="Moved to Porto", type="rumour"),
        calling("c2", "remember", content="Moved to Porto", tags=["home"]),
        said({"text": "Noted."}, reason="end_turn"),
    ]
    session = boto3.Session("none", "none", region_name="eu-west-1")
    with ScriptedModel(script) as scripted:
        model = BedrockModel(boto_session=session, model_id="scripted", endpoint_url=scripted.address, streaming=False)
        agent = example("strands_agent/agent.py").make_agent(model, memory)
        assert str(agent("I moved to Porto.")).strip() == "Noted."
    first, *_, last = scripted.requests
    assert "Allergic to walnuts" in first["system"][0]["text"]
    assert [tool["toolSpec"]["name"] for tool in first["toolConfig"]["tools"]] == [
        "remember",
        "recall",
        "update_memory",
        "forget",
    ]
    results = [part["toolResult"] for row in last["messages"] for part in row["content"] if "toolResult" in part]
    refused, stored = (json.loads(result["content"][0]["text"]) for result in results)
    assert (refused["error"], stored["created"], stored["tags"]) == ("invalid_input", True, ["home"])

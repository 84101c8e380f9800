"""The LangGraph example, where LangChain is installed, with a model that follows a script."""

# pyright: basic, reportMissingImports=false

import json
from typing import Any

import pytest

from m4a.client import Client
from tests.examples.conftest import example

pytest.importorskip("langchain")

from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage


class Scripted(FakeMessagesListChatModel):
    """Keeps what it was given."""

    tools: list[Any] = []
    seen: list[Any] = []

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        self.tools.extend(tools)
        return self

    def _generate(self, messages: Any, *arguments: Any, **named: Any) -> Any:
        self.seen.append(list(messages))
        return super()._generate(messages, *arguments, **named)


def calling(call_id: str, name: str, **arguments: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": call_id, "name": name, "args": arguments}])


def test_the_agent_reads_refusals_and_remembers(memory: Client) -> None:
    memory.remember("Allergic to walnuts", importance="high")
    script = [
        calling("c1", "remember", content="Moved to Porto", type="rumour"),
        calling("c2", "remember", content="Moved to Porto", tags=["home"]),
        AIMessage("Noted."),
    ]
    model = Scripted(responses=list(script))
    agent = example("langgraph_agent/agent.py").make_agent(model, memory)
    said = agent.invoke({"messages": [{"role": "user", "content": "I moved to Porto."}]})["messages"]
    assert said[-1].text == "Noted."
    refused, stored = (json.loads(message.content) for message in said if isinstance(message, ToolMessage))
    assert (refused["error"], stored["created"], stored["tags"]) == ("invalid_input", True, ["home"])
    assert [tool.name for tool in model.tools[:4]] == ["remember", "recall", "update_memory", "forget"]
    first = model.seen[0][0]
    assert isinstance(first, SystemMessage) and "Allergic to walnuts" in first.text

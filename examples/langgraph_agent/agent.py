"""A LangGraph agent with memory."""

# pyright: basic, reportMissingImports=false

import os
import sys
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import StructuredTool

from m4a.client import Client, M4AError

MODEL = "anthropic:claude-sonnet-5-5"


def memory_tools(memory: Client) -> list[StructuredTool]:
    """The four tools. A refusal is an answer too, which the model reads."""
    return [_tool(memory, row["name"], row["description"], row["input_schema"]) for row in memory.tools("anthropic")]


def make_agent(model: str | BaseChatModel, memory: Client) -> Any:
    """An agent for one user: its graph, to be invoked with messages."""
    return create_agent(model, memory_tools(memory), system_prompt=memory.instructions())


def _tool(memory: Client, name: str, description: str, schema: dict[str, Any]) -> StructuredTool:
    def call(**arguments: Any) -> str:
        return memory.reply(name, arguments)

    return StructuredTool(name=name, description=description, args_schema=schema, func=call)


def run() -> None:
    url, token = os.environ.get("M4A_URL", "http://127.0.0.1:8765"), os.environ.get("M4A_TOKEN")
    with Client(url, token) as memory:
        agent = make_agent(os.environ.get("MODEL", MODEL), memory)
        said = agent.invoke({"messages": [{"role": "user", "content": " ".join(sys.argv[1:])}]})
        print(said["messages"][-1].text)


def main() -> None:
    try:
        run()
    except M4AError as error:
        sys.exit(error.message)  # on stderr, with the status 1


if __name__ == "__main__":
    main()

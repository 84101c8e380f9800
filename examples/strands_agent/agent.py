"""A Strands agent with memory."""

# pyright: basic, reportMissingImports=false

import os
import sys
from typing import Any

from strands import Agent
from strands.models import Model
from strands.tools import PythonAgentTool
from strands.types.tools import ToolResult, ToolUse

from m4a.client import Client, M4AError

MODEL = "amazon.nova-pro-v1:0"


def memory_tools(memory: Client) -> list[PythonAgentTool]:
    """The four tools. A refusal is an answer too, which the model reads."""

    def call(use: ToolUse, **_: Any) -> ToolResult:
        text = memory.reply(use["name"], use["input"])
        return {"toolUseId": use["toolUseId"], "status": "success", "content": [{"text": text}]}

    return [
        PythonAgentTool(
            row["name"],
            {"name": row["name"], "description": row["description"], "inputSchema": {"json": row["input_schema"]}},
            call,
        )
        for row in memory.tools("anthropic")
    ]


def make_agent(model: str | Model, memory: Client) -> Agent:
    """An agent for one user. A model's name is one of Bedrock."""
    tools: list[Any] = [*memory_tools(memory)]
    return Agent(model=model, tools=tools, system_prompt=memory.instructions(), callback_handler=None)


def run() -> None:
    url, token = os.environ.get("M4A_URL", "http://127.0.0.1:8765"), os.environ.get("M4A_TOKEN")
    with Client(url, token) as memory:
        print(make_agent(os.environ.get("BEDROCK_MODEL", MODEL), memory)(" ".join(sys.argv[1:])))


def main() -> None:
    try:
        run()
    except M4AError as error:
        sys.exit(error.message)  # on stderr, with the status 1


if __name__ == "__main__":
    main()

"""An agent with memory in a tool loop on Anthropic's Messages API."""

import os
import sys
from typing import Any

from anthropic import Anthropic

from m4a.client import Client, M4AError

MODEL = "claude-sonnet-5-5"


def answer(model: Anthropic, name: str, memory: Client, question: str) -> str:
    """Lets the model use the memory until it has its answer."""
    system, tools = memory.instructions(), memory.tools("anthropic")
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        said = model.messages.create(model=name, max_tokens=2_000, system=system, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": said.content})
        if said.stop_reason != "tool_use":
            return "".join(part.text for part in said.content if part.type == "text")
        calls = [part for part in said.content if part.type == "tool_use"]
        results = [(call.id, memory.reply(call.name, call.input)) for call in calls]
        parts = [{"type": "tool_result", "tool_use_id": call_id, "content": text} for call_id, text in results]
        messages.append({"role": "user", "content": parts})


def run() -> None:
    url, token = os.environ.get("M4A_URL", "http://127.0.0.1:8765"), os.environ.get("M4A_TOKEN")
    with Client(url, token) as memory:
        print(answer(Anthropic(), os.environ.get("ANTHROPIC_MODEL", MODEL), memory, " ".join(sys.argv[1:])))


def main() -> None:
    try:
        run()
    except M4AError as error:
        sys.exit(error.message)  # on stderr, with the status 1


if __name__ == "__main__":
    main()

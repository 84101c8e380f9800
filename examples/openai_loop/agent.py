"""An agent with memory in a tool loop on OpenAI's Chat Completions."""

import os
import sys
from typing import Any

from openai import OpenAI

from m4a.client import Client, M4AError

MODEL = "gpt-5.4-mini"
"""Without reasoning, which is its default, it takes tools in Chat Completions too."""


def answer(model: OpenAI, name: str, memory: Client, question: str) -> str | None:
    """Lets the model use the memory until it has its answer."""
    messages: list[Any] = [
        {"role": "system", "content": memory.instructions()},
        {"role": "user", "content": question},
    ]
    tools: Any = memory.tools("openai")
    while True:
        said = model.chat.completions.create(model=name, messages=messages, tools=tools).choices[0].message
        messages.append(said)
        if not said.tool_calls:
            return said.content
        for call in said.tool_calls:
            if call.type == "function":
                result = memory.reply(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def run() -> None:
    url, token = os.environ.get("M4A_URL", "http://127.0.0.1:8765"), os.environ.get("M4A_TOKEN")
    with Client(url, token) as memory:
        print(answer(OpenAI(), os.environ.get("OPENAI_MODEL", MODEL), memory, " ".join(sys.argv[1:])))


def main() -> None:
    try:
        run()
    except M4AError as error:
        sys.exit(error.message)  # on stderr, with the status 1


if __name__ == "__main__":
    main()

"""An agent with memory in a tool loop on Bedrock's Converse API."""

import os
import sys
from typing import Any

import boto3
from botocore.exceptions import NoCredentialsError, NoRegionError

from m4a.client import Client, M4AError

MODEL = "amazon.nova-pro-v1:0"


def answer(bedrock: Any, name: str, memory: Client, question: str) -> str:
    """Lets the model use the memory until it has its answer. ``bedrock``: a client of the service bedrock-runtime."""
    system, tools = [{"text": memory.instructions()}], {"tools": [_tool(row) for row in memory.tools("anthropic")]}
    messages: list[Any] = [{"role": "user", "content": [{"text": question}]}]
    while True:
        said = bedrock.converse(modelId=name, system=system, messages=messages, toolConfig=tools)["output"]["message"]
        messages.append(said)
        calls = [part["toolUse"] for part in said["content"] if "toolUse" in part]
        if not calls:
            return "".join(part.get("text", "") for part in said["content"])
        results = [(call["toolUseId"], memory.reply(call["name"], call["input"])) for call in calls]
        parts = [{"toolResult": {"toolUseId": call_id, "content": [{"text": text}]}} for call_id, text in results]
        messages.append({"role": "user", "content": parts})


def _tool(row: dict[str, Any]) -> dict[str, Any]:
    schema = {"json": row["input_schema"]}
    return {"toolSpec": {"name": row["name"], "description": row["description"], "inputSchema": schema}}


def run() -> None:
    url, token = os.environ.get("M4A_URL", "http://127.0.0.1:8765"), os.environ.get("M4A_TOKEN")
    name = os.environ.get("BEDROCK_MODEL", MODEL)
    with Client(url, token) as memory:
        sdk: Any = boto3
        bedrock = sdk.client("bedrock-runtime")
        print(answer(bedrock, name, memory, " ".join(sys.argv[1:])))


def main() -> None:
    try:
        run()
    except M4AError as error:
        sys.exit(error.message)  # on stderr, with the status 1
    except NoRegionError:
        sys.exit("Set AWS_DEFAULT_REGION to a region where Bedrock has the model, such as us-east-1.")
    except NoCredentialsError:
        sys.exit("Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")


if __name__ == "__main__":
    main()

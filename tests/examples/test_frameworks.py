"""The examples of LangGraph and Strands, each run in an environment of its own with a model that follows a script."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from m4a.client import Client
from m4a.local.server import LocalServer
from tests.examples import replies
from tests.examples.conftest import EXAMPLES
from tests.support.scripted_model import ScriptedModel

ROOT = EXAMPLES.parent
TURNS: list[replies.Calls] = [
    [("c1", "remember", {"content": "Moved to Porto", "type": "rumour"})],
    [("c2", "remember", {"content": "Moved to Porto", "tags": ["home"]})],
]
PLACES = {"AWS_ACCESS_KEY_ID": "none", "AWS_SECRET_ACCESS_KEY": "none", "AWS_REGION": "eu-west-1"}


def run(server: LocalServer, folder: str, program: list[str | Path], **variables: str) -> str:
    """What the program prints, with the packages that the example's folder asks for and the client from here."""
    ran = ended(server.address, folder, program, **variables)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def ended(address: str, folder: str, program: list[str | Path], **variables: str) -> "subprocess.CompletedProcess[str]":
    """The same, however it ends, with the server at that address."""
    needs = ["--with-editable", f"{ROOT}[client]", "--with-requirements", EXAMPLES / folder / "requirements.txt"]
    command = [sys.executable, ROOT / "scripts" / "environment.py", "uv", "run", "--isolated", "--no-project", *needs]
    environment = {**os.environ, **variables, "M4A_URL": address}
    return subprocess.run([*command, "python", *program], env=environment, capture_output=True, text=True, check=False)


def check(results: list[str], server: LocalServer, token: str) -> None:
    """The model read a refusal and then remembered."""
    refused, stored = map(json.loads, results)
    assert (refused["error"], stored["created"], stored["tags"]) == ("invalid_input", True, ["home"])
    with Client(server.address, token) as memory:
        assert [one.content for one in memory.memories()] == ["Moved to Porto", "Allergic to walnuts"]


def important(server: LocalServer, token: str) -> None:
    with Client(server.address, token) as memory:
        memory.remember("Allergic to walnuts", importance="high")


def test_the_langgraph_agent_reads_refusals_and_remembers(server: LocalServer) -> None:
    token = "langgraph-token"
    important(server, token)
    with ScriptedModel([*map(replies.anthropic, TURNS), replies.anthropic([], "Noted.")]) as model:
        variables = {"ANTHROPIC_BASE_URL": model.address, "ANTHROPIC_API_KEY": "none", "M4A_TOKEN": token}
        program: list[str | Path] = [EXAMPLES / "langgraph_agent" / "agent.py", "I moved to Porto."]
        assert run(server, "langgraph_agent", program, **variables).strip() == "Noted."
    first, *_, last = model.requests
    assert "Allergic to walnuts" in json.dumps(first["system"])
    assert [tool["name"] for tool in first["tools"]] == ["remember", "recall", "update_memory", "forget"]
    parts = [part for row in last["messages"] if isinstance(row["content"], list) for part in row["content"]]
    check([_text(part["content"]) for part in parts if part["type"] == "tool_result"], server, token)


def test_the_strands_agent_reads_refusals_and_remembers(server: LocalServer) -> None:
    token = "strands-token"
    important(server, token)
    with ScriptedModel([*map(replies.bedrock, TURNS), replies.bedrock([], "Noted.")]) as model:
        variables = {**PLACES, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": model.address, "M4A_TOKEN": token}
        program: list[str | Path] = [Path(__file__).with_name("strands_run.py")]
        program += [EXAMPLES / "strands_agent" / "agent.py", "I moved to Porto."]
        assert run(server, "strands_agent", program, **variables).strip() == "Noted."
    first, *_, last = model.requests
    assert "Allergic to walnuts" in first["system"][0]["text"]
    names = [tool["toolSpec"]["name"] for tool in first["toolConfig"]["tools"]]
    assert names == ["remember", "recall", "update_memory", "forget"]
    results = [part["toolResult"] for row in last["messages"] for part in row["content"] if "toolResult" in part]
    check([result["content"][0]["text"] for result in results], server, token)


@pytest.mark.parametrize("folder", ["langgraph_agent", "strands_agent"])
def test_without_a_server_an_agent_ends_with_a_sentence(folder: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
    ran = ended(address, folder, [EXAMPLES / folder / "agent.py", "Hello"], **PLACES, ANTHROPIC_API_KEY="none")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "The server can't be reached." in ran.stderr.splitlines()
    assert "Traceback" not in ran.stderr


def _text(content: Any) -> str:
    """A tool's result as LangChain sends it: text, or a list of parts."""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)

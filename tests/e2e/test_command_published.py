"""The schemas and the prompt by the command: the same as over HTTP."""

import json
import os

import httpx
import pytest
from click.testing import CliRunner

from m4a.bootstrap import build_operator
from m4a.local.main import command
from m4a.local.server import LocalServer
from m4a.tools.export import FORMATS
from tests.e2e.conftest import CommandLine, settings


def run(*words: str) -> str:
    result = CliRunner().invoke(command, words, prog_name="m4a")
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_schemas_and_prompt_are_those_of_the_server(m4a: CommandLine) -> None:
    operator = build_operator(settings(m4a.db))
    with LocalServer(operator.service) as server, httpx.Client(base_url=server.address) as http:
        for name in FORMATS:
            assert json.loads(run("tools", "--format", name)) == http.get("/tools", params={"format": name}).json()
        assert json.loads(run("tools", "--json")) == http.get("/tools").json()
        assert json.loads(run("prompt", "--json")) == http.get("/prompt").json()
        assert run("prompt").strip() == http.get("/prompt").json()["prompt"]
    operator.service.close()


def test_they_need_neither_settings_nor_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("M4A_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("M4A_DB", "/nowhere/at/all.db")
    assert run("tools", "--format", "openai") and run("prompt")


def test_an_unknown_format_is_refused_with_those_that_there_are() -> None:
    result = CliRunner().invoke(command, ["tools", "--format", "grpc"], prog_name="m4a")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "bedrock-functions" in result.stderr

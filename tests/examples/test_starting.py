"""How the examples are installed, and what they say without a server."""

import ast
import inspect
import os
import socket
import sys
from pathlib import Path
from types import ModuleType
from typing import get_args

import boto3
import pytest
from anthropic.resources.messages import DEPRECATED_MODELS
from anthropic.types import Model
from openai.types.shared import chat_model

from m4a.local.server import LocalServer
from tests.examples.conftest import EXAMPLES, example

LOOPS = ("openai_loop", "anthropic_loop", "bedrock_loop")
OTHERS = ("langgraph_agent", "strands_agent", "backend_many_users")
KEYS = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none", "AWS_DEFAULT_REGION": "eu-west-1"}


@pytest.mark.parametrize("folder", LOOPS)
def test_without_a_server_a_loop_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
    for name, value in {**KEYS, "M4A_URL": address}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["agent.py", "Where do I live?"])
    loop: ModuleType = example(f"{folder}/agent.py")
    with pytest.raises(SystemExit) as ended:
        loop.main()
    assert isinstance(ended.value.code, str) and "can't be reached" in ended.value.code
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("set_up", "variable"), [({}, "AWS_DEFAULT_REGION"), ({"AWS_DEFAULT_REGION": "eu-west-1"}, "AWS_PROFILE")]
)
def test_without_a_region_or_credentials_the_bedrock_loop_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, server: LocalServer, set_up: dict[str, str], variable: str
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    nowhere = dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"), "/none")
    away = {"AWS_EC2_METADATA_DISABLED": "true", "M4A_URL": server.address, "M4A_TOKEN": "service-token"}
    for name, value in {**nowhere, **away, **set_up}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    monkeypatch.setattr(sys, "argv", ["agent.py", "Where do I live?"])
    with pytest.raises(SystemExit, match=variable):
        example("bedrock_loop/agent.py").main()
    assert variable in (EXAMPLES / "README.md").read_text("utf-8")


def default_model(folder: str) -> str:
    """The model that an example asks for if no variable names one, whether or not its packages are here."""
    tree = ast.parse((EXAMPLES / folder / "agent.py").read_text("utf-8"))
    assigned = {ast.unparse(row.targets[0]): row.value for row in tree.body if isinstance(row, ast.Assign)}
    return ast.literal_eval(assigned["MODEL"])


@pytest.mark.parametrize("folder", ["anthropic_loop", "langgraph_agent"])
def test_a_default_of_anthropics_is_a_model_that_its_sdk_knows_and_does_not_warn_of(folder: str) -> None:
    name = default_model(folder).removeprefix("anthropic:")
    listed = [model for part in get_args(Model) for model in get_args(part)]
    assert name in listed and name not in DEPRECATED_MODELS


def test_the_default_of_openais_is_a_model_that_its_sdk_knows_and_does_not_call_deprecated() -> None:
    source = Path(inspect.getfile(chat_model)).read_text("utf-8")
    _, heading, deprecated = source.partition("Deprecated values:")
    name = default_model("openai_loop")
    assert name in get_args(chat_model.ChatModel)
    assert heading and f'"{name}"' not in deprecated


def test_no_page_or_example_asks_a_package_index_for_this_package() -> None:
    files = sorted(EXAMPLES.glob("*/requirements.txt"))
    assert {path.parent.name for path in files} == {*LOOPS, *OTHERS}
    assert not [path for path in files if "m4a" in path.read_text()]
    pages = [(EXAMPLES / "README.md").read_text("utf-8"), (EXAMPLES.parent / "README.md").read_text("utf-8")]
    assert "pip install '.[client]' -r examples/" in pages[0] and "dist/m4a-*.whl" in pages[1]
    assert not any("install 'm4a" in page for page in pages)

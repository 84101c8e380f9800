"""How the examples are installed, and what they say without a server."""

import socket
import sys
from types import ModuleType

import pytest

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


def test_no_page_or_example_asks_a_package_index_for_this_package() -> None:
    files = sorted(EXAMPLES.glob("*/requirements.txt"))
    assert {path.parent.name for path in files} == {*LOOPS, *OTHERS}
    assert not [path for path in files if "m4a" in path.read_text()]
    pages = [(EXAMPLES / "README.md").read_text("utf-8"), (EXAMPLES.parent / "README.md").read_text("utf-8")]
    assert "pip install '.[client]' -r examples/" in pages[0] and "dist/m4a-*.whl" in pages[1]
    assert not any("install 'm4a" in page for page in pages)

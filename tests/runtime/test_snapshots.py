"""What is in the snapshot of a packaged function, with a stand-in for the module by which Lambda takes it."""

import json
from pathlib import Path

import pytest

from m4a.local.template import template_resources
from tests.runtime.calls import tool_event
from tests.runtime.conftest import HANDLERS, World
from tests.runtime.emulator import Functions
from tests.runtime.test_functions import printed

NO_SNAPSHOT = {"ApplyOn": "None"}
WITHOUT_ADAPTERS = "GatewayInterceptor"
RESTORED = {
    name: module.rpartition(".")[0]
    for name, module in HANDLERS.items()
    if template_resources()[name]["Properties"].get("SnapStart") != NO_SNAPSHOT and name != WITHOUT_ADAPTERS
}
ADAPTERS = ("botocore.session", "m4a.bootstrap.aws", "m4a.adapters.opensearch.client", "m4a.adapters.bedrock.client")
STAND_IN = "hooks = []\nregister_before_snapshot = hooks.append\n"
TAKES_AT_ONCE = "def register_before_snapshot(hook):\n    hook()\n    print('snapshot')\n"


def stand_in(folder: Path, source: str) -> str:
    """A search path with that for ``snapshot_restore_py``."""
    (folder / "snapshot_restore_py.py").write_text(source)
    return str(folder)


@pytest.mark.parametrize("name", RESTORED)
def test_a_function_registers_a_hook_that_loads_the_adapters(packages: Path, tmp_path: Path, name: str) -> None:
    path = f"{packages / name}:{stand_in(tmp_path, STAND_IN)}"
    code = f"import sys, json, snapshot_restore_py, {RESTORED[name]}\n"
    code += f"loaded = lambda: [one in sys.modules for one in {ADAPTERS}]\n"
    code += "before = loaded(); [hook() for hook in snapshot_restore_py.hooks]; print(json.dumps([before, loaded()]))"
    assert json.loads(printed(packages / name, code, PYTHONPATH=path)) == [[False] * 4, [True] * 4]


@pytest.mark.parametrize("name", RESTORED)
def test_after_the_hook_what_the_first_call_needs_is_loaded(
    packages: Path, world: World, tmp_path: Path, name: str
) -> None:
    path = f"{packages / name}:{stand_in(tmp_path, TAKES_AT_ONCE)}"
    code = f"import sys, {RESTORED[name]} as handler; before = set(sys.modules)\n"
    code += "[getattr(handler, one)() for one in ('service', 'sparing_service') if hasattr(handler, one)]\n"
    code += "print(sorted(set(sys.modules) - before))"
    assert printed(packages / name, code, **world.variables, PYTHONPATH=path).splitlines() == ["snapshot", "[]"]


def test_the_hook_keeps_neither_session_nor_client(packages: Path, tmp_path: Path) -> None:
    path = f"{packages / 'Recall'}:{stand_in(tmp_path, TAKES_AT_ONCE)}"
    code = "import recall.handler, gc, botocore.session, botocore.client, opensearchpy\n"
    code += "kinds = (botocore.session.Session, botocore.client.BaseClient, opensearchpy.OpenSearch)\n"
    code += "print([one for one in gc.get_objects() if isinstance(one, kinds)])"
    assert printed(packages / "Recall", code, PYTHONPATH=path).splitlines() == ["snapshot", "[]"]


def test_a_function_serves_after_its_snapshot(functions: Functions, packages: Path, tmp_path: Path) -> None:
    path = f"{packages / 'Recall'}:{stand_in(tmp_path, TAKES_AT_ONCE)}"
    started = functions.start("Recall", PYTHONPATH=path)
    reply = started.invoke(tool_event("recall", "sven", query="sailing"))
    assert (reply["statusCode"], json.loads(reply["body"])["memories"]) == (200, [])
    assert "snapshot" in started.log.read_text()

"""The wheel, built and installed with nothing of the clone around it."""

import signal
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

import m4a
from tests.e2e.programs import environment, serving, uv


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--quiet", "--wheel", "--out-dir", folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that has the wheel and, for the rest, the versions of the lock file."""
    folder = tmp_path_factory.mktemp("installed")
    versions = folder / "versions.txt"
    uv("export", "--quiet", "--locked", "--extra", "local", "--no-emit-project", "--no-hashes", "-o", versions)
    uv("venv", "--quiet", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    uv("pip", "install", "--quiet", "--python", python, "--constraints", versions, f"m4a[local] @ {wheel.as_uri()}")
    return python.parent


def test_the_wheel_holds_all_that_the_product_needs_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    info = f"m4a-{m4a.__version__}.dist-info"
    assert names >= {
        "m4a/local/template.yaml",
        "m4a/adapters/minilm-vocab.txt",
        "m4a/adapters/minilm-vocab.NOTICE",
        "m4a/py.typed",
        f"{info}/licenses/LICENSE",
        f"{info}/licenses/NOTICE",
    }
    assert {name.split("/")[0] for name in names} == {"m4a", info}


def test_the_installed_command_tells_its_version(programs: Path, tmp_path: Path) -> None:
    command = [programs / "m4a", "--version"]
    shown = subprocess.run(command, cwd=tmp_path, env=environment(), check=True, capture_output=True, text=True).stdout
    assert m4a.__version__ in shown


def test_the_installed_server_remembers_recalls_and_ends_cleanly(programs: Path, tmp_path: Path) -> None:
    command = [programs / "m4a", "serve", "--port", "0", "--db", tmp_path / "memories.db"]
    (tmp_path / "empty").mkdir()
    with serving(command, tmp_path / "empty") as server:
        remembered = server.call("remember", content="Anouk's train arrives at platform nine")
        recalled = server.call("recall", query="At which platform does Anouk arrive?")
        exit_code = server.stop(signal.SIGTERM)
        assert not server.leaves_processes()
    assert [memory["memory_id"] for memory in recalled["memories"]] == [remembered["memory_id"]]
    assert "degraded" not in recalled
    assert exit_code == 0
    assert list((tmp_path / "empty").iterdir()) == []


def test_the_installed_command_names_the_packages_that_another_profile_needs(programs: Path, tmp_path: Path) -> None:
    aws = {"M4A_PROFILE": "aws", "M4A_REGION": "eu-central-1", "M4A_TABLE": "memories", "M4A_SEARCH_URL": "http://x"}
    for words, variables, needed in ((["stack"], {}, "m4a[stack]"), (["list"], aws, "m4a[aws]")):
        command = [programs / "m4a", *words]
        surroundings = environment(**variables)
        ended = subprocess.run(command, cwd=tmp_path, env=surroundings, check=False, capture_output=True, text=True)
        assert ended.returncode == 2
        assert f"pip install '{needed}'" in ended.stderr
    listing = [programs / "m4a", "--help"]
    assert "m4a[stack]" in subprocess.run(listing, env=environment(), check=True, capture_output=True, text=True).stdout

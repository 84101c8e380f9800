"""`make serve` in a fresh clone, as the first thing a person does."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.programs import ROOT, environment, serving

SENTENCE = "The spare key hangs behind the boiler"
PRETEND_3_10 = "import sys; sys.version_info = (3, 10, 14); exec(sys.argv[1])"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a clone of the working tree would hold, changes that are not yet committed included."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    folder = tmp_path / "clone"
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture
def clone_with_uv(clone: Path) -> Path:
    """A clone that need not get uv again, if this one has it."""
    if (ROOT / ".uv").exists():
        (clone / ".uv").symlink_to(ROOT / ".uv")
    return clone


def make_serve(database: Path) -> list[str]:
    return ["make", "serve", "PORT=0", f"DB={database}", f"PYTHON={sys.executable}"]


def test_a_fresh_clone_serves_and_its_second_start_installs_nothing(clone: Path, tmp_path: Path) -> None:
    database = tmp_path / "memories.db"
    with serving(make_serve(database), clone) as server:
        remembered = server.call("remember", content=SENTENCE)
        assert remembered["created"] is True
        server.stop(signal.SIGTERM)
        assert not server.leaves_processes()
    assert "Installing into .venv" in server.output

    shutil.rmtree(clone / ".uv", ignore_errors=True)
    trap = a_uv_that_tells(tmp_path)
    with serving(make_serve(database), clone, PATH=f"{trap.parent}:{environment()['PATH']}") as server:
        recalled = server.call("recall", query="where is the key")
        server.stop(signal.SIGTERM)
    assert [memory["content"] for memory in recalled["memories"]] == [SENTENCE]
    assert not trap.with_name("was-run").exists()
    assert not (clone / ".uv").exists()


def test_ctrl_c_and_sigterm_end_the_server_quietly_and_leave_nothing_running(
    clone_with_uv: Path, tmp_path: Path
) -> None:
    for number, whole_group in ((signal.SIGINT, True), (signal.SIGTERM, False)):
        with serving(make_serve(tmp_path / "memories.db"), clone_with_uv) as server:
            exit_code = server.stop(number, whole_group)
            assert not server.leaves_processes()
        assert exit_code == -number  # make itself dies of the signal, with nothing to complain about
        assert "***" not in server.output
        assert "Traceback" not in server.output


def test_an_installation_that_was_broken_off_is_made_anew(clone_with_uv: Path, tmp_path: Path) -> None:
    packages = clone_with_uv / ".venv" / "lib" / "python3" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "pydantic").mkdir()
    with serving(make_serve(tmp_path / "memories.db"), clone_with_uv) as server:
        assert server.call("remember", content=SENTENCE)["created"] is True
    assert "making it anew" in server.output
    assert not packages.exists()


def test_an_interpreter_that_is_too_old_is_named_in_one_sentence(clone: Path, tmp_path: Path) -> None:
    old = a_program(tmp_path / "python", f"exec '{sys.executable}' -c '{PRETEND_3_10}' \"$2\"")
    command = ["make", "serve", f"PYTHON={old}"]
    ended = subprocess.run(command, cwd=clone, env=environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert f'M4A needs Python 3.11 or later, and "{old}" is not that.' in ended.stderr
    assert not (clone / ".venv").exists()


def a_uv_that_tells(folder: Path) -> Path:
    """A program that leaves a file behind when it is run."""
    trap = folder / "trap"
    trap.mkdir()
    return a_program(trap / "uv", f"touch '{trap}/was-run'; exit 1")


def a_program(path: Path, commands: str) -> Path:
    path.write_text(f"#!/bin/sh\n{commands}\n")
    path.chmod(0o755)
    return path

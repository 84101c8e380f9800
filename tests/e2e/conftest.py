"""The command on a store of its own."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from m4a.local.main import command
from m4a.settings import Settings

INSTALLED = Path(sys.executable).with_name("m4a")


def settings(db: Path) -> Settings:
    """The settings for one store, whatever the environment says."""
    return Settings.model_validate({"db": db})


class CommandLine:
    """Runs ``m4a`` on one store."""

    def __init__(self, db: Path) -> None:
        self.db = db

    def run(self, *words: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(command, [*words, "--db", str(self.db)], input=stdin, prog_name="m4a")

    def json(self, *words: str, stdin: str | bytes | None = None) -> Any:
        """The answer of a command that succeeds."""
        result = self.run(*words, "--json", stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    def problem(self, *words: str) -> Any:
        """The problem document of a command that fails, with its exit status."""
        result = self.run(*words, "--json")
        assert result.stdout == ""
        return {**json.loads(result.stderr.splitlines()[-1]), "exit": result.exit_code}


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes away the settings that the test run itself was started with."""
    for name in [name for name in os.environ if name.startswith("M4A_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def m4a(tmp_path: Path, no_settings: None) -> CommandLine:
    return CommandLine(tmp_path / "memories.db")


@pytest.fixture
def other(tmp_path: Path, no_settings: None) -> CommandLine:
    """The same on another store."""
    return CommandLine(tmp_path / "other.db")

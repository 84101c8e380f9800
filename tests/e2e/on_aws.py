"""The command in the profile aws, on the backends of the local stack, without an indexer."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from click.testing import CliRunner, Result

from m4a.application.service import Limits, Service
from m4a.bootstrap import build_operator
from m4a.domain.owner import Caller, Owner
from m4a.local.main import command
from m4a.local.stack import credentials_of_the_stack, stack_settings, variables_of
from m4a.settings import Settings
from m4a.tools import call_tool
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.stack import Backends

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
CALLER = Caller(Owner("default", "local"), "local", "test", "test")


class OnAws:
    """Runs ``m4a`` on one table and its index."""

    def __init__(self, backends: Backends, settings: Settings) -> None:
        self._backends = backends
        self.settings = settings

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(command, [*words, "--json"], prog_name="m4a")

    def json(self, *words: str) -> Any:
        """The answer of a command that succeeds."""
        result = self.run(*words)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    def problems(self) -> list[str]:
        """The checks of the doctor that found a problem."""
        result = self.run("doctor")
        answer = json.loads(result.stdout)
        assert result.exit_code == (0 if answer["ok"] else 5)
        return [one["check"] for one in answer["checks"] if not one["ok"]]

    def lose_index(self) -> None:
        self._backends.indices.indices.delete(index=f"{self.settings.index_prefix}-*")

    @contextmanager
    def earlier(self, embedder: str = "up") -> Generator[Service]:
        """The store as it was used long ago."""
        faulty = FaultyEmbedder(self._backends.embedder)
        faulty.mode = embedder
        limits = Limits(similar_s=10.0)
        operator = build_operator(self.settings, embedder=faulty, clock=SettableClock(LONG_AGO), limits=limits)
        yield operator.service
        operator.service.close()


@contextmanager
def on_aws(backends: Backends, monkeypatch: pytest.MonkeyPatch) -> Generator[OnAws]:
    """A table and an index of its own, which the environment names."""
    with backends.fresh_names() as name:
        settings = stack_settings(backends.dynamodb, backends.search, backends.bedrock, table=name, prefix=name)
        for variable, value in {**variables_of(settings), **credentials_of_the_stack()}.items():
            monkeypatch.setenv(variable, value)
        yield OnAws(backends, settings)


def remember(service: Service, content: str, **more: Any) -> str:
    return call_tool(service, CALLER, "remember", {"content": content, **more})["memory_id"]

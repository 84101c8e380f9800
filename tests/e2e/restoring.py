"""Stores that are copied and restored as an operator does it, in both profiles."""

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest
from click.testing import CliRunner, Result

from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.service import Limits
from m4a.bootstrap import Operator, build_operator
from m4a.local.main import command
from m4a.local.stack import stack_settings, variables_of
from m4a.settings import Settings
from tests.support.doubles import SettableClock
from tests.support.stack import Backends


class Restorable(Protocol):
    """One store at a time: the one in use, or after ``restore`` the one that was restored in its place."""

    settings: Settings

    def back_up(self) -> None:
        """Keeps what is in the store now."""
        ...

    def restore(self) -> None:
        """Opens the backup in place of the store, which stays as it is."""
        ...

    def make_searchable(self) -> None:
        """What the operator runs before anyone uses the restored store, after the receipts."""
        ...

    def raw(self) -> str:
        """All that is stored, as it is."""
        ...


class Commands:
    """Runs ``m4a`` on a store, and opens its service."""

    def __init__(self, store: Restorable, onnx: OnnxEmbedder) -> None:
        self.store = store
        self._onnx = onnx

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(command, words, env=self._variables(), prog_name="m4a")

    def json(self, *words: str, status: int = 0) -> Any:
        """The answer of a command that ends with this status."""
        result = self.run(*words, "--json")
        assert result.exit_code == status, result.stderr
        return json.loads(result.stdout)

    @contextmanager
    def operator(self, clock: SettableClock | None = None) -> Generator[Operator]:
        embedder = self._onnx if self.store.settings.profile == "embedded" else None
        operator = build_operator(self.store.settings, embedder=embedder, clock=clock, limits=Limits(similar_s=10.0))
        yield operator
        operator.service.close()

    def _variables(self) -> Mapping[str, str]:
        settings = self.store.settings
        return {"M4A_DB": str(settings.db)} if settings.profile == "embedded" else variables_of(settings)


class File:
    """A store in a file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.settings = Settings.model_validate({"db": folder / "memories.db"})

    def back_up(self) -> None:
        words = ["backup", str(self._folder / "copy.db"), "--db", str(self.settings.db)]
        assert CliRunner().invoke(command, words).exit_code == 0

    def restore(self) -> None:
        self.settings = Settings.model_validate({"db": self._folder / "copy.db"})

    def make_searchable(self) -> None:
        pass

    def raw(self) -> str:
        files = sorted(self._folder.glob(f"{self.settings.db.name}*"))
        return "".join(file.read_bytes().decode("latin-1") for file in files)


class Table:
    """A table and its index. ``names`` gives the names of new ones."""

    def __init__(self, backends: Backends, stack: ExitStack) -> None:
        self._backends = backends
        self._stack = stack
        self._items: Sequence[Mapping[str, Any]] = []
        self.settings = self._fresh()
        self.make_searchable()

    def _fresh(self) -> Settings:
        name = self._stack.enter_context(self._backends.fresh_names())
        at = self._backends
        return stack_settings(at.dynamodb, at.search, at.bedrock, table=name, prefix=name)

    def back_up(self) -> None:
        self._items = self._all()

    def restore(self) -> None:
        self.settings = self._fresh()
        for item in self._items:
            self._backends.tables("put_item", TableName=self.settings.table, Item=item)

    def make_searchable(self) -> None:
        for word in ("reindex", "sweep"):
            result = CliRunner().invoke(command, [word], env=variables_of(self.settings))
            assert result.exit_code == 0, result.stderr

    def raw(self) -> str:
        indices = self._backends.indices
        indices.indices.refresh(index=f"{self.settings.index_prefix}-*")
        entries = indices.search(index=f"{self.settings.index_prefix}-*", body={"size": 1_000})["hits"]["hits"]
        return f"{self._all()} {entries}"

    def _all(self) -> Sequence[Mapping[str, Any]]:
        return self._backends.tables("scan", TableName=self.settings.table)["Items"]


@pytest.fixture(params=["file", "table"])
def m4a(request: pytest.FixtureRequest, tmp_path: Path, no_settings: None, onnx: OnnxEmbedder) -> Iterator[Commands]:
    with ExitStack() as stack:
        backends = request.getfixturevalue("backends") if request.param == "table" else None
        yield Commands(Table(backends, stack) if backends else File(tmp_path), onnx)

"""The profiles that one suite runs in: each opens the product on a store of its own."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.indexing import Indexing
from m4a.application.service import Limits
from m4a.bootstrap import Operator, build_operator
from m4a.local.stack import on_stack, stack_settings
from m4a.local.stream_poller import StreamPoller
from m4a.ports import Embedder
from m4a.settings import PREFIX, Settings
from tests.support.stack import Backends, running_backends

EMBEDDED, STACK = "embedded", "stack"
PROFILES = (EMBEDDED, STACK)
Around = Callable[[Indexing], Indexing]
LIMITS = Limits(similar_s=10.0)
"""As in production, except that near neighbours, best effort there, are waited for: load must not turn a test red."""


@dataclass(frozen=True)
class Running:
    """The product at work. ``poller`` feeds the indexer, where there is one."""

    operator: Operator
    poller: StreamPoller | None = None


class Place(Protocol):
    """Where a store lies, empty at first. What is closed can be opened again."""

    def open(
        self, variables: Mapping[str, str], *, limits: Limits = LIMITS, around: Around | None = None, **replaced: Any
    ) -> AbstractContextManager[Running]:
        """``variables``: as the environment would have them. ``around``: put around the indexer's ports, where there is
        an indexer. ``replaced``: adapters for ``build_operator``."""
        ...

    def mappings(self) -> Mapping[str, Mapping[str, Any]] | None:
        """Of each index that there is, by its name; None where store and index are one."""
        ...

    def delete_index(self) -> None:
        """The index is lost, as if somebody had deleted it."""
        ...


class Profile(Protocol):
    """``embedder``: its real model."""

    @property
    def name(self) -> str: ...

    @property
    def embedder(self) -> Embedder: ...

    def place(self, folder: Path) -> AbstractContextManager[Place]:
        """A place that lasts as long as the context. ``folder`` is empty and its own."""
        ...


@dataclass(frozen=True)
class EmbeddedProfile:
    embedder: Embedder
    name: str = EMBEDDED

    @contextmanager
    def place(self, folder: Path) -> Generator[Place]:
        yield _File(folder / "memories.db")


@dataclass(frozen=True)
class StackProfile:
    backends: Backends
    name: str = STACK

    @property
    def embedder(self) -> Embedder:
        return self.backends.embedder

    @contextmanager
    def place(self, folder: Path) -> Generator[Place]:
        with self.backends.fresh_names() as name:
            yield _TableAndIndex(self.backends, name)


@dataclass(frozen=True)
class _File:
    path: Path

    @contextmanager
    def open(
        self, variables: Mapping[str, str], *, limits: Limits = LIMITS, around: Around | None = None, **replaced: Any
    ) -> Generator[Running]:
        settings = Settings.from_env({**variables, f"{PREFIX}DB": str(self.path)})
        operator = build_operator(settings, limits=limits, **replaced)
        try:
            yield Running(operator)
        finally:
            operator.service.close()

    def mappings(self) -> None:
        return None

    def delete_index(self) -> None:
        raise NotImplementedError("the index lies in the file that holds the store")


@dataclass(frozen=True)
class _TableAndIndex:
    backends: Backends
    name: str

    @contextmanager
    def open(
        self, variables: Mapping[str, str], *, limits: Limits = LIMITS, around: Around | None = None, **replaced: Any
    ) -> Generator[Running]:
        at = self.backends
        base = Settings.from_env(variables)
        settings = stack_settings(at.dynamodb, at.search, at.bedrock, table=self.name, prefix=self.name, base=base)
        with on_stack(settings, around=around, limits=limits, **replaced) as stack:
            yield Running(stack.operator, stack.poller)

    def mappings(self) -> Mapping[str, Mapping[str, Any]]:
        found = self.backends.indices.indices.get_mapping(index=f"{self.name}-*")
        return {index: one["mappings"] for index, one in found.items()}

    def delete_index(self) -> None:
        self.backends.indices.indices.delete(index=f"{self.name}-*")


@pytest.fixture(scope="session")
def onnx() -> OnnxEmbedder:
    """The model, loaded once."""
    return OnnxEmbedder.load()


@pytest.fixture(scope="session")
def backends(opensearch_address: str, onnx: OnnxEmbedder) -> Iterator[Backends]:
    """Those of this process; the OpenSearch node is the run's."""
    with running_backends(opensearch_address, onnx) as running:
        yield running


@pytest.fixture(params=PROFILES)
def profile(request: pytest.FixtureRequest) -> Profile:
    """Each profile in turn. What the other one needs is not started."""
    if request.param == EMBEDDED:
        return EmbeddedProfile(request.getfixturevalue("onnx"))
    return StackProfile(request.getfixturevalue("backends"))

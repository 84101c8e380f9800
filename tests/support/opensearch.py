"""A real OpenSearch node for tests: one a run, shared by the run's workers, and started by the first test that asks."""

import fcntl
import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest
from opensearchpy import OpenSearch

from m4a.adapters.opensearch.client import connect
from m4a.local.opensearch_node import OpenSearchNode

_numbers = count(1)


@pytest.fixture(scope="session")
def opensearch_address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the run's node answers."""
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent
    with shared_node(folder / "opensearch") as address:
        yield address


@pytest.fixture(scope="session")
def opensearch(opensearch_address: str) -> Iterator[OpenSearch]:
    """A client of the run's node."""
    client = connect(opensearch_address, timeout_s=20)
    yield client
    client.close()


@pytest.fixture
def index_prefix(opensearch: OpenSearch) -> Iterator[str]:
    """A name that no other test uses; what begins with it is removed afterwards."""
    name = f"t{os.getpid()}-{next(_numbers)}"
    yield name
    opensearch.indices.delete(index=f"{name}-*")


@contextmanager
def shared_node(folder: Path) -> Generator[str]:
    """The address of the node of this folder, for processes that share it.

    Whoever comes first starts it and, once the others are done, stops it: everyone holds ``users``, shared, while they
    use the node, and whoever stops it alone. ``turn`` lets one in at a time. A process that dies lets go of both.
    """
    folder.mkdir(exist_ok=True)
    note = folder / "address"
    with ExitStack() as own, (folder / "users").open("w") as users:
        with (folder / "turn").open("w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            fcntl.flock(users, fcntl.LOCK_SH)
            started = not note.exists()
            if started:
                node = own.enter_context(OpenSearchNode(folder / f"node-{os.getpid()}"))
                note.write_text(node.address())
        try:
            yield note.read_text()
        finally:
            if started:
                fcntl.flock(users, fcntl.LOCK_EX)
                note.unlink()

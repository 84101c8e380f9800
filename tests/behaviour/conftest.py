"""One behaviour suite: each behaviour is written once, goes through ``connect``, and holds in each profile."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from m4a.bootstrap import Operator
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.https import HttpsClient
from tests.support.profiles import Profile

USERS = ("alice", "bob", "*")
Connect = Callable[[str], HttpsClient]


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def embedder(profile: Profile) -> Iterator[FaultyEmbedder]:
    faulty = FaultyEmbedder(profile.embedder)
    yield faulty
    faulty.released.set()


@pytest.fixture
def operator(profile: Profile, tmp_path: Path, clock: SettableClock, embedder: FaultyEmbedder) -> Iterator[Operator]:
    with profile.place(tmp_path) as place, place.open({}, clock=clock, embedder=embedder) as running:
        yield running.operator
        embedder.released.set()


@pytest.fixture
def connect(operator: Operator) -> Iterator[Connect]:
    """A client of the named user."""
    tokens = Tokens.of({f"token-{number}": user for number, user in enumerate(USERS)})
    clients: list[HttpsClient] = []
    with LocalServer(operator.service, tokens) as server:

        def connected(user: str) -> HttpsClient:
            clients.append(HttpsClient(server.address, f"token-{USERS.index(user)}"))
            return clients[-1]

        yield connected
        for client in clients:
            client.close()


@pytest.fixture
def alice(connect: Connect) -> HttpsClient:
    return connect("alice")


@pytest.fixture
def bob(connect: Connect) -> HttpsClient:
    return connect("bob")

"""One behaviour suite: each behaviour is written once, and holds through every way in and in each profile."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from m4a.bootstrap import Operator
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from tests.behaviour.doors import DOORS
from tests.support.action_group import ActionGroupClient
from tests.support.client import Client
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.gateway import Gateway, GatewayClient
from tests.support.https import HttpsClient
from tests.support.mcp import McpHttpClient
from tests.support.mcp_pipes import McpPipesClient
from tests.support.profiles import Profile

USERS = ("alice", "bob", "*")
Connect = Callable[[str], Client]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes away what a mark leaves to other ways in."""
    kept = [item for item in items if _is_tested(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _is_tested(item)])
    items[:] = kept


def _is_tested(item: pytest.Item) -> bool:
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    marks = item.iter_markers("only_through") if "door" in params else ()
    return all(params["door"] in mark.args for mark in marks)


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


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def connect(door: str, operator: Operator, clock: SettableClock) -> Iterator[Connect]:
    """A client of the named user, through the door."""
    match door:
        case "action_group" | "action_group_openapi":
            openapi = door == "action_group_openapi"
            yield lambda user: ActionGroupClient(operator.service, user, openapi=openapi)
        case "gateway":
            gateway = Gateway(operator.service, clock)
            yield lambda user: GatewayClient(gateway, user)
        case "mcp_stdio":
            with ExitStack() as clients:

                def started(user: str) -> McpPipesClient:
                    one = McpPipesClient(operator.service, user)
                    clients.callback(one.close)
                    return one

                yield started
        case _:
            with served(operator, McpHttpClient if door == "mcp" else HttpsClient) as connected:
                yield connected


@contextmanager
def served(operator: Operator, client: Callable[[str, str], HttpsClient | McpHttpClient]) -> Generator[Connect]:
    """Clients of the local server, each with the token of its user."""
    tokens = Tokens.of({f"token-{number}": user for number, user in enumerate(USERS)})
    with LocalServer(operator.service, tokens) as server, ExitStack() as clients:

        def connected(user: str) -> HttpsClient | McpHttpClient:
            one = client(server.address, f"token-{USERS.index(user)}")
            clients.callback(one.close)
            return one

        yield connected


@pytest.fixture
def alice(connect: Connect) -> Client:
    return connect("alice")


@pytest.fixture
def bob(connect: Connect) -> Client:
    return connect("bob")

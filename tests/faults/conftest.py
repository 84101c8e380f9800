"""The aws profile with a proxy in front of each of its backends, and time-outs that are short enough for tests."""

from collections.abc import Iterator

import pytest

from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from tests.faults.site import Site, open_site
from tests.support.https import HttpsClient
from tests.support.stack import Backends


@pytest.fixture
def site(backends: Backends) -> Iterator[Site]:
    with open_site(backends) as opened:
        yield opened


@pytest.fixture
def alice(site: Site) -> Iterator[HttpsClient]:
    with LocalServer(site.service, Tokens.of({"token": "alice"})) as server:
        client = HttpsClient(server.address, "token")
        yield client
        client.close()

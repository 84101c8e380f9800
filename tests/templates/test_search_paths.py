"""That the domain's policy lets each role call the paths that its code calls, and no others."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, cast

import pytest
from opensearchpy import OpenSearch

from m4a.adapters.opensearch.client import connect
from m4a.adapters.opensearch.deployment import managed_domain
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.adapters.opensearch.index import OpenSearchIndex
from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Filters
from m4a.domain.owner import Owner
from m4a.domain.search import IndexQuery
from m4a.ports.indexing import IndexEntry, Marker
from m4a.settings import Settings
from tests.support.doubles import SettableClock
from tests.templates.permissions import searching_roles
from tests.templates.reading import nested_template

PREFIX: str = Settings.model_fields["index_prefix"].default
DOMAIN = managed_domain()
OWNER = Owner("default", "ana")
GONE = IndexEntry(owner_key=OWNER.key, memory_id="01JZZZZZZZZZZZZZZZZZZZZZZZ", rev=1, memory=None)
MARKER = Marker(generation=1, rules="1", model="m", complete=True, beat=1)
GENERATIONS = {f"{PREFIX}-g1": {"mappings": {"_meta": {"model": "m", "dimensions": 8}}}}


class Domain(ThreadingHTTPServer):
    """Writes down what it is asked, and knows nothing but its generations."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        cast("Domain", self.server).asked.append(f"{self.command} {path}")
        body = json.dumps(GENERATIONS if path.endswith("/_mapping") else {}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_DELETE = do_GET = do_HEAD = do_POST = do_PUT = answer  # noqa: N815 as the base class looks for them

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@pytest.fixture
def domain() -> Iterator[Domain]:
    with Domain() as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def search(client: OpenSearch) -> None:
    query = IndexQuery(embedding=None, terms=("harbour",), filters=Filters(), now=SettableClock().now(), k=5)
    OpenSearchIndex(client, PREFIX, DOMAIN, expected=lambda: None).search(OWNER, query)


def write(client: OpenSearch) -> None:
    OpenSearchWriter(client, PREFIX, DOMAIN).write([GONE])


def confirm(client: OpenSearch) -> None:
    OpenSearchWriter(client, PREFIX, DOMAIN).searchable([GONE])


def vouch(client: OpenSearch) -> None:
    OpenSearchGenerations(client, PREFIX, DOMAIN).set_marker(MARKER)


def read_marker(client: OpenSearch) -> None:
    OpenSearchGenerations(client, PREFIX, DOMAIN).marker()


def replace_index(client: OpenSearch) -> None:
    admin = OpenSearchGenerations(client, PREFIX, DOMAIN)
    admin.exists()
    admin.create_generation(2, "m", 8)
    admin.promote(2)
    admin.retire(1)


ROLES: dict[str, tuple[Callable[[OpenSearch], None], ...]] = {
    "SearcherRoleArns": (search,),
    "IndexerRoleArn": (write,),
    "SweepRoleArn": (write, confirm, vouch, read_marker),
    "OperatorRoleArn": (search, write, confirm, vouch, read_marker, replace_index),
}


def calls(domain: Domain, work: tuple[Callable[[OpenSearch], None], ...]) -> set[str]:
    client = connect(f"http://127.0.0.1:{domain.server_port}")
    for step in work:
        with suppress(Unavailable):  # the answers are empty: what was asked is what counts
            step(client)
    client.close()
    return set(domain.asked)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_call_what_its_code_calls(domain: Domain, role: str) -> None:
    allowed = searching_roles(nested_template("search-domain"))[role]
    patterns = {one: re.compile(re.escape(one).replace(r"\*", ".*")) for one in allowed}
    asked = calls(domain, ROLES[role])
    refused = {call for call in asked if not any(pattern.fullmatch(call) for pattern in patterns.values())}
    assert asked
    assert refused == set()
    if role != "OperatorRoleArn":  # that one may do all to indexes of this name
        unused = {one for one, pattern in patterns.items() if not any(map(pattern.fullmatch, asked))}
        assert unused == set()

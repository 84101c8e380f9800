"""Errors of the client in the words of the domain, retries, and how requests are signed."""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from socket import create_server
from threading import Thread

import pytest
from botocore.credentials import Credentials
from opensearchpy import ConnectionTimeout, NotFoundError, TransportError
from opensearchpy.exceptions import ConnectionError as NoConnection

from m4a.adapters.opensearch.client import OutOfTime, Signing, connect, patiently, translate_errors
from m4a.domain.errors import M4AError, Throttled, Unavailable
from m4a.ports.deadline import time_limit


@dataclass
class Server:
    """Answers with the status codes it is given, then with 200, and keeps the headers of each request."""

    address: str = ""
    statuses: list[int] = field(default_factory=list[int])
    requests: list[dict[str, str]] = field(default_factory=list[dict[str, str]])


@contextmanager
def serving() -> Generator[Server]:
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.requests.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(server.statuses.pop(0) if server.statuses else 200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"name": "node", "error": {"type": "sort_of", "reason": "private words"}}')

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        server.address = f"http://127.0.0.1:{http.server_port}"
        thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        http.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as one:
        yield one


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TransportError(429, "overrun", {}), Throttled),
        (TransportError(500, "broken", {}), Unavailable),
        (TransportError(503, "down", {}), Unavailable),
        (TransportError(403, "forbidden", {}), Unavailable),
        (NotFoundError(404, "index_not_found_exception", {}), Unavailable),
        (NoConnection("N/A", "refused", OSError()), Unavailable),
        (ConnectionTimeout("TIMEOUT", "late", OSError()), Unavailable),
    ],
)
def test_every_error_of_the_client_has_a_name_of_ours(error: Exception, expected: type[M4AError]) -> None:
    with pytest.raises(expected), translate_errors():
        raise error


def test_a_fault_of_ours_passes_through() -> None:
    with pytest.raises(KeyError), translate_errors():
        raise KeyError("ours")


def test_what_the_index_quotes_of_a_request_reaches_no_message_and_no_log(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    client = connect(server.address)
    caplog.set_level(logging.DEBUG)
    server.statuses = [400]
    with pytest.raises(Unavailable) as raised, translate_errors():
        client.search(body={"query": {"term": {"tokens": "private words"}}})
    client.close()
    assert "private" not in raised.value.message
    assert raised.value.__suppress_context__
    assert "private" not in caplog.text


def test_a_call_that_is_refused_for_load_is_made_three_times(server: Server) -> None:
    client, pauses = connect(server.address), list[float]()
    server.statuses = [429, 429]
    assert patiently(client.info, pause=pauses.append)["name"] == "node"
    assert len(pauses) == 2
    assert 0 < pauses[0] < pauses[1] * 3 < 1
    server.statuses = [429, 429, 429]
    with pytest.raises(TransportError):
        patiently(client.info, pause=pauses.append)
    assert (len(server.requests), len(pauses)) == (6, 4)
    client.close()


def test_other_errors_are_not_tried_again(server: Server) -> None:
    client, pauses = connect(server.address), list[float]()
    server.statuses = [404]
    with pytest.raises(NotFoundError):
        patiently(client.info, pause=pauses.append)
    client.close()
    assert (len(server.requests), pauses) == (1, [])


@pytest.mark.parametrize("service", ["es", "aoss"])
def test_requests_are_signed_for_the_service_in_headers_that_nothing_on_the_way_changes(
    server: Server, service: str
) -> None:
    client = connect(server.address, Signing(Credentials("id", "secret", "token"), "eu-central-1", service))
    client.info()
    client.close()
    authorization = server.requests[0]["authorization"]
    assert f"/eu-central-1/{service}/aws4_request" in authorization
    signed = authorization.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    assert set(signed) == {"host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"}
    assert server.requests[0]["x-amz-content-sha256"]


def test_without_credentials_nothing_is_signed(server: Server) -> None:
    client = connect(server.address)
    client.info()
    client.close()
    assert "authorization" not in server.requests[0]


@pytest.mark.parametrize(("usual_s", "left_s", "ours"), [(30.0, 0.1, True), (30.0, 0.0, True), (0.1, 30.0, False)])
def test_a_wait_that_ends_early_for_want_of_time_is_told_from_an_index_that_is_late(
    usual_s: float, left_s: float, ours: bool
) -> None:
    with create_server(("127.0.0.1", 0)) as silent:
        client = connect(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=usual_s)
        with pytest.raises(Unavailable) as raised, time_limit(left_s), translate_errors():
            client.info()
        client.close()
    assert isinstance(raised.value, OutOfTime) is ours

"""A proxy on loopback in front of one backend, which can be made to fail in the ways that networks and services do."""

import socket
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import urlsplit

_NOT_PASSED_ON = ("connection", "keep-alive", "transfer-encoding", "content-length", "accept-encoding", "host")
_POLL_S = 0.01


@dataclass(frozen=True)
class Request:
    """Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Response:
    """Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Dropped(Exception):
    """The connection ends without an answer."""


Forward = Callable[[], Response]
Fault = Callable[[Request, Forward], Response]


class Proxy:
    """``with Proxy(backend) as proxy: proxy.address``. Passes on until it is told otherwise; ``asked``: what it was
    asked so far."""

    def __init__(self, backend: str) -> None:
        self.backend = urlsplit(backend).netloc
        self.asked: list[Request] = []
        self._fault: Fault = passed_on
        self._ended = threading.Event()
        self._server = _Server(self, 0)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Proxy":
        self._server.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._server.stop()

    @contextmanager
    def failing(self, fault: Fault) -> Generator[None]:
        """While this lasts, every request goes through the fault."""
        self._fault = fault
        try:
            yield
        finally:
            self._fault = passed_on
            self._ended.set()
            self._ended = threading.Event()

    @contextmanager
    def refusing(self) -> Generator[None]:
        """Nothing listens, and connections that were open are closed."""
        port = self._server.server_port
        self._server.stop()
        try:
            yield
        finally:
            self._server = _Server(self, port)
            self._server.start()

    def hanging(self, _request: Request, _forward: Forward) -> Response:
        """A fault: no answer comes for as long as it lasts."""
        self._ended.wait()
        raise Dropped

    def delayed(self, seconds: float) -> Fault:
        """Each answer comes that much later."""

        def slow(_request: Request, forward: Forward) -> Response:
            self._ended.wait(seconds)
            return forward()

        return slow

    def answer(self, request: Request) -> Response:
        """By way of the present fault. Raises Dropped."""
        self.asked.append(request)
        return self._fault(request, lambda: self._forward(request))

    def _forward(self, request: Request) -> Response:
        connection = HTTPConnection(self.backend, timeout=60)
        try:
            headers = {name: value for name, value in request.headers.items() if name not in _NOT_PASSED_ON}
            connection.request(request.method, request.path, request.body, headers)
            reply = connection.getresponse()
            body = reply.read()
            return Response(reply.status, {name.lower(): value for name, value in reply.getheaders()}, body)
        except OSError as error:
            raise Dropped from error
        finally:
            connection.close()


def passed_on(_request: Request, forward: Forward) -> Response:
    return forward()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, proxy: Proxy, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.proxy = proxy
        self.connections: set[socket.socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, args=(_POLL_S,), name="m4a-proxy", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            hang_up(connection)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms for its headers to be acknowledged
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            self.close_connection = True  # whoever asked has left

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            response = self.server.proxy.answer(Request(self.command, self.path, headers, body))
        except Dropped:
            self.close_connection = True
            hang_up(self.connection)
            return
        self.send_response_only(response.status)
        for name, value in response.headers.items():
            if name not in _NOT_PASSED_ON:
                self.send_header(name, value)
        if self.command == "HEAD":
            self.send_header("content-length", response.headers.get("content-length", "0"))
            self.end_headers()
            return
        self.send_header("content-length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _pass  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""


def hang_up(connection: socket.socket) -> None:
    """Ends a connection for both sides."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        connection.close()  # the other side was faster

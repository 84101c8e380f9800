"""The local server: the API of the template on this machine, without AWS."""

import ipaddress
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from errno import EADDRINUSE
from types import TracebackType

import uvicorn

from m4a.application.service import Service
from m4a.local.access import CannotStart, Tokens
from m4a.local.app import App
from m4a.settings import Settings

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765
MAX_PORT = 65_535
EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 compared with, not bound
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
GRACE_SECONDS = 30
START_SECONDS = 30
KEEP_ALIVE_SECONDS = 60


def serve(
    settings: Settings,
    service: Service,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    tokens: Tokens | None = None,
    on_ready: Callable[[str], None] = print,
) -> None:
    """Serves until SIGINT or SIGTERM; then running requests finish. Port 0: any free one.

    ``on_ready`` gets the address once requests are taken. Closing the service is the caller's. Raises CannotStart.
    """
    if tokens is None and settings.tenant_claim:
        raise CannotStart("M4A_TENANT_CLAIM is set: the server needs --tokens with a tenant for each user.")
    app = App(service, tokens, settings.default_user, own_hosts(host))
    listener = listen(host, port, open_to_all=tokens is not None)
    try:
        _Server(app, lambda: on_ready(address_of(listener))).run(sockets=[listener])
    finally:
        listener.close()
        app.close()


class LocalServer:
    """The same server on a thread, for tests and programs: ``with LocalServer(service) as server: server.address``."""

    def __init__(
        self,
        service: Service,
        tokens: Tokens | None = None,
        *,
        user: str = "local",
        host: str = DEFAULT_HOST,
        port: int = 0,
    ) -> None:
        self._app = App(service, tokens, user, own_hosts(host))
        self._listener = listen(host, port, open_to_all=tokens is not None)
        self._ready = threading.Event()
        self._server = _Server(self._app, self._ready.set)
        self._thread = threading.Thread(target=self._server.run, args=([self._listener],), name="m4a-server")
        self.address = address_of(self._listener)

    def start(self) -> "LocalServer":
        """Returns when requests are taken."""
        self._thread.start()
        if not self._ready.wait(START_SECONDS):
            raise CannotStart("The server did not start in time.")
        return self

    def stop(self) -> None:
        """Returns when running requests have finished."""
        self._server.should_exit = True
        self._thread.join()
        self._listener.close()
        self._app.close()

    def __enter__(self) -> "LocalServer":
        return self.start()

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()


def listen(host: str, port: int, *, open_to_all: bool) -> socket.socket:
    """A listening socket; loopback only, unless it is open to all who hold a token. Raises CannotStart."""
    if not 0 <= port <= MAX_PORT:
        raise CannotStart(f"{port} is not a port: 0 to {MAX_PORT} are.")
    try:
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        if not open_to_all and not ipaddress.ip_address(where[0]).is_loopback:
            raise CannotStart(f"{host} can be reached from other machines: that needs --tokens FILE.")
        opened = socket.create_server(where[:2], family=family)
        # With its protocol named, asyncio turns off Nagle's delay on what it accepts: 40 ms a reply.
        return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=opened.detach())
    except (socket.gaierror, UnicodeError) as error:
        raise CannotStart(f'The host "{host}" is not known on this machine.') from error
    except OSError as error:
        if error.errno == EADDRINUSE:
            message = f"Port {port} of {host} is in use. End the program that holds it, or choose another port."
            raise CannotStart(message) from error
        raise CannotStart(f"Port {port} of {host} can't be opened: {error.strerror}.") from error


def address_of(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def own_hosts(host: str) -> set[str]:
    """Names in a Host header that mean this server, beside the address that a connection came in on."""
    if host in EVERY_ADDRESS:
        return {socket.gethostname().lower(), *LOOPBACK_NAMES}
    return {f"[{host}]" if ":" in host else host.lower(), *LOOPBACK_NAMES}


class _Server(uvicorn.Server):
    """uvicorn, quiet, that tells when it is ready and leaves the process to its caller when it ends."""

    def __init__(self, app: App, on_ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                loop="asyncio",
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._on_ready()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """uvicorn raises the signal again when it is done, which would end the process before its service is closed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

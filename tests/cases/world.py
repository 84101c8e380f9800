"""What one case runs in: a service on a fresh store, a server on a socket, a clock, and backends that can fail."""

import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from string import punctuation
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any
from urllib.parse import quote

import httpx

from m4a.application.service import Service
from m4a.domain.records import Pending
from m4a.local.server import LocalServer
from m4a.settings import PREFIX, Settings
from tests.cases.agents import answer_agent
from tests.cases.callers import Signed
from tests.cases.clock import SettableClock
from tests.cases.events import answer_event, request_event, with_claims
from tests.cases.fault_modes import NO_FAULT
from tests.cases.faults import Breakable, FaultyEmbedder
from tests.cases.faulty_backends import breakable, index_fault
from tests.cases.faulty_index import with_faulty_writes
from tests.cases.reply import Reply
from tests.support.profiles import Profile

LONGEST_WAIT_S = 60.0
LONGEST_LAG_S, LAG_POLL_S = 15.0, 0.05
Alter = Callable[[Service], Service]


class World:
    """``with World(profile, callers) as world``. ``alter`` breaks the service on purpose, to test the cases.

    ``model`` is the real embedder, ``embedder`` the one that the service has; ``plain`` is the service without faults.
    """

    def __init__(self, profile: Profile, callers: Iterable[Any] = (), alter: Alter | None = None) -> None:
        self._profile = profile
        self._alter = alter
        self._callers = list(callers)
        self.streamed: dict[str, Pending] = {}
        """Changes that a step has sent through the stream, by the name of their memory."""
        self._variables: dict[str, str] = {}
        self._whole = ExitStack()
        self._running = ExitStack()
        self.clock = SettableClock()
        self.model = profile.embedder
        self.embedder = FaultyEmbedder(self.model)
        self._index_fault = index_fault()
        self.log_lines: list[str] = []
        self.faults: Mapping[str, Breakable] = {}

    def __enter__(self) -> "World":
        with ExitStack() as undo:
            undo.push(self)  # what fails on the way in is taken back
            self._folder = Path(self._whole.enter_context(TemporaryDirectory(prefix="m4a-case-")))
            self.place = self._whole.enter_context(self._profile.place(self._folder))
            self._whole.callback(self._capture_log())
            self._start()
            undo.pop_all()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._stop()
        self._whole.close()

    def set_variables(self, variables: Mapping[str, str | None]) -> None:
        """Sets process variables until the case ends, null takes one away; those of M4A take effect by a restart on the
        same store."""
        for name, value in variables.items():
            self._whole.callback(_put, name, os.environ.get(name))
            _put(name, value)
        ours = {name: value or "" for name, value in variables.items() if name.startswith(PREFIX)}
        if ours:
            self._variables.update(ours)
            self._stop()
            self._start()

    def send(self, method: str, path: str, headers: Mapping[str, str], body: str | None, caller: Any) -> Reply:
        """One request over the socket, signed in as the caller."""
        token = self._signed.token(caller)
        if token is None and caller is not None:
            return self.send_event(request_event(method, path, headers, body), caller=caller)
        signed = {"authorization": f"Bearer {token}", **headers} if token else headers
        start = time.monotonic()
        response = self._client.request(
            method,
            self._client.base_url.copy_with(raw_path=_ascii(path)),
            headers=[(name.encode(), str(value).encode()) for name, value in signed.items()],
            content=None if body is None else body.encode("utf-8", "surrogatepass"),
        )
        seconds = time.monotonic() - start
        return Reply.http(response.status_code, dict(response.headers), response.content, seconds, caller=caller)

    def send_event(self, event: Mapping[str, Any], caller: Any = None) -> Reply:
        """One API Gateway event, given to the entry point itself; with the caller's claims, if it has none."""
        signed = event if caller is None else with_claims(event, self._signed.claims(caller))
        return answer_event(self.service, signed, caller)

    def catch_up(self) -> None:
        """Waits until the index knows of every change, where it is fed by an indexer; not for ever."""
        outbox, owners = self.plain.service.outbox, self.plain.maintenance.owners
        stop = time.monotonic() + LONGEST_LAG_S
        while any(outbox.pending(owner, 1) for owner in owners()) and time.monotonic() < stop:
            time.sleep(LAG_POLL_S)

    def send_agent_event(self, event: Mapping[str, Any]) -> Reply:
        """One event of a Bedrock agent's action group; who calls stands in it."""
        return answer_agent(self.service, event, self._agent_ids)

    def _start(self) -> None:
        around = partial(with_faulty_writes, fault=self._index_fault)
        opened = self.place.open(self._variables, around=around, clock=self.clock, embedder=self.embedder)
        self._agent_ids = Settings.from_env({**self._variables, f"{PREFIX}DB": "unused"}).agent_ids
        running = self._running.enter_context(opened)
        self.plain, self.poller = running.operator, running.poller
        broken, self.faults = breakable(self.plain, self.embedder, self._index_fault, self.place)
        self.service = self._alter(broken) if self._alter else broken
        self._signed = Signed(self._callers, self.service.tenant_claim)
        server = self._running.enter_context(LocalServer(self.service, self._signed.tokens))
        self._client = self._running.enter_context(
            httpx.Client(base_url=server.address, timeout=LONGEST_WAIT_S, trust_env=False)
        )
        for name in ("accept", "accept-encoding", "user-agent"):
            del self._client.headers[name]  # a request is sent as the case has it

    def _stop(self) -> None:
        for backend in self.faults.values():
            backend.set(NO_FAULT)
        self._running.close()

    def _capture_log(self) -> Callable[[], None]:
        logger, handler = logging.getLogger("m4a"), _Lines(self.log_lines)
        level = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)

        def undo() -> None:
            logger.removeHandler(handler)
            logger.setLevel(level)

        return undo


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


def _ascii(path: str) -> bytes:
    """The path as clients send it: what no URL holds as it is goes percent-encoded."""
    return quote(path, safe=punctuation, errors="surrogatepass").encode()


def _put(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
    time.tzset()

"""What one case runs in: a service on a fresh store, a server on a socket, a clock, and backends that can fail."""

import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

import httpx

from m4a.application.service import Service
from m4a.domain.records import Pending
from m4a.local.access import CannotStart, Tokens
from m4a.local.server import LocalServer
from m4a.settings import PREFIX, Settings
from tests.cases.agents import answer_agent
from tests.cases.clock import SettableClock
from tests.cases.events import answer_event, request_event
from tests.cases.faults import Breakable, FaultyEmbedder
from tests.cases.faulty_backends import breakable
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
        self._token_of = {_key(caller): f"token-{at}" for at, caller in enumerate(callers) if _may_hold_a_token(caller)}
        self.streamed: dict[str, Pending] = {}
        """Changes that a step has sent through the stream, by the name of their memory."""
        self._callers = {token: json.loads(key) for key, token in self._token_of.items()}
        self._variables: dict[str, str] = {}
        self._whole = ExitStack()
        self._running = ExitStack()
        self.clock = SettableClock()
        self.model = profile.embedder
        self.embedder = FaultyEmbedder(self.model)
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
        token = self._token_of.get(_key(caller))
        if token is None and caller is not None:
            event = request_event(method, path, headers, body, claims={"sub": caller})
            return self.send_event(event, caller=caller)
        signed = {"authorization": f"Bearer {token}", **headers} if token else headers
        start = time.monotonic()
        response = self._client.request(
            method,
            self._client.base_url.copy_with(raw_path=path.encode()),
            headers=[(name.encode(), str(value).encode()) for name, value in signed.items()],
            content=None if body is None else body.encode("utf-8", "surrogatepass"),
        )
        seconds = time.monotonic() - start
        return Reply.http(response.status_code, dict(response.headers), response.content, seconds, caller=caller)

    def send_event(self, event: Mapping[str, Any], caller: Any = None) -> Reply:
        """One API Gateway event, given to the entry point itself."""
        return answer_event(self.service, event, caller)

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
        opened = self.place.open(self._variables, clock=self.clock, embedder=self.embedder)
        self._agent_ids = Settings.from_env({**self._variables, f"{PREFIX}DB": "unused"}).agent_ids
        running = self._running.enter_context(opened)
        self.plain, self.poller = running.operator, running.poller
        broken, self.faults = breakable(self.plain, self.embedder, self.place)
        self.service = self._alter(broken) if self._alter else broken
        tokens_file = self._folder / "tokens.json"
        tokens_file.write_text(json.dumps({"token-of-nobody-else": "nobody-else", **self._callers}), "utf-8")
        tokens = Tokens.load(tokens_file, self.service.tenant_claim)
        server = self._running.enter_context(LocalServer(self.service, tokens))
        self._client = self._running.enter_context(
            httpx.Client(base_url=server.address, timeout=LONGEST_WAIT_S, trust_env=False)
        )

    def _stop(self) -> None:
        for backend in self.faults.values():
            backend.set({"mode": "clear"})
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


def _key(caller: Any) -> str:
    return json.dumps(caller, sort_keys=True)


def _may_hold_a_token(caller: Any) -> bool:
    """Whether a tokens file takes this identity; one that it refuses is tried as a token claim by an event."""
    try:
        Tokens.of({"token": caller})
    except CannotStart:
        return False
    return caller is not None


def _put(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
    time.tzset()

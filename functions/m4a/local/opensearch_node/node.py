"""Starts a node in a process of its own, waits until it answers, and makes sure that it ends."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import TracebackType

from m4a.adapters.errors import Unusable
from m4a.local.opensearch_node.jars import VERSION, classpath

HOST = "127.0.0.1"
DEFAULT_HEAP = "1g"
_BESIDE_HEAP_MB = 400
_START_S, _FETCH_S, _STOP_S, _POLL_S = 120, 900, 10, 0.1
_SOURCE_ROOT = Path(__file__).parents[3]


class NodeFailed(Unusable):
    """The node can't run; the message says why, for the person who wanted it."""


def node_name(pid: int) -> str:
    """By which a node is told from another that answers on the same port."""
    return f"m4a-{pid}"


class OpenSearchNode:
    """One node on the loopback interface, with its data and its log in ``home``.

    It is a process group of its own and ends with ``stop``, at the end of a ``with`` block, and when this process dies.
    ``port`` 0 takes a free one. ``heap``: as Java spells it (``512m``, ``1g``). ``say`` gets a sentence when the first
    start has to fetch the jars, which takes a minute.
    """

    def __init__(
        self, home: Path, heap: str = DEFAULT_HEAP, *, port: int = 0, say: Callable[[str], None] | None = None
    ) -> None:
        self._home = home
        self._heap = heap
        self._port = port
        self._say = say or _to_stderr
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when the node answers; whatever comes in between, nothing is left running. Raises NodeFailed."""
        with ExitStack() as undo:
            undo.callback(self.stop)
            self._start()
            undo.pop_all()

    def _start(self) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        self._check_memory()
        self._port = _free_port(self._port)
        wait_s = _START_S
        if not classpath():
            self._say(f"Fetching OpenSearch {VERSION}, about 50 MB, once for this user ...")
            wait_s = _FETCH_S
        command = [sys.executable, "-m", __package__ or "", str(self._home.resolve()), str(self._port), self._heap]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True, cwd=_SOURCE_ROOT
            )
        self._wait_until_it_answers(self._process, time.monotonic() + wait_s)

    def stop(self) -> None:
        """Ends the process; the data stays. Does nothing if it does not run."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def address(self) -> str:
        """Where it answers, such as ``http://127.0.0.1:9200``."""
        return f"http://{HOST}:{self._port}"

    def __enter__(self) -> "OpenSearchNode":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def _log(self) -> Path:
        return self._home / "node.log"

    def _check_memory(self) -> None:
        needed, available = _megabytes(self._heap) + _BESIDE_HEAP_MB, _available_megabytes()
        if available is not None and available < needed:
            raise NodeFailed(
                f"OpenSearch with a heap of {self._heap} needs {needed:,} MB of memory, and {available:,} MB are free. "
                "End other programs, or give it a smaller heap (256m is the least)."
            )

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes], deadline: float) -> None:
        while _name_at(self._port) != node_name(process.pid):
            if process.poll() is not None:
                raise NodeFailed(self._why_it_ended(process.returncode))
            if time.monotonic() > deadline:
                raise NodeFailed(f"OpenSearch did not answer in time. Its log: {self._log}")
            time.sleep(_POLL_S)

    def _why_it_ended(self, returncode: int) -> str:
        if not classpath():
            return f"OpenSearch {VERSION} could not be fetched from the registry of Java packages. See {self._log}"
        if returncode == -signal.SIGKILL:
            return "OpenSearch was killed while it started, most likely for want of memory."
        return f"OpenSearch ended while it started. Its log: {self._log}"


def _to_stderr(sentence: str) -> None:
    print(sentence, file=sys.stderr)


def _free_port(wanted: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, wanted))
        except OSError as error:
            raise NodeFailed(f"Port {wanted} is taken by another program: choose another for OpenSearch.") from error
        return int(probe.getsockname()[1])


def _name_at(port: int) -> str | None:
    """The name of the node that answers on this port, None if there is none."""
    connection = HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/")
        return json.loads(connection.getresponse().read()).get("name")
    except (OSError, HTTPException, ValueError):
        return None
    finally:
        connection.close()


def _megabytes(heap: str) -> int:
    match = re.fullmatch(r"(\d+)([mg])", heap.lower())
    if match is None:
        raise NodeFailed(f"{heap!r} is no heap size: write it like 512m or 1g.")
    return int(match[1]) * (1024 if match[2] == "g" else 1)


def _available_megabytes() -> int | None:
    """None where the system does not tell (it is Linux that does)."""
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) // 1024 if found else None

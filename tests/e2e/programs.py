"""Programs run as a person runs them: processes of their own, in an environment without this test run's traces."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LONGEST_START_SECONDS = 300  # a first installation may download packages
LONGEST_STOP_SECONDS = 60
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_TRACES = re.compile(r"M4A_.*|MAKE.*|MFLAGS|PYTEST.*|PYTHONPATH|VIRTUAL_ENV|PORT|DB|ARGS|JOBS|PYTHON")
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def environment(**changes: str) -> dict[str, str]:
    """The variables of this process, without those that a test run or a surrounding make sets."""
    return {name: value for name, value in os.environ.items() if not _TRACES.fullmatch(name)} | changes


def uv(*arguments: str | Path) -> None:
    """Runs the uv that the Makefile's verbs use."""
    command = [sys.executable, ROOT / "scripts" / "environment.py", "uv", *arguments]
    subprocess.run(command, check=True, env=environment())


@dataclass
class Server:
    """A running server: where it answers, and what its process has printed so far."""

    process: subprocess.Popen[str]
    address: str
    output: str

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Calls a tool and returns its answer."""
        body = json.dumps(arguments).encode()
        request = urllib.request.Request(
            f"{self.address}/tools/{tool}", data=body, headers={"Content-Type": "application/json"}
        )
        with _direct.open(request, timeout=30) as response:
            return json.load(response)

    def stop(self, number: signal.Signals, whole_group: bool = False) -> int:
        """Sends a signal, to the process or as a terminal does to its whole group, and returns the exit code."""
        if whole_group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)
        self.output += self.process.communicate(timeout=LONGEST_STOP_SECONDS)[0]
        return self.process.returncode

    def leaves_processes(self) -> bool:
        """Whether any process of the group is still there."""
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True


@contextmanager
def serving(command: Sequence[str | Path], folder: Path, **variables: str) -> Generator[Server]:
    """Starts a server in a process group of its own and waits for the line that has its address in it."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment(**variables),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    watchdog = threading.Timer(LONGEST_START_SECONDS, process.kill)
    watchdog.start()
    with process:
        try:
            yield _when_ready(process, watchdog)
        finally:
            watchdog.cancel()
            _end_group(process)


def _when_ready(process: subprocess.Popen[str], watchdog: threading.Timer) -> Server:
    assert process.stdout
    output = ""
    for line in process.stdout:
        output += line
        if found := _ADDRESS.search(line):
            watchdog.cancel()
            return Server(process, found.group(), output)
    raise AssertionError(f"The server ended without an address:\n{output}")


def _end_group(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return

"""Functions under Lambda's runtime interface emulator: a process each, which sees the packaged code and no other."""

import base64
import json
import os
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from scripts.tools import programs_of
from tests.runtime.packaging import ARCHITECTURE
from tests.support.waiting import until

HOST = "127.0.0.1"
TIMEOUT_S = 29
"""As in the template."""
LONGEST_ANSWER_S = 60
_INVOCATIONS = "/2015-03-31/functions/function/invocations"
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Emulator:
    """One function, from its package, on a free port."""

    def __init__(
        self, package: Path, handler: str, variables: Mapping[str, str], log: Path, timeout_s: int = TIMEOUT_S
    ) -> None:
        port, runtime_port = _free_ports(2)
        self.log = log
        self._address = f"http://{HOST}:{port}{_INVOCATIONS}"
        addresses = ["--runtime-interface-emulator-address", f"{HOST}:{port}"]
        addresses += ["--runtime-api-address", f"{HOST}:{runtime_port}"]
        python = programs_of("lambda-runtime") / "python"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [_emulator(), *addresses, python, "-P", "-s", "-m", "awslambdaric", handler],
                cwd=package,
                env=_lambda_variables(package, timeout_s) | dict(variables),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        until(lambda: _listens(port))

    def invoke(self, event: object, client_context: object = None) -> Any:
        """Sends an event as the caller of the function would; answers its JSON."""
        return json.loads(self.answer(event, client_context))

    def answer(self, event: object, client_context: object = None) -> str:
        """The same, as it came."""
        headers = {"Content-Type": "application/json"}
        if client_context is not None:
            headers["X-Amz-Client-Context"] = base64.b64encode(json.dumps(client_context).encode()).decode()
        request = urllib.request.Request(self._address, json.dumps(event).encode(), headers)
        with _direct.open(request, timeout=LONGEST_ANSWER_S) as response:
            return response.read().decode()

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Functions:
    """The functions of the template, each started when it is first needed."""

    def __init__(self, packages: Path, handlers: Mapping[str, str], variables: Mapping[str, str], logs: Path) -> None:
        self._packages = packages
        self._handlers = handlers
        self._variables = variables
        self._logs = logs
        self._running: dict[str, Emulator] = {}
        self._stack = ExitStack()

    def __getitem__(self, name: str) -> Emulator:
        """The function that the template names so."""
        if name not in self._running:
            self._running[name] = self.start(name)
        return self._running[name]

    def start(self, name: str, *, handler: str | None = None, timeout_s: int = TIMEOUT_S, **variables: str) -> Emulator:
        """One more process of that function, with other settings or another handler in its package."""
        log = self._logs / f"{name}-{len(list(self._logs.iterdir()))}.log"
        all_variables = {**self._variables, **variables}
        started = Emulator(self._packages / name, handler or self._handlers[name], all_variables, log, timeout_s)
        self._stack.callback(started.close)
        return started

    def close(self) -> None:
        self._stack.close()


def _emulator() -> Path:
    (found,) = programs_of("sam").parent.glob(
        f"lib/python3.*/site-packages/samcli/local/rapid/aws-lambda-rie-{ARCHITECTURE}"
    )
    return found


def _lambda_variables(package: Path, timeout_s: int) -> dict[str, str]:
    """What Lambda sets, and nothing of this process."""
    return {
        "PATH": os.defpath,
        "PYTHONPATH": str(package),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LAMBDA_TASK_ROOT": str(package),
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "AWS_LAMBDA_FUNCTION_NAME": package.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1769",
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(timeout_s),
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server((HOST, 0))) for _ in range(number)]
        return [one.getsockname()[1] for one in sockets]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0

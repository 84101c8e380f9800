"""How the local server starts, works and ends."""

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import httpx
import pytest

from m4a.application.service import Service
from m4a.local.access import CannotStart, Tokens
from m4a.local.server import LocalServer, listen, serve
from m4a.settings import Settings
from tests.entrypoints.doubles import TOKENS, Gate

FUNCTIONS = Path(__file__).parents[2] / "functions"


def test_several_requests_run_at_once(ana: httpx.Client, gate: Gate) -> None:
    def visit(number: int) -> httpx.Response:
        return ana.post("/tools/remember", json={"content": f"Visited hut {number}"})

    gate.together = Barrier(4)
    try:
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(visit, range(4)))
    finally:
        gate.together = None
    assert [(reply.status_code, "degraded" in reply.json()) for reply in replies] == [(200, False)] * 4


def test_a_server_that_stops_lets_running_requests_finish(service: Service, gate: Gate) -> None:
    server = LocalServer(service, user="late").start()
    gate.came.clear()
    gate.opened.clear()
    with ThreadPoolExecutor(2) as pool:
        running = pool.submit(
            httpx.post, f"{server.address}/tools/remember", json={"content": "Was nearly late"}, timeout=30
        )
        assert gate.came.wait(20)
        stopping = pool.submit(server.stop)
        gate.opened.set()
        assert running.result(30).status_code == 200
        stopping.result(30)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{server.address}/health")


def test_a_port_in_use_is_said_in_a_sentence(service: Service, server: LocalServer) -> None:
    port = httpx.URL(server.address).port
    with pytest.raises(CannotStart, match=rf"^Port {port} of 127\.0\.0\.1 is in use\."):
        LocalServer(service, port=port or 0)


def test_the_listener_names_its_protocol_so_that_no_reply_is_held_back() -> None:
    with listen("127.0.0.1", 0, open_to_all=False) as listener:
        assert listener.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_other_machines_get_in_with_tokens_alone(service: Service, host: str) -> None:
    with pytest.raises(CannotStart, match="--tokens"):
        LocalServer(service, host=host)


def test_with_tokens_the_server_may_bind_every_address(service: Service) -> None:
    with LocalServer(service, Tokens.of(TOKENS), host="0.0.0.0") as server:
        port = httpx.URL(server.address).port
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
        assert httpx.get(f"http://127.0.0.1:{port}/memories").status_code == 401
        assert httpx.get(f"http://127.0.0.1:{port}/health", headers={"host": f"evil.example:{port}"}).status_code == 403


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70_000), ("127.0.0.1", -1), ("", 0), ("a..b", 0)])
def test_a_wrong_address_is_said_in_a_sentence(service: Service, host: str, port: int) -> None:
    with pytest.raises(CannotStart):
        LocalServer(service, host=host, port=port)


def test_a_tenant_claim_needs_tokens(service: Service) -> None:
    with pytest.raises(CannotStart, match="M4A_TENANT_CLAIM"):
        serve(Settings.model_validate({"tenant_claim": "org"}), service, port=0)


PROGRAM = """
import sys
from pathlib import Path
from m4a.bootstrap import build_operator
from m4a.local.server import serve
from m4a.settings import Settings

settings = Settings(db=Path(sys.argv[1]))
service = build_operator(settings).service
serve(settings, service, port=0, on_ready=lambda address: print(address, flush=True))
service.close()
print("closed", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_leaves_the_rest_to_its_caller(tmp_path: Path, number: int) -> None:
    environment: dict[str, Any] = {**os.environ, "PYTHONPATH": str(FUNCTIONS)}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "m4a.db")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout and process.stderr
        address = process.stdout.readline().strip()
        assert httpx.get(f"{address}/health").status_code == 200
        process.send_signal(number)
        assert (process.stdout.read(), process.stderr.read(), process.wait(30)) == ("closed\n", "", 0)

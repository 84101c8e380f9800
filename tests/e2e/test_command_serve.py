"""`m4a serve` and its sweep."""

import json
import logging
import signal
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.sweeping import Pass
from m4a.application.upkeep import Swept
from m4a.bootstrap import build_operator
from m4a.domain.errors import Throttled
from m4a.domain.owner import Caller, Owner
from m4a.entrypoints.recording import LOGGER as OPERATIONS
from m4a.local import sweeping
from m4a.local.sweeping import Sweeping
from m4a.tools import call_tool
from tests.e2e.conftest import INSTALLED, CommandLine, settings
from tests.e2e.programs import ROOT, serving
from tests.support.doubles import SettableClock
from tests.support.process import kept_process

CALLER = Caller(Owner("default", "local"), "local", "test", "test")


def test_serve_tells_where_it_listens_and_how_to_call_it_and_ends_cleanly(m4a: CommandLine) -> None:
    m4a.json("remember", "Plays the cello")
    for number in (signal.SIGTERM, signal.SIGINT):
        with serving([INSTALLED, "serve", "--port", "0", "--db", m4a.db], ROOT) as server:
            assert server.process.stdout
            calls = [server.process.stdout.readline() for _ in range(2)]
            assert server.call("recall", query="cello")["memories"][0]["content"] == "Plays the cello"
            assert server.stop(number) == 0
        assert str(m4a.db) in server.output
        assert all(call.startswith(f"curl -s {server.address}/tools/") for call in calls)
        assert "Traceback" not in server.output and "operation" not in server.output


def test_serve_for_a_program_tells_its_address_as_json(m4a: CommandLine) -> None:
    with serving([INSTALLED, "serve", "--port", "0", "--json", "--db", m4a.db], ROOT) as server:
        told = json.loads(server.output.splitlines()[-1])
    assert (told["address"], told["db"]) == (server.address, str(m4a.db))


def test_serve_refuses_other_machines_without_tokens(m4a: CommandLine) -> None:
    assert "--tokens" in m4a.problem("serve", "--host", "0.0.0.0", "--port", "0")["detail"]
    assert m4a.problem("serve", "--tokens", str(m4a.db.with_name("none")))["exit"] == 2


def test_a_serve_within_the_tests_process_leaves_logging_and_signals_as_they_were(m4a: CommandLine) -> None:
    loggers = [logging.getLogger(name) for name in ("m4a", OPERATIONS, "m4a.local.sweeping")]
    before = [logger.level for logger in loggers], signal.getsignal(signal.SIGTERM)
    with kept_process():
        m4a.problem("serve", "--host", "0.0.0.0", "--port", "0")
        assert loggers[1].level == logging.WARNING and signal.getsignal(signal.SIGTERM) != before[1]
    assert ([logger.level for logger in loggers], signal.getsignal(signal.SIGTERM)) == before


class BreakableClock(SettableClock):
    """A clock that can be out of order."""

    broken = False

    def now(self) -> datetime:
        if self.broken:
            raise RuntimeError("cello")
        return super().now()


class Told(logging.Handler):
    """Passes each message on as it comes."""

    def __init__(self, hear: Callable[[str], None]) -> None:
        super().__init__()
        self._hear = hear

    def emit(self, record: logging.LogRecord) -> None:
        self._hear(record.getMessage())


def test_the_sweep_of_the_server_says_that_the_store_did_not_let_it_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    operator = build_operator(settings(tmp_path / "m4a.db"), embedder=OnnxEmbedder.load())
    swept = threading.Event()

    def overrun(*_: object, **__: object) -> Pass:
        swept.set()
        return Pass(Swept(expired=1), failure=Throttled("The store is overrun."))

    monkeypatch.setattr(sweeping, "sweep_pass", overrun)
    caplog.set_level(logging.INFO)
    with Sweeping(operator):
        assert swept.wait(30)
    assert "not all of what is due could be read or done: The store is overrun." in caplog.text
    assert "1 expired" in caplog.text
    operator.service.close()


def test_the_sweep_of_the_server_goes_on_after_an_error_and_logs_counts_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = BreakableClock()
    operator = build_operator(settings(tmp_path / "m4a.db"), embedder=OnnxEmbedder.load(), clock=clock)
    call_tool(operator.service, CALLER, "remember", {"content": "Lends the cello", "expires_at": "2026-06-02"})
    clock.advance(days=7)
    clock.broken = True
    messages: list[str] = []
    swept = threading.Event()

    def hear(message: str) -> None:
        messages.append(message)
        clock.broken = False
        if "expired" in message:
            swept.set()

    caplog.set_level(logging.INFO)
    handler = Told(hear)
    logging.getLogger("m4a.local.sweeping").addHandler(handler)
    try:
        with Sweeping(operator, every_s=0.01):
            assert swept.wait(30)
    finally:
        logging.getLogger("m4a.local.sweeping").removeHandler(handler)
    assert messages == ["sweep failed: RuntimeError", "sweep: 1 expired, 0 embedded"]
    assert "m4a-sweep" not in [thread.name for thread in threading.enumerate()]
    operator.service.close()

"""`m4a serve` and its sweep."""

import json
import signal
import sys
from pathlib import Path

from tests.e2e.conftest import CommandLine
from tests.e2e.programs import ROOT, serving

INSTALLED = Path(sys.executable).with_name("m4a")


def test_serve_tells_where_it_listens_and_how_to_call_it_and_ends_cleanly(m4a: CommandLine) -> None:
    m4a.json("remember", "Plays the cello")
    for number in (signal.SIGTERM, signal.SIGINT):
        with serving([INSTALLED, "serve", "--port", "0", "--db", m4a.db], ROOT) as server:
            assert server.call("recall", query="cello")["memories"][0]["content"] == "Plays the cello"
            assert server.stop(number) == 0
        assert str(m4a.db) in server.output
        assert f"curl -s {server.address}/tools/recall -H 'content-type: application/json' -d '" in server.output
        assert "Traceback" not in server.output


def test_serve_for_a_program_tells_its_address_as_json(m4a: CommandLine) -> None:
    with serving([INSTALLED, "serve", "--port", "0", "--json", "--db", m4a.db], ROOT) as server:
        told = json.loads(server.output.splitlines()[-1])
    assert (told["address"], told["db"]) == (server.address, str(m4a.db))


def test_serve_refuses_other_machines_without_tokens(m4a: CommandLine) -> None:
    assert "--tokens" in m4a.problem("serve", "--host", "0.0.0.0", "--port", "0")["detail"].replace("\n", " ")
    assert m4a.problem("serve", "--tokens", str(m4a.db.with_name("none")))["exit"] == 2

"""The node's life: it starts where it can, says why where it can't, and never outlives who wanted it."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from m4a.adapters.opensearch.client import connect
from m4a.local.opensearch_node import NodeFailed, OpenSearchNode

STARTER = """
import sys
from pathlib import Path
from m4a.local.opensearch_node import OpenSearchNode
with OpenSearchNode(Path(sys.argv[1]), heap="512m") as node:
    print(node.address(), flush=True)
    sys.stdin.read()
"""
ENDS_AT_ONCE = "1m"
SOURCE_ROOT = Path(__file__).parents[2] / "functions"


def until_nothing_listens(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.05)
    raise AssertionError("something still listens")


def test_a_node_dies_with_whoever_started_it_and_keeps_what_it_answered(tmp_path: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=SOURCE_ROOT
    )
    assert starter.stdin and starter.stdout
    with starter.stdin, starter.stdout:
        address = starter.stdout.readline().decode().strip()
        client = connect(address, timeout_s=20)
        client.index(index="kept", id="1", body={"a": 1})
        client.close()
        os.kill(starter.pid, signal.SIGKILL)
        starter.wait()
    until_nothing_listens(int(address.rpartition(":")[2]))
    with OpenSearchNode(tmp_path, heap="512m") as node:
        client = connect(node.address(), timeout_s=20)
        client.cluster.health(index="kept", params={"wait_for_status": "yellow"})
        assert client.get(index="kept", id="1")["found"]
        client.close()
        port = int(node.address().rpartition(":")[2])
    until_nothing_listens(port)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(NodeFailed) as raised:
            OpenSearchNode(tmp_path, port=port).start()
    assert str(port) in str(raised.value)


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="this system does not tell how much memory is free")
def test_too_little_memory_is_told_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(NodeFailed) as raised:
        OpenSearchNode(tmp_path, heap="900g").start()
    assert "memory" in str(raised.value)
    assert not (tmp_path / "node.log").exists()


@pytest.mark.parametrize("heap", ["", "1", "one gigabyte", "1g -Xmx2g"])
def test_a_heap_that_is_none_is_refused(tmp_path: Path, heap: str) -> None:
    with pytest.raises(NodeFailed):
        OpenSearchNode(tmp_path, heap=heap).start()


def test_a_node_that_ends_while_it_starts_leaves_a_log_that_is_named(tmp_path: Path) -> None:
    with pytest.raises(NodeFailed) as raised:
        OpenSearchNode(tmp_path, heap=ENDS_AT_ONCE).start()
    assert str(tmp_path / "node.log") in str(raised.value)
    assert "heap" in (tmp_path / "node.log").read_text()


def test_the_first_start_says_that_it_fetches_and_a_failed_fetch_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("m4a.local.opensearch_node.node.classpath", list)
    said: list[str] = []
    with pytest.raises(NodeFailed) as raised:
        OpenSearchNode(tmp_path, heap=ENDS_AT_ONCE, say=said.append).start()
    assert ["Fetching" in sentence for sentence in said] == [True]
    assert "fetched" in str(raised.value)


def test_stopping_what_does_not_run_does_nothing(tmp_path: Path) -> None:
    node = OpenSearchNode(tmp_path)
    node.stop()
    assert list(tmp_path.iterdir()) == []

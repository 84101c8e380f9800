"""`m4a mcp`: the tools over stdin and stdout of a process."""

import json
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.programs import environment
from tests.support.mcp import COMMAND, FUNCTIONS, LEGACY, McpStdioClient

PROBE = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "probe", "version": "0"}}


def request(request_id: object, method: str, params: object = None) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})


def call(request_id: object, tool: str, **arguments: Any) -> str:
    return request(request_id, "tools/call", {"name": tool, "arguments": arguments})


def notification(method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params})


START = (request(0, "initialize", PROBE), '{"jsonrpc": "2.0", "method": "notifications/initialized"}')


@contextmanager
def started(db: Path) -> Generator[subprocess.Popen[str]]:
    command = [*COMMAND, "mcp", "--db", str(db)]
    pipe = subprocess.PIPE
    variables = environment(PYTHONPATH=str(FUNCTIONS))
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=variables) as process:
        try:
            yield process
        finally:
            process.kill()


def answers(db: Path, *lines: str) -> dict[Any, Any]:
    """What stands on stdout after these lines and the end of stdin, by id; the process ends well."""
    with started(db) as process:
        out, err = process.communicate("\n".join((*START, *lines)), timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in err
    return {answer["id"]: answer for answer in map(json.loads, out.splitlines())}


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), (LEGACY, "2025-11-25")])
def test_the_sdks_client_uses_the_tools_over_stdio(tmp_path: Path, mode: str, version: str) -> None:
    client = McpStdioClient(tmp_path / "m4a.db", "ana", mode=mode)
    try:
        assert client.version == version
        made = client.call("remember", content="Grows quinces")
        assert client.call("recall", query="quinces").ids == [made["memory_id"]]
        assert client.call("remember", content=" ").fields == ["content"]
        assert client.call("erase_everything").error == "-32602"
    finally:
        client.close()


def test_each_user_has_memories_of_their_own(tmp_path: Path) -> None:
    ana, bob = (McpStdioClient(tmp_path / "m4a.db", user) for user in ("ana", "bob"))
    try:
        ana.call("remember", content="Grows quinces")
        assert (ana.call("recall", query="quinces").contents, bob.call("recall", query="quinces").contents) == (
            ["Grows quinces"],
            [],
        )
    finally:
        ana.close()
        bob.close()


def test_what_was_sent_before_stdin_ends_is_answered_and_stored(tmp_path: Path) -> None:
    db = tmp_path / "m4a.db"
    sent = [call(number, "remember", content=f"Visited hut {number}") for number in range(1, 6)]
    replies = answers(db, *sent)
    assert all(replies[number]["result"]["structuredContent"]["created"] for number in range(1, 6))
    found = answers(db, call(1, "recall", query="hut", limit=10))
    assert len(found[1]["result"]["structuredContent"]["memories"]) == 5


def test_a_message_of_the_wrong_shape_gets_its_error_and_the_next_its_answer(tmp_path: Path) -> None:
    replies = answers(
        tmp_path / "m4a.db",
        "nonsense",
        "",
        request(1, "tools/call", [1]),
        '{"jsonrpc": "2.0", "method": "notifications/initialized", "params": 7}',
        '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}',
        request(2, "no/such"),
        request(3, "tools/call", {"name": "recall", "arguments": '{"query": "tea"}'}),
        request(4, "ping"),
    )
    assert {key: answer.get("error", {}).get("code") for key, answer in replies.items()} == {
        None: -32700,
        0: None,
        1: -32602,
        2: -32601,
        3: None,
        4: None,
    }


def test_a_notification_of_an_odd_shape_disturbs_nothing(tmp_path: Path) -> None:
    odd = [[1], {"a": 1}, None, True, 2.0, "", "2"]
    replies = answers(
        tmp_path / "m4a.db",
        *(notification("notifications/cancelled", requestId=value) for value in odd),
        *(notification("notifications/progress", progressToken=value, progress=value) for value in odd),
        *(notification("notifications/cancelled", _meta=value) for value in odd),
        '{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
        request(2, "ping"),
    )
    assert replies[2]["result"] == {}


def test_what_is_no_request_is_answered_over_stdio_too(tmp_path: Path) -> None:
    replies = answers(tmp_path / "m4a.db", '"x"', '{"jsonrpc": "2.0", "id": 2}', request(3, "ping"))
    assert [replies[key]["error"]["code"] for key in (None, 2)] == [-32600, -32600]
    assert replies[3]["result"] == {}


def test_an_id_that_cant_be_sent_back_ends_nothing_and_an_error_without_one_is_not_answered(tmp_path: Path) -> None:
    replies = answers(tmp_path / "m4a.db", request("\ud800", "ping"), request(3, "ping"))
    assert (replies[None]["error"]["code"], replies[3]["result"]) == (-32600, {})
    told = '{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}}'
    assert answers(tmp_path / "m4a.db", told, request(3, "ping")).keys() == {0, 3}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_although_the_client_keeps_stdin_open(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path / "m4a.db") as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(START[0] + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 0
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stdout.read() == ""
        assert "Traceback" not in process.stderr.read()


def test_a_client_that_is_gone_ends_it(tmp_path: Path) -> None:
    with started(tmp_path / "m4a.db") as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write("\n".join((*START, request(1, "ping"), "")))
        process.stdin.close()
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()

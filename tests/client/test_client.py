"""The client against the server: its methods, whom it acts for, and its errors."""

import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from m4a.client import (
    Conflict,
    Forbidden,
    InvalidInput,
    M4AError,
    NotFound,
    TooLarge,
    Unauthenticated,
)
from m4a.local.server import LocalServer
from m4a.tools import TOOLS
from m4a.tools.prompt import system_prompt
from tests.client.conftest import Connecting

FUNCTIONS = Path(__file__).parents[2] / "functions"


@pytest.fixture
def memory(server: LocalServer, connect: Connecting) -> Any:
    """A client of a user that no other test has."""
    return connect(server.address, "t-svc", user=f"user {uuid4()} ☕")


def test_the_four_tools_answer_typed_values(memory: Any) -> None:
    made = memory.remember("Grows quinces", type="preference", tags=["garden"], importance="high")
    assert (made.created, made.type, made.tags, made.version) == (True, "preference", ["garden"], 1)
    found = memory.recall("quinces", limit=3, tags=["garden"])
    assert [(one.memory_id, one.content) for one in found.memories] == [(made.memory_id, "Grows quinces")]
    assert found.degraded is None
    updated = memory.update_memory(made.memory_id, content="Grows medlars", expected_version=1)
    assert (updated.content, updated.version, updated.updated) == ("Grows medlars", 2, True)
    assert [one.content for one in memory.history(made.memory_id).history] == ["Grows quinces"]
    assert memory.trace(found.recall_id).limit == 3
    forgotten = memory.forget(made.memory_id, "asked to")
    assert memory.receipt(made.memory_id) == forgotten
    with pytest.raises(NotFound):
        memory.memory(made.memory_id)


def test_times_may_be_pythons_own(memory: Any) -> None:
    made = memory.remember(
        "Sails", event_time=date(2026, 7, 1), expires_at=datetime(2090, 1, 1, 12, tzinfo=UTC), type="event"
    )
    assert (made.event_time, made.expires_at) == ("2026-07-01", "2090-01-01T12:00:00.000Z")
    assert memory.update_memory(made.memory_id, expires_at="clear").expires_at is None
    with pytest.raises(TypeError):
        memory.remember("Sails", event_time=object())


def test_listings_go_through_all_pages(memory: Any) -> None:
    for number in range(60):
        memory.remember(f"Hut {number}", tags=["a, b"] if number == 7 else [])
    assert [one.content for one in memory.memories()] == [f"Hut {number}" for number in reversed(range(60))]
    assert [one.content for one in memory.memories(tags=["a, b"])] == ["Hut 7"]
    assert len(list(memory.audit())) == 60


def test_the_core_block_and_the_erasure_of_everything(memory: Any) -> None:
    memory.remember("Allergic to walnuts", importance="high")
    block = memory.context(200)
    assert "walnuts" in block.text and block.max_tokens == 200
    assert memory.instructions() == f"{system_prompt()}\n\n{block.text}"
    with pytest.raises(InvalidInput):
        memory.erase("someone else")
    assert "walnuts" in memory.context().text


def test_erase_answers_how_many_were_erased(server: LocalServer, connect: Connecting) -> None:
    user = f"leaver {uuid4()}"
    memory = connect(server.address, "t-svc", user=user)
    for number in range(3):
        memory.remember(f"Hut {number}")
    assert memory.erase(user) == 3
    assert list(memory.memories()) == []


def test_a_model_calls_tools_by_name_with_an_object_or_its_text(memory: Any) -> None:
    stored = memory.call("remember", {"content": "Plays the cello", "tags": None})
    found = memory.call("recall", '{"query": "cello", "limit": "2"}')
    assert found["memories"][0]["memory_id"] == stored["memory_id"]
    for wrong in ("[1]", "{", "null", '"recall"'):
        with pytest.raises(InvalidInput):
            memory.call("recall", wrong)
    for name in ("erase_everything", "../memories", ""):
        with pytest.raises(NotFound):
            memory.call(name, {})


def test_a_reply_tells_the_model_what_it_can_react_to(memory: Any, server: LocalServer, connect: Connecting) -> None:
    assert '"created": true' in memory.reply("remember", {"content": "Plays the cello"})
    refused = memory.reply("remember", '{"content": "Tea", "type": "rumour"}')
    assert '"error": "invalid_input"' in refused and "fact, preference, event, task" in refused
    assert '"error": "not_found"' in memory.reply("forget", {"memory_id": "x", "reason": "gone"})
    assert '"error": "invalid_input"' in memory.reply("recall", "{")
    assert '"error": "not_found"' in memory.reply("erase_everything", {})
    with pytest.raises(Unauthenticated):
        connect(server.address, "t-eve").reply("recall", {"query": "tea"})


def test_errors_are_those_of_the_contract(server: LocalServer, connect: Connecting, memory: Any) -> None:
    made = memory.remember("Has two cats")
    memory.update_memory(made.memory_id, content="Has three cats")
    with pytest.raises(Conflict) as moved:
        memory.update_memory(made.memory_id, content="Has a dog", expected_version=1)
    assert (moved.value.reason, moved.value.current["version"]) == ("version", 2)
    with pytest.raises(InvalidInput) as wrong:
        memory.recall("tea", limit=99)
    assert [(one.field, one.allowed) for one in wrong.value.problems] == [("limit", "a whole number from 1 to 50")]
    with pytest.raises(TooLarge):
        memory.remember("x" * 1_000_001)
    with pytest.raises(Forbidden):
        connect(server.address, "t-ana", user="bob").recall("tea")
    with pytest.raises(NotFound):
        memory.memory("../audit?x=1#y")
    with pytest.raises(NotFound):
        memory.memory("")
    assert connect.waits == []


def test_a_backend_acts_for_each_of_its_users_over_one_client(server: LocalServer, connect: Connecting) -> None:
    backend = connect(server.address, "t-svc")
    users = [f"user {uuid4()}" for _ in range(2)]
    for user in users:
        backend.acting_for(user).remember(f"Belongs to {user}")
    for user in users:
        assert [one.content for one in backend.acting_for(user).memories()] == [f"Belongs to {user}"]
    assert all(one.content.startswith("Belongs") is False for one in backend.memories())


def test_a_token_may_be_fetched_anew_for_each_request(server: LocalServer, connect: Connecting) -> None:
    tokens = iter(["t-ana", "t-eve"])
    memory = connect(server.address, lambda: next(tokens))
    memory.recall("tea")
    with pytest.raises(Unauthenticated):
        memory.recall("tea")


def test_a_server_without_tokens_needs_none(connect: Connecting, server: LocalServer, service: Any) -> None:
    with LocalServer(service, user=f"solo {uuid4()}") as alone:
        assert connect(f"{alone.address}/").remember("Lives by the lake").created


@pytest.mark.parametrize("format", ["openai", "anthropic", "bedrock-functions", "mcp"])
def test_the_tools_come_in_the_formats_of_models(connect: Connecting, format: str) -> None:
    told = str(connect("http://nowhere.invalid").tools(format))
    assert all(name in told for name in TOOLS)


def test_an_unknown_format_is_refused(connect: Connecting) -> None:
    with pytest.raises(M4AError):
        connect("http://nowhere.invalid").tools("cobol")


def test_a_request_that_cant_be_sent_is_invalid_and_not_tried_again(server: LocalServer, connect: Connecting) -> None:
    for url in ("nothing", "ftp://memory.example", "http://\x00", "http://127.0.0.1:99999"):
        with pytest.raises(InvalidInput):
            connect(url).recall("tea")
    for user in ("a\nb", "\ud800"):
        with pytest.raises(InvalidInput):
            connect(server.address, user=user).recall("tea")
    with pytest.raises(InvalidInput) as refused:
        connect(server.address, "secret\n").recall("tea")
    assert "secret" not in str(refused.value)
    with pytest.raises(InvalidInput):
        list(connect(server.address, "t-ana").memories(time_range="\ud800/"))
    with pytest.raises(NotFound):
        connect(server.address, "t-ana").memory("\ud800")
    assert connect.waits == []


def test_the_client_alone_needs_nothing_of_the_server() -> None:
    code = "import m4a.client, sys; print([name for name in sys.modules if name.startswith('m4a.')])"
    environment = {"PYTHONPATH": str(FUNCTIONS)}
    loaded = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    for part in ("adapters", "bootstrap", "entrypoints", "local", "settings"):
        assert f"m4a.{part}" not in loaded.stdout

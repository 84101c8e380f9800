"""What the command does for whoever runs M4A: sweep, reindex, doctor and admin."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from m4a.adapters.onnx import OnnxEmbedder
from m4a.adapters.sqlite.connection import open_file
from m4a.application.service import Service
from m4a.bootstrap import build_operator
from m4a.domain.owner import Caller, Owner
from m4a.local.main import command
from m4a.tools import call_tool
from tests.e2e.conftest import CommandLine, settings
from tests.support.doubles import FaultyEmbedder, SettableClock

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@contextmanager
def earlier(db: Path, embedder: str = "up") -> Generator[Service]:
    """The store as it was used long ago."""
    faulty = FaultyEmbedder(OnnxEmbedder.load())
    faulty.mode = embedder
    service = build_operator(settings(db), embedder=faulty, clock=SettableClock(LONG_AGO)).service
    yield service
    service.close()


def remember(service: Service, content: str, user: str = "local", tenant: str = "default", **more: Any) -> str:
    caller = Caller(Owner(tenant, user), user, "test", "test")
    return call_tool(service, caller, "remember", {"content": content, **more})["memory_id"]


def problems(m4a: CommandLine) -> list[str]:
    """The checks of the doctor that found a problem."""
    result = m4a.run("doctor", "--json")
    answer = json.loads(result.stdout)
    assert result.exit_code == (0 if answer["ok"] else 5)
    return [one["check"] for one in answer["checks"] if not one["ok"]]


def alter(db: Path, sql: str) -> None:
    connection = open_file(db)
    connection.execute(sql)
    connection.close()


def test_the_sweep_forgets_what_has_expired_and_embeds_what_is_missing(m4a: CommandLine) -> None:
    with earlier(m4a.db) as service:
        remember(service, "The guest code is 4711", expires_at="2020-01-02")
    with earlier(m4a.db, embedder="down") as service:
        made = remember(service, "Loves mushroom risotto")
    assert problems(m4a) == ["embeddings"]
    assert m4a.json("sweep") == {"expired": 1, "embedded": 1, "embedder_down": False}
    assert "4711" not in m4a.db.read_bytes().decode("latin-1")
    assert "0 expired memories forgotten, 0 memories embedded" in m4a.run("sweep").stdout
    assert m4a.json("recall", "favourite dish")["memories"][0]["memory_id"] == made
    assert problems(m4a) == []


def test_a_reindex_renews_what_other_rules_or_another_model_made(m4a: CommandLine) -> None:
    with earlier(m4a.db) as service:
        remember(service, "Plays the cello", user="alice")
        remember(service, "Plays the oboe", user="bob")
    alter(m4a.db, "UPDATE meta SET value = '0/none' WHERE name = 'token_rules'; UPDATE memories SET model = 'other'")
    assert problems(m4a) == ["token rules", "embeddings"]
    assert m4a.json("reindex") == {"memories": 2}
    assert problems(m4a) == []


def test_the_doctor_says_what_it_looked_at(m4a: CommandLine) -> None:
    m4a.json("remember", "Plays the cello")
    shown = m4a.run("doctor").stdout
    of_file = ("file", "permissions", "schema", "integrity", "token rules", "memories", "embeddings")
    assert all(check in shown for check in (*of_file, "model", "embedding"))
    assert str(m4a.db.parent) in "".join(shown.split())


def test_the_doctor_finds_a_broken_file(m4a: CommandLine) -> None:
    with earlier(m4a.db) as service:
        for number in range(50):
            remember(service, f"Note {number} about the cello")
    whole = m4a.db.read_bytes()
    m4a.db.write_bytes(whole[: len(whole) // 2] + b"\xee" * (len(whole) // 2))
    assert set(problems(m4a)) & {"file", "integrity"}
    m4a.db.write_bytes(b"nothing of the kind")
    assert problems(m4a) == ["file"]


def test_the_doctor_closes_a_file_that_others_could_read(m4a: CommandLine) -> None:
    m4a.json("remember", "Plays the cello")
    m4a.db.chmod(0o644)
    assert "It was 0644" in " ".join(m4a.run("doctor").stdout.split())
    assert m4a.db.stat().st_mode & 0o077 == 0


def test_the_doctor_makes_no_store_and_misses_only_one_that_was_named(
    m4a: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert problems(m4a) == ["file"]
    assert not m4a.db.exists()
    monkeypatch.setenv("HOME", str(tmp_path))
    fresh = CliRunner().invoke(command, ["doctor"])
    assert (fresh.exit_code, list(tmp_path.iterdir())) == (0, [])
    assert "does not exist yet" in " ".join(fresh.stdout.split())


def test_init_makes_the_file_and_leaves_one_that_is_there(m4a: CommandLine) -> None:
    assert m4a.json("init") == {"created": True, "db": str(m4a.db)}
    m4a.json("remember", "Plays the cello")
    assert m4a.json("init") == {"created": False, "db": str(m4a.db)}
    assert len(m4a.json("list")["memories"]) == 1


def test_an_operator_lists_and_exports_any_owner(m4a: CommandLine) -> None:
    with earlier(m4a.db) as service:
        remember(service, "Plays the cello", user="alice")
        remember(service, "Plays the oboe", user="alice", tenant="acme")
    owners = [{"tenant": "default", "user": "alice"}, {"tenant": "acme", "user": "alice"}]
    assert m4a.json("admin", "owners") == {"owners": owners}
    assert "acme" in m4a.run("admin", "owners").stdout
    listed = m4a.json("admin", "list", "--user", "alice", "--tenant", "acme")["memories"]
    assert [memory["content"] for memory in listed] == ["Plays the oboe"]
    exported = m4a.run("admin", "export", "--user", "alice").stdout.splitlines()
    assert [json.loads(line)["content"] for line in exported[1:]] == ["Plays the cello"]
    assert m4a.problem("admin", "list", "--user", "Alice")["exit"] == 3


def test_erasing_an_owner_needs_the_users_id_once_more(m4a: CommandLine) -> None:
    with earlier(m4a.db) as service:
        for number in range(60):
            remember(service, f"Note {number}", user="alice")
        remember(service, "Plays the oboe", user="bob")
    assert m4a.problem("admin", "erase", "--user", "alice")["exit"] == 2
    assert m4a.problem("admin", "erase", "--user", "alice", "--confirm", "bob")["errors"][0]["field"] == "confirm"
    assert m4a.json("admin", "erase", "--user", "alice", "--confirm", "alice") == {"erased": 60, "next": None}
    assert m4a.json("admin", "list", "--user", "alice")["memories"] == []
    assert len(m4a.json("admin", "list", "--user", "bob")["memories"]) == 1

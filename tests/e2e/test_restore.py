"""A restore from a backup, after which nothing is there that was forgotten since: ``m4a admin replay-receipts``."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from m4a.application.replaying import replay_records
from m4a.application.service import Service
from m4a.domain.errors import Conflict
from m4a.domain.owner import Caller, Owner
from m4a.domain.records import AuditEvent, Receipt
from m4a.tools import call_tool
from m4a.tools.answers import erase_answer
from tests.e2e.restoring import Commands, m4a
from tests.support.doubles import SettableClock

__all__ = ["m4a"]
ALICE, BOB = Owner("default", "alice"), Owner("acme", "bob")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
NOTHING: dict[str, Any] = {
    "come_back": 0,
    "put_back": 0,
    "known": 0,
    "strays": 0,
    "erasures": 0,
    "failed": 0,
    "failures": [],
}


def acting(owner: Owner) -> Caller:
    return Caller(owner, owner.user, "test", "test")


def call(service: Service, tool: str, owner: Owner = ALICE, **arguments: Any) -> Any:
    return call_tool(service, acting(owner), tool, arguments)


def remember(service: Service, content: str, owner: Owner = ALICE, **more: Any) -> str:
    return call(service, "remember", owner, content=content, **more)["memory_id"]


def forget(service: Service, memory_id: str, owner: Owner = ALICE) -> None:
    call(service, "forget", owner, memory_id=memory_id, reason="asked to")


def receipts(service: Service, ids: Sequence[str], owner: Owner = ALICE) -> Any:
    return service.log.receipts(owner, ids)


def replayed(m4a: Commands, file: Path) -> Any:
    """Restores the backup, and does what the operator does then."""
    m4a.store.restore()
    answer = m4a.json("admin", "replay-receipts", str(file))
    m4a.store.make_searchable()
    return answer


def test_what_was_forgotten_after_the_backup_is_forgotten_in_the_restored_store(m4a: Commands, tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    with m4a.operator() as operator:
        service = operator.service
        gone = remember(service, "Alice plays the theremin", importance="high", tags=["spyglass"], idempotency_key="k")
        call(service, "update_memory", memory_id=gone, content="Alice plays the ondioline")
        kept = remember(service, "Alice grows tomatoes")
        m4a.store.back_up()
        forget(service, gone)
        later = remember(service, "Alice owns a kaleidoscope")
        forget(service, later)
        original = receipts(service, [gone, later])
    written = m4a.json("admin", "receipts", "--output", str(file))
    assert written == {"file": str(file), "records": 2}
    assert not any(word in file.read_text() for word in ("theremin", "ondioline", "spyglass", "kaleidoscope"))
    assert replayed(m4a, file) == {**NOTHING, "come_back": 1, "put_back": 1}

    assert "tomatoes" in m4a.run("admin", "export", "--user", "alice").stdout
    raw = m4a.store.raw()
    assert not any(word in raw for word in ("theremin", "ondiolin", "spyglass", "kaleidoscope"))
    assert [one["memory_id"] for one in m4a.json("admin", "list", "--user", "alice")["memories"]] == [kept]
    with m4a.operator() as operator:
        service = operator.service
        assert receipts(service, [gone, later]) == original
        forgets = [one for one in service.log.audit(ALICE, None, 10).items if one.operation == "forget"]
        assert {(one.actor, one.memory_id) for one in forgets} == {("m4a:operator", gone), ("m4a:operator", later)}
        assert service.store.get(ALICE, [gone]) == {}
        assert service.store.history(ALICE, gone) == []
        recalled = call(service, "recall", query="Which instrument does Alice play?")
        assert [one["memory_id"] for one in recalled["memories"]] == [kept]
        assert "degraded" not in recalled
        with pytest.raises(Conflict) as refused:
            remember(service, "Alice plays the theremin", importance="high", tags=["spyglass"], idempotency_key="k")
        assert refused.value.reason == "forgotten"


def test_a_forgotten_id_is_not_free_for_an_import_into_the_restored_store(m4a: Commands, tmp_path: Path) -> None:
    file, export = tmp_path / "receipts.jsonl", tmp_path / "export.jsonl"
    with m4a.operator() as operator:
        remember(operator.service, "Local grows tomatoes", Owner("default", "local"))
        m4a.store.back_up()
        later = remember(operator.service, "Local owns a kaleidoscope", Owner("default", "local"))
        m4a.json("export", str(export))
        forget(operator.service, later, Owner("default", "local"))
    m4a.json("admin", "receipts", "--output", str(file))
    replayed(m4a, file)
    imported = m4a.json("import", str(export))
    assert (imported["created"], imported["renamed"]) == (1, 1)


def test_an_erasure_of_all_that_a_user_had_is_repeated(m4a: Commands, tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    with m4a.operator() as operator:
        service = operator.service
        for number in range(3):
            remember(service, f"Alice plays the theremin, note {number}")
        remember(service, "Bob grows tomatoes", BOB)
        asked = call(service, "recall", query="heliotrope theremin")["recall_id"]
        kept = call(service, "recall", BOB, query="tomatoes")["recall_id"]
        m4a.store.back_up()
        assert erase_answer(service, acting(ALICE), "alice") == {"erased": 3, "next": None}
    m4a.json("admin", "receipts", "--output", str(file))
    assert replayed(m4a, file) == {**NOTHING, "come_back": 3, "erasures": 1}
    raw = m4a.store.raw()
    assert not any(word in raw for word in ("theremin", "heliotrope"))
    with m4a.operator() as operator:
        service = operator.service
        assert service.log.trace(ALICE, asked) is None and service.log.trace(BOB, kept)
        assert len(m4a.json("admin", "list", "--user", "bob", "--tenant", "acme")["memories"]) == 1
        since = call(service, "recall", query="anything new")["recall_id"]
        m4a.json("admin", "replay-receipts", str(file))
        assert service.log.trace(ALICE, since) is not None
    again = tmp_path / "again.jsonl"
    m4a.json("admin", "receipts", "--output", str(again))
    assert sorted(again.read_text().splitlines()[1:]) == sorted(file.read_text().splitlines()[1:])


def test_what_expired_since_comes_back_expired_and_is_swept(m4a: Commands, tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    with m4a.operator(SettableClock(LONG_AGO)) as operator:
        expired = remember(operator.service, "The guest code is 4711", expires_at="2020-01-02")
        remember(operator.service, "The door code is 8422", expires_at="2020-01-03")
        m4a.store.back_up()
    m4a.json("admin", "receipts", "--output", str(file))
    m4a.store.restore()
    assert m4a.json("admin", "list", "--user", "alice")["memories"] == []
    assert m4a.json("admin", "replay-receipts", str(file)) == NOTHING
    m4a.store.make_searchable()
    m4a.run("sweep")
    assert "4711" not in m4a.store.raw()
    with m4a.operator() as operator:
        assert receipts(operator.service, [expired])[expired].reason == "expired"


def test_a_replay_can_be_repeated_and_run_twice_at_once(m4a: Commands, tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    with m4a.operator() as operator:
        ids = [remember(operator.service, f"Note {number} on the theremin") for number in range(6)]
        m4a.store.back_up()
        for one in ids:
            forget(operator.service, one)
        original = receipts(operator.service, ids)
        records: list[Receipt | AuditEvent] = [record for _, record in operator.forgotten.records()]
    m4a.json("admin", "receipts", "--output", str(file))
    m4a.store.restore()
    with m4a.operator() as one, m4a.operator() as other, ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(replay_records, it.service, it.forgotten, acting(ALICE), records) for it in (one, other)]
        counts = [run.result() for run in runs]
        assert sum(count.come_back for count in counts) == 6
        assert receipts(one.service, ids) == original
        assert one.service.store.get(ALICE, ids) == {}
    assert m4a.json("admin", "replay-receipts", str(file)) == {**NOTHING, "known": 6}


def test_lines_that_cannot_be_read_are_named_and_the_others_replayed(m4a: Commands, tmp_path: Path) -> None:
    file = tmp_path / "receipts.jsonl"
    with m4a.operator() as operator:
        ids = [remember(operator.service, f"Note {number} on the theremin") for number in range(3)]
        m4a.store.back_up()
        for one in ids:
            forget(operator.service, one)
    m4a.json("admin", "receipts", "--output", str(file))
    lines = file.read_text().splitlines()
    foreign = json.dumps({**json.loads(lines[2]), "user": "bob"})
    file.write_text("\n".join([lines[0], "{broken", foreign, lines[1]]) + "\n")
    m4a.store.restore()
    answer = m4a.json("admin", "replay-receipts", str(file), status=2)
    assert (answer["come_back"], answer["failed"]) == (1, 3)
    assert [(one["line"], one["errors"][0]["field"]) for one in answer["failures"]] == [
        (2, "body"),
        (3, "owner_key"),
        (5, "file"),
    ]
    shown = m4a.run("admin", "replay-receipts", str(file))
    assert shown.exit_code == 2
    assert "Line 3: owner_key" in shown.stderr
    assert "1 known already" in shown.stdout

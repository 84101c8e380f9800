"""What an operator does for owners in the profile aws: lists, exports, erases, and forgets again after a restore."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from m4a.domain.owner import Caller, Owner
from m4a.tools import call_tool
from tests.e2e.on_aws import OnAws, on_aws, remember
from tests.support.stack import Backends


@pytest.fixture
def m4a(backends: Backends, no_settings: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnAws]:
    with on_aws(backends, monkeypatch) as opened:
        yield opened


def test_an_operator_lists_exports_and_erases_an_owner_who_cannot_sign_in(m4a: OnAws, tmp_path: Path) -> None:
    m4a.json("init")
    owner = Owner("acme", "alice")
    with m4a.earlier() as service:
        for content in ("Plays the cello", "Grows tomatoes"):
            call_tool(service, Caller(owner, "alice", "test", "test"), "remember", {"content": content})
        remember(service, "Plays the oboe")
    whose = ("--user", "alice", "--tenant", "acme")
    assert {"tenant": "acme", "user": "alice"} in m4a.json("admin", "owners")["owners"]
    assert len(m4a.json("admin", "list", *whose)["memories"]) == 2
    assert m4a.json("admin", "export", str(tmp_path / "alice.jsonl"), *whose)["memories"] == 2
    assert m4a.run("admin", "erase", *whose, "--confirm", "bob").exit_code == 2
    assert m4a.json("admin", "erase", *whose, "--confirm", "alice") == {"erased": 2, "next": None}
    assert m4a.json("admin", "list", *whose)["memories"] == []
    assert len(m4a.json("list")["memories"]) == 1
    assert m4a.run("admin", "list", "--user", "alice").exit_code == 3
    with m4a.earlier() as service:
        events = service.log.audit(owner, None, 10).items
    operated = {(one.operation, one.actor, one.entry_point) for one in events if one.actor != "alice"}
    assert operated == {(one, "m4a:operator", "command") for one in ("export", "forget", "erase")}


def test_receipts_go_out_and_are_replayed_without_any_search_index(
    m4a: OnAws, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    m4a.json("init")
    made = m4a.json("remember", "Plays the cello")
    m4a.json("forget", made["memory_id"], "--reason", "asked to")
    monkeypatch.setenv("M4A_SEARCH_URL", "http://127.0.0.1:1")
    file = tmp_path / "forgotten.jsonl"
    assert m4a.json("admin", "receipts", "--output", str(file))["records"] == 1
    assert m4a.json("admin", "replay-receipts", str(file))["known"] == 1


def test_an_export_brings_back_what_was_forgotten_since(m4a: OnAws, tmp_path: Path) -> None:
    m4a.json("init")
    made = m4a.json("remember", "Plays the cello")
    exported = tmp_path / "export.jsonl"
    assert m4a.json("export", str(exported))["memories"] == 1
    assert m4a.json("forget", made["memory_id"], "--reason", "moving")["versions_erased"] == 1
    assert m4a.json("import", str(exported))["created"] == 1
    assert [one["content"] for one in m4a.json("list")["memories"]] == ["Plays the cello"]

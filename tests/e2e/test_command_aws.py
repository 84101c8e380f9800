"""The command in the profile aws, on the backends of the local stack, without an indexer."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from m4a.application.sweeping import Pass
from m4a.application.upkeep import Renewed, Swept
from m4a.domain.errors import Throttled
from m4a.local.commands import upkeep
from m4a.local.main import command
from m4a.local.stack import REGION
from tests.e2e.on_aws import OnAws, on_aws, remember
from tests.support.stack import Backends


@pytest.fixture
def m4a(backends: Backends, no_settings: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[OnAws]:
    with on_aws(backends, monkeypatch) as opened:
        yield opened


def test_init_makes_the_index_of_an_empty_table_once(m4a: OnAws) -> None:
    assert m4a.problems() == ["token rules", "index"]
    assert m4a.json("init")["created"] is True
    assert m4a.problems() == []
    assert m4a.json("init")["created"] is False
    made = m4a.json("remember", "Plays the cello")
    assert "degraded" not in made
    recalled = m4a.json("recall", "which instrument")
    assert [memory["memory_id"] for memory in recalled["memories"]] == [made["memory_id"]]
    assert "degraded" not in recalled


def test_memories_without_an_index_ask_for_a_reindex(m4a: OnAws) -> None:
    with m4a.earlier() as service:
        made = remember(service, "Plays the cello")
    assert m4a.run("init").exit_code == 5
    assert "reindex" in json.loads(m4a.run("init").stderr)["detail"]
    assert m4a.json("reindex") == {"memories": 1}
    assert m4a.json("recall", "which instrument")["memories"][0]["memory_id"] == made
    assert m4a.problems() == ["outbox"]


def test_a_lost_index_is_named_by_sweep_and_doctor_and_made_anew_by_a_reindex(m4a: OnAws) -> None:
    m4a.json("init")
    made = m4a.json("remember", "Plays the cello")
    m4a.lose_index()
    assert m4a.problems() == ["index"]
    swept = m4a.run("sweep")
    assert (swept.exit_code, json.loads(swept.stdout)["index_alive"]) == (5, False)
    assert m4a.json("recall", "which instrument")["degraded"]
    assert m4a.json("reindex") == {"memories": 1}
    assert m4a.problems() == []
    again = m4a.json("recall", "which instrument")
    assert [memory["memory_id"] for memory in again["memories"]] == [made["memory_id"]]
    assert "degraded" not in again


def test_a_reindex_that_had_to_leave_memories_out_says_which_and_fails(
    m4a: OnAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    def left_one_out(*_: object) -> Iterator[Renewed]:
        yield Renewed(3, 1, ("01J0",))

    monkeypatch.setattr(upkeep, "rebuild", left_one_out)
    done = m4a.run("reindex")
    assert json.loads(done.stdout) == {"memories": 3, "not_embedded": 1, "not_indexed": ["01J0"]}
    assert done.exit_code == 5


def test_a_sweep_that_the_table_does_not_let_finish_tells_what_it_did_and_fails(
    m4a: OnAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    m4a.json("init")

    def overrun(*_: object) -> Pass:
        return Pass(Swept(expired=2), 3, 4.5, True, 0.0, failure=Throttled("The store's database is overrun."))

    monkeypatch.setattr(upkeep, "sweep_pass", overrun)
    swept = m4a.run("sweep")
    assert swept.exit_code == 5
    done = {"expired": 2, "embedded": 0, "embedder_down": False, "settled": 3, "stuck": 0, "index_alive": True}
    failed = "The store's database is overrun."
    assert json.loads(swept.stdout) == {**done, "store_failed": failed}
    assert swept.stderr == ""
    told = CliRunner().invoke(command, ["sweep"], prog_name="m4a")
    assert (told.exit_code, failed in told.stderr) == (5, True)


def test_the_sweep_settles_embeds_and_expires(m4a: OnAws) -> None:
    m4a.json("init")
    with m4a.earlier() as service:
        remember(service, "The guest code is 4711", expires_at="2020-01-02")
    with m4a.earlier("down") as service:
        made = remember(service, "Loves mushroom risotto")
    assert m4a.problems() == ["outbox", "embeddings"]
    swept = m4a.json("sweep")
    assert (swept["expired"], swept["embedded"], swept["embedder_down"]) == (1, 1, False)
    assert (swept["settled"], swept["index_alive"]) == (2, True)
    assert m4a.problems() == []
    assert m4a.json("recall", "favourite dish")["memories"][0]["memory_id"] == made


def test_a_search_index_and_a_model_that_do_not_answer_are_named_with_where_to_look(
    m4a: OnAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    m4a.json("init")
    monkeypatch.setenv("M4A_SEARCH_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("M4A_BEDROCK_URL", "http://127.0.0.1:1")
    answer = json.loads(m4a.run("doctor").stdout)
    found = {one["check"]: one["finding"] for one in answer["checks"] if not one["ok"]}
    assert set(found) == {"index", "model"}
    assert all(name in found["index"] for name in ("can't be reached", "http://127.0.0.1:1", "M4A_SEARCH_URL"))
    assert all(name in found["model"] for name in ("did not answer", "M4A_EMBEDDING_MODEL", "bedrock:InvokeModel"))


def test_what_belongs_to_a_file_is_refused(m4a: OnAws, tmp_path: Path) -> None:
    for words in (["backup", str(tmp_path / "copy")], ["list", "--db", str(tmp_path / "memories.db")]):
        refused = m4a.run(*words)
        assert refused.exit_code == 2
        assert "file" in json.loads(refused.stderr)["detail"]
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_not_there_is_named(m4a: OnAws, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("M4A_TABLE", "no-such-table")
    assert m4a.problems() == ["table"]
    assert all(name in m4a.run("doctor").stdout for name in ("no-such-table", "M4A_TABLE", "M4A_REGION", REGION))
    refused = m4a.run("list")
    assert (refused.exit_code, json.loads(refused.stderr)["code"]) == (5, "unavailable")
    monkeypatch.setenv("M4A_EMBEDDING_MODEL", "unknown")
    assert m4a.run("list").exit_code == 2

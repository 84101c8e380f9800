"""What the command answers, to people and to programs."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from m4a import __version__
from m4a.bootstrap import build_operator
from m4a.local.main import MODULES
from m4a.local.server import LocalServer
from tests.e2e.conftest import INSTALLED, CommandLine, settings

UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def test_a_first_conversation_from_remember_to_forget(m4a: CommandLine) -> None:
    made = m4a.json("remember", "Grandmother lives in Porto", "--tag", "Family", "--tag", "a, b", "--type", "fact")
    assert made["tags"] == ["family", "a, b"]
    assert m4a.json("recall", "Where does my grandmother live?")["memories"][0]["memory_id"] == made["memory_id"]

    m4a.json("update", made["memory_id"], "--content", "Grandmother lives in Braga", "--clear-tags")
    past = m4a.json("history", made["memory_id"])
    assert (past["memory"]["content"], past["memory"]["tags"]) == ("Grandmother lives in Braga", [])
    assert [one["content"] for one in past["history"]] == ["Grandmother lives in Porto"]

    receipt = m4a.json("forget", made["memory_id"], "--reason", "she asked for it")
    assert (receipt["forgotten"], receipt["versions_erased"]) == (True, 2)
    assert m4a.json("recall", "grandmother")["memories"] == []
    assert "Grandmother" not in m4a.db.read_bytes().decode("latin-1")


def test_programs_get_what_the_server_answers(m4a: CommandLine) -> None:
    made = m4a.json("remember", "Plays the cello", "--source", "chat 7", "--event-time", "2026-03-01")
    m4a.json("update", made["memory_id"], "--importance", "high")
    memory_id = made["memory_id"]
    operator = build_operator(settings(m4a.db))
    with LocalServer(operator.service) as server, httpx.Client(base_url=server.address) as http:
        assert m4a.json("list", "--tag", "none") == http.get("/memories", params={"tags": "none"}).json()
        assert m4a.json("list", "--limit", "1") == http.get("/memories", params={"limit": 1}).json()
        assert m4a.json("show", memory_id) == http.get(f"/memories/{memory_id}").json()
        assert m4a.json("history", memory_id) == http.get(f"/memories/{memory_id}/history").json()
        asked = {"query": "cello", "limit": 3, "time_range": "2026-03-01/", "explain": True}
        answers = (
            m4a.json("recall", "cello", "--limit", "3", "--time-range", "2026-03-01/", "--explain"),
            http.post("/tools/recall", json=asked).json(),
        )
        unlike = {"request_id": "", "exit": 0}
        refused = http.get(f"/memories/{UNKNOWN}").json()
        assert {**m4a.problem("show", UNKNOWN), **unlike} == {**refused, **unlike}
    operator.service.close()
    for answer in answers:
        del answer["recall_id"], answer["memories"][0]["score"], answer["memories"][0]["explain"]["recency"]
    assert answers[0] == answers[1]


def test_people_get_whole_ids_and_wrapped_texts_without_markup_or_control_codes(m4a: CommandLine) -> None:
    text = "The [bold]alarm[/bold] code :smile: is \x1b[31m kept by " + " ".join(f"word{n}" for n in range(60))
    made = m4a.json("remember", text)
    shown = m4a.run("recall", "alarm code").stdout
    assert made["memory_id"] in shown
    assert "\x1b" not in shown and "[bold]alarm[/bold] code :smile:" in " ".join(shown.split())
    assert all(f"word{n}" in shown for n in range(60))


def test_notes_and_similar_memories_are_told(m4a: CommandLine) -> None:
    made = m4a.json("remember", "My sister is allergic to peanuts")
    assert made["memory_id"] in m4a.run("remember", "My sister is very allergic to peanuts").stdout
    again = m4a.run("remember", "My sister is allergic to peanuts", "--importance", "high").stdout
    assert f"Known already as {made['memory_id']}" in again and "importance" in again
    assert "matched: " in m4a.run("recall", "peanuts", "--explain").stdout


def test_content_comes_from_stdin_without_its_last_line_break(m4a: CommandLine) -> None:
    made = m4a.json("remember", "-", stdin=" First line\r\nsecond line \u2713\r\n".encode())
    assert made["content"] == " First line\r\nsecond line \u2713"
    assert m4a.json("update", made["memory_id"], "--content", "-", stdin="Third")["content"] == "Third"
    assert m4a.run("remember", "-", stdin=b"\xff\xfe").exit_code == 2
    assert m4a.run("remember", "-", stdin=b"x" * 1_000_001).exit_code == 2


def test_exit_codes_tell_errors_apart(m4a: CommandLine, tmp_path: Path) -> None:
    assert m4a.problem("list")["exit"] == 5
    made = m4a.json("remember", "Plays the cello")
    memory_id = made["memory_id"]
    assert (m4a.problem("show", UNKNOWN)["exit"], m4a.problem("show", "x")["code"]) == (3, "not_found")
    assert m4a.problem("remember", " ")["errors"][0]["field"] == "content"
    assert m4a.problem("list", "--limit", "0")["exit"] == 2
    assert m4a.problem("show")["code"] == "invalid_input"
    stale = m4a.problem("update", memory_id, "--importance", "low", "--expected-version", "7")
    assert (stale["exit"], stale["reason"], stale["current"]["memory_id"]) == (4, "version", memory_id)
    broken = CommandLine(tmp_path / "broken.db")
    broken.db.write_text("not a store")
    refused = broken.problem("list")
    assert (refused["exit"], refused["code"], "retry_after" in refused) == (5, "unavailable", False)
    assert broken.db.read_text() == "not a store"


def test_an_error_is_one_sentence_on_stderr(m4a: CommandLine) -> None:
    m4a.json("remember", "Plays the cello")
    for words in (("show", UNKNOWN), ("remember",), ("recall", "x", "--limit", "99"), ("nonsense",)):
        result = m4a.run(*words)
        assert (result.stdout, result.stderr.count("\n"), result.stderr[:7]) == ("", 1, "Error: "), words


def test_a_fault_of_ours_shows_no_trace_and_no_text(m4a: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    made = m4a.json("remember", "Plays the cello")

    def fail(*_: object) -> None:
        raise KeyError("Plays the cello")

    monkeypatch.setattr("m4a.local.commands.listing.show_answer", fail)
    result = m4a.run("show", made["memory_id"])
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr and "cello" not in result.output
    assert "Quote request" in result.stderr


def test_a_wrong_setting_is_named(m4a: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("M4A_PROFILE", "moon")
    assert "M4A_PROFILE" in m4a.problem("list")["detail"]


def test_a_user_without_a_tenant_owns_nothing_where_tenants_are_required(
    m4a: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    m4a.json("remember", "Plays the cello")
    monkeypatch.setenv("M4A_TENANT_CLAIM", "org")
    assert m4a.problem("list")["exit"] == 2
    assert len(m4a.json("admin", "list", "--user", "local")["memories"]) == 1


def test_the_command_acts_for_the_user_that_the_settings_name(
    m4a: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = m4a.json("remember", "Plays the cello")
    monkeypatch.setenv("M4A_DEFAULT_USER", "maria")
    assert m4a.problem("show", made["memory_id"])["code"] == "not_found"


def test_every_command_has_a_help_that_fits_its_line() -> None:
    shown = subprocess.run([INSTALLED, "--help"], capture_output=True, text=True, check=True).stdout
    assert "Exit status" in shown and "...\n" not in shown.partition("Commands:")[2]
    assert all(f"\n  {name} " in shown for name in MODULES)


def test_asking_for_the_version_loads_neither_model_nor_server() -> None:
    program = (
        "import sys; from m4a.local.main import command\n"
        "try: command(['--version'], 'm4a')\n"
        "except SystemExit: print(sorted({'numpy', 'onnxruntime', 'uvicorn', 'pydantic', 'apsw'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines() == [f"m4a {__version__}", "[]"]


def test_listing_does_not_load_the_model(m4a: CommandLine) -> None:
    m4a.json("remember", "Plays the cello")
    program = (
        "import sys; from m4a.local.main import command\n"
        f"try: command(['list', '--db', {str(m4a.db)!r}], 'm4a')\n"
        "except SystemExit as end: print(end.code, 'onnxruntime' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[-1] == "0 False"

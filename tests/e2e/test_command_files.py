"""Export, import and backup by the command."""

import json
import os
import signal
import stat
import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from m4a.bootstrap import build_operator
from m4a.domain.owner import Caller, Owner
from m4a.tools import call_tool
from m4a.tools.transfer import MAX_LINE_BYTES
from tests.e2e.conftest import INSTALLED, CommandLine, settings
from tests.e2e.programs import environment


def lines_of(text: str) -> list[Any]:
    return [json.loads(line) for line in text.split("\n") if line]


def fill(m4a: CommandLine) -> None:
    """Two memories, one with a history."""
    made = m4a.json("remember", "Ren\u00e9 \U0001f40d lives\u2028in Lyon", "--tag", "a", "--event-time", "2026-01-01")
    m4a.json("update", made["memory_id"], "--content", "Ren\u00e9 lives in Nice")
    m4a.json("update", made["memory_id"], "--importance", "high", "--event-time", "2026-01-02T03:04:05Z")
    m4a.json("remember", "Renew the passport", "--type", "task", "--expires-at", "2999-01-01", "--source", "chat 9")


def test_an_export_imported_into_another_file_exports_the_same(
    m4a: CommandLine, other: CommandLine, tmp_path: Path
) -> None:
    fill(m4a)
    file = tmp_path / "all.jsonl"
    assert m4a.json("export", str(file)) == {"file": str(file), "memories": 2}

    answer = other.json("import", str(file))

    assert (answer["lines"], answer["created"], answer["failed"], answer["next"]) == (3, 2, 0, None)
    header, *memories = lines_of(other.run("export").stdout)
    assert header["format"] == "m4a-export/1"
    assert memories == lines_of(file.read_text())[1:]
    assert [len(memory.get("history", ())) for memory in memories] == [0, 2]
    assert other.json("recall", "Where does Ren\u00e9 live?")["memories"][0]["memory_id"] == memories[1]["memory_id"]
    assert other.json("import", "-", stdin=file.read_bytes())["existing"] == 2


def test_an_export_file_is_private_and_replaces_an_earlier_one_whole(m4a: CommandLine, tmp_path: Path) -> None:
    fill(m4a)
    folder = tmp_path / "exports"
    folder.mkdir()
    file = folder / "all.jsonl"
    file.write_text("an earlier export")
    m4a.run("export", str(file))
    assert len(lines_of(file.read_text())) == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(folder.iterdir()) == [file]


def test_an_export_that_fails_leaves_the_earlier_file_and_nothing_else(m4a: CommandLine, tmp_path: Path) -> None:
    fill(m4a)
    m4a.db.with_name("memories.db-wal").unlink(missing_ok=True)
    damaged = CommandLine(tmp_path / "damaged.db")
    damaged.db.write_bytes(m4a.db.read_bytes())
    break_pages(damaged.db)
    folder = tmp_path / "exports"
    folder.mkdir()
    file = folder / "all.jsonl"
    file.write_text("an earlier export")
    assert damaged.run("export", str(file)).exit_code == 5
    assert (file.read_text(), list(folder.iterdir())) == ("an earlier export", [file])


def break_pages(file: Path) -> None:
    """Overwrites all but the first page: a store still, until something is read."""
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xee" * (len(data) - 4096))


def test_an_export_never_overwrites_the_store(m4a: CommandLine) -> None:
    fill(m4a)
    assert m4a.problem("export", str(m4a.db))["errors"][0]["field"] == "file"
    assert len(m4a.json("list")["memories"]) == 2


def test_an_export_to_a_missing_folder_is_refused_in_one_sentence(m4a: CommandLine, tmp_path: Path) -> None:
    fill(m4a)
    result = m4a.run("export", str(tmp_path / "none" / "all.jsonl"))
    assert (result.exit_code, result.stderr.count("Error")) == (2, 1)
    assert "can't be written" in result.stderr


def test_an_import_of_many_plain_lines_shows_progress_on_stderr_alone(m4a: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "plain.jsonl"
    file.write_text("".join(json.dumps({"content": f"Note {number}"}) + "\n" for number in range(1000)))
    result = m4a.run("import", str(file))
    assert result.stdout == "1,000 lines: 1,000 new.\n"
    assert "1,000 lines" in result.stderr and "100%" in result.stderr
    assert len(m4a.json("list", "--all")["memories"]) == 1000
    page = m4a.json("list", "--limit", "3")
    assert len(page["memories"]) == 3
    assert m4a.json("list", "--limit", "3", "--cursor", page["next"])["memories"][0] not in page["memories"]


def test_an_import_for_a_program_prints_nothing_but_its_answer(m4a: CommandLine) -> None:
    result = m4a.run("import", "-", "--json", stdin='{"content": "One"}\n')
    assert (json.loads(result.stdout)["created"], result.stderr) == (1, "")


def test_lines_that_can_not_be_read_are_named_and_the_others_stored(m4a: CommandLine) -> None:
    too_long = json.dumps({"content": "x" * MAX_LINE_BYTES}).encode()
    lines = (
        b'\xef\xbb\xbf{"content": "One"}',
        b"",
        b"no json",
        b'{"content": "\xff"}',
        too_long,
        b'{"content": "Two"}',
    )
    result = m4a.run("import", "-", "--json", stdin=b"\n".join(lines))
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["lines"], answer["created"], answer["failed"]) == (2, 6, 2, 3)
    assert [failure["line"] for failure in answer["failures"]] == [3, 4, 5]
    told = m4a.run("import", "-", stdin=b"\n".join(lines)).stderr
    assert "Line 3: line is not valid JSON" in told and "Line 5: line has more than" in told


def test_an_interrupted_command_ends_with_130(m4a: CommandLine, tmp_path: Path) -> None:
    pipe = tmp_path / "lines"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [INSTALLED, "import", pipe, "--db", m4a.db], env=environment(), stderr=subprocess.PIPE, text=True
    )
    with process, pipe.open("w"):  # opening waits for the command to open its side
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert (process.returncode, said.splitlines()[-1]) == (130, "Interrupted.")


def test_an_empty_or_missing_import_is_refused(m4a: CommandLine, tmp_path: Path) -> None:
    assert m4a.run("import", "-", stdin="").exit_code == 2
    assert "can't be read" in m4a.problem("import", str(tmp_path / "none"))["detail"]


@contextmanager
def writing(db: Path) -> Generator[None]:
    """Someone else who stores memory after memory."""
    service = build_operator(settings(db)).service
    begun, ended = threading.Event(), threading.Event()

    def write() -> None:
        owner = Caller(Owner("default", "local"), "local", "test", "test")
        for number in count():
            call_tool(service, owner, "remember", {"content": f"Note {number}", "tags": ["written meanwhile"]})
            begun.set()
            if ended.is_set():
                return

    writer = threading.Thread(target=write)
    writer.start()
    assert begun.wait(30)
    yield
    ended.set()
    writer.join()
    service.close()


def test_a_backup_made_while_others_write_is_a_store_with_all_that_was_there(m4a: CommandLine, tmp_path: Path) -> None:
    fill(m4a)
    before = m4a.json("list")["memories"]
    copy = CommandLine(tmp_path / "copy.db")
    with writing(m4a.db):
        answer = m4a.json("backup", str(copy.db))
    assert (answer["file"], answer["bytes"]) == (str(copy.db), copy.db.stat().st_size)
    assert stat.S_IMODE(copy.db.stat().st_mode) == 0o600
    copied = copy.json("list", "--all")["memories"]
    assert [memory for memory in copied if "written meanwhile" not in memory["tags"]] == before
    assert copy.json("history", before[-1]["memory_id"]) == m4a.json("history", before[-1]["memory_id"])
    assert copy.json("doctor")["ok"]


def test_a_backup_overwrites_nothing(m4a: CommandLine, tmp_path: Path) -> None:
    fill(m4a)
    file = tmp_path / "precious"
    file.write_text("precious")
    assert m4a.problem("backup", str(file))["exit"] == 2
    assert file.read_text() == "precious"

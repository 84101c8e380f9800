"""`m4a stack`, the whole of the aws profile as one process starts it, and the command on what it serves."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from m4a.local.stack import credentials_of_the_stack
from tests.e2e.conftest import INSTALLED
from tests.e2e.programs import environment, serving

SENTENCE = "Ilse keeps the spare key under the third flowerpot"
QUESTION = "where is the key"


def test_the_stack_remembers_and_recalls_serves_other_programs_and_leaves_nothing_running(tmp_path: Path) -> None:
    variables, scratch = tmp_path / "folder" / "env.json", tmp_path / "scratch"
    scratch.mkdir()
    files = ["--env-file", variables, "--env-host", "127.0.0.1"]
    command = [INSTALLED, "stack", "--port", "0", "--heap", "384m", *files, "--json"]
    with serving(command, tmp_path, TMPDIR=str(scratch)) as server:
        told = json.loads(server.output.splitlines()[-1])
        of_the_stack = json.loads(variables.read_text())["Parameters"]
        made = server.call("remember", content=SENTENCE)
        answers = [server.call("recall", query=QUESTION), answer_of(["recall", QUESTION], of_the_stack)]
        checkup = answer_of(["doctor"], of_the_stack)
        reindexed = answer_of(["reindex"], of_the_stack)
        answers.append(server.call("recall", query=QUESTION))
        exit_code = server.stop(signal.SIGTERM)
        assert not server.leaves_processes()
    assert (told["address"], told["table"]) == (server.address, of_the_stack["M4A_TABLE"])
    for answer in answers:
        assert [memory["memory_id"] for memory in answer["memories"]] == [made["memory_id"]]
        assert "degraded" not in answer
    assert checkup["ok"], checkup
    assert reindexed == {"memories": 1}
    assert exit_code == 0
    assert "Traceback" not in server.output
    assert processes_with(scratch) == []
    assert list(scratch.iterdir()) == []


def answer_of(words: list[str], variables: dict[str, str]) -> dict[str, Any]:
    """What a command answers that works on the stack from outside."""
    command = [INSTALLED, *words, "--json"]
    given = environment(**variables, **credentials_of_the_stack())
    ended = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def processes_with(folder: Path) -> list[str]:
    """Those that were started with this folder: the search node is a process group of its own."""
    listed = subprocess.run(["ps", "-A", "-o", "args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(folder) in line]

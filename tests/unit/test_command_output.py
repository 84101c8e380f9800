"""What the command prints for people, where a user's text holds line breaks."""

from typing import Any

import pytest

from m4a.domain.errors import Conflict
from m4a.local.failures import report
from m4a.local.output import note, say, show_memories

MEMORY: dict[str, Any] = {
    "memory_id": "01A",
    "content": "Likes tea",
    "type": "fact",
    "importance": "high",
    "tags": ["drinks"],
    "source": "chat 7",
    "created_at": "2026-01-01T00:00:00.000Z",
    "version": 2,
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\u2028"])
def test_a_sentence_is_one_line_whatever_it_quotes(capsys: pytest.CaptureFixture[str], line_end: str) -> None:
    say(f"Reason: none{line_end}Forgotten 01B")
    note(f"Line 3: a{line_end}Note: b")
    report(Conflict("It has moved.", "version", {"version": 2, "content": f"a{line_end}Error: b"}), "r", as_json=False)
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 1
    assert len(printed.err.splitlines()) == 2


@pytest.mark.parametrize("change", [{"source": "chat 7\n01B  Owes money"}, {"tags": ["a", "b\n01B  Owes money"]}])
def test_what_is_known_of_a_memory_stays_on_its_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    show_memories([{**MEMORY, **change}])
    assert len(capsys.readouterr().out.splitlines()) == 4  # the head, its rule, the text, what is known of it

"""Reads LoCoMo-10 (https://github.com/snap-research/locomo): conversations, and questions that their turns answer.

The file's licence (CC BY-NC 4.0) keeps it out of this repository.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

CATEGORIES: Mapping[int, str] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
QUESTIONS = 1_982
"""Questions that name at least one turn that exists."""

_SESSION = re.compile(r"session_\d+")
_TURN_ID = re.compile(r"D:?0*(\d+):0*(\d+)")


class UnknownData(Exception):
    """The file can't be read, or is another than LoCoMo-10."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said; ``date`` is the day of the session, ISO 8601."""

    turn_id: str
    content: str
    date: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its category, and the ids of the turns that hold the evidence."""

    text: str
    category: str
    evidence: Set[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All turns of two people, and the questions about them."""

    turns: Sequence[Turn]
    questions: Sequence[Question]


def load(path: Path) -> list[Conversation]:
    """The conversations, without the questions that have no evidence. Raises UnknownData."""
    try:
        samples = json.loads(path.read_text("utf-8"))
        conversations = [_conversation(sample) for sample in samples]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UnknownData(f"{path} can't be read as locomo10.json") from error
    count = sum(len(one.questions) for one in conversations)
    if count != QUESTIONS:
        raise UnknownData(f"{path} has {count:,} questions with evidence; locomo10.json has {QUESTIONS:,}")
    return conversations


def _conversation(sample: Mapping[str, Any]) -> Conversation:
    turns = list(_turns(sample["conversation"]))
    known = {turn.turn_id for turn in turns}
    asked = (_question(row, known) for row in sample["qa"])
    return Conversation(turns, [question for question in asked if question.evidence])


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    for name, session in conversation.items():
        if _SESSION.fullmatch(name):
            moment = datetime.strptime(conversation[f"{name}_date_time"], "%I:%M %p on %d %B, %Y")
            for row in session:
                caption = f" [{row['blip_caption']}]" if row.get("blip_caption") else ""
                yield Turn(row["dia_id"], f"{row['speaker']}: {row['text']}{caption}", moment.date().isoformat())


def _question(row: Mapping[str, Any], known: Set[str]) -> Question:
    return Question(row["question"], CATEGORIES[row["category"]], _evidence(row.get("evidence") or [], known))


def _evidence(entries: Sequence[str], known: Set[str]) -> Set[str]:
    """Some entries hold several ids, a stray colon or a leading zero; ids of no turn are dropped."""
    ids = {f"D{session}:{turn}" for entry in entries for session, turn in _TURN_ID.findall(entry)}
    return ids & known

"""How well recall finds what answers a question: LoCoMo-10 through the local server.

    python -m benchmarks.retrieval path/to/locomo10.json

Each conversation belongs to an owner of its own and each turn is one memory, loaded by ``POST /import``; every question
goes to ``POST /tools/recall`` with limit 10. Turns of one conversation with the same text are one memory, which is
evidence if any of them is. Ends with status 1 if a figure is below its bar or a recall was degraded.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx
from rich.table import Table

from benchmarks.locomo import CATEGORIES, Conversation, Turn, UnknownData, load
from benchmarks.metrics import Scores, mean, score
from benchmarks.report import console, progress, write_results
from m4a.bootstrap import build_operator
from m4a.domain.memory import guard_digest
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.settings import Settings

LIMIT = 10
RECALL_BARS: Mapping[str, float] = {
    "all": 71.5,
    "multi-hop": 45,
    "temporal": 79,
    "open-domain": 40,
    "single-hop": 79,
    "adversarial": 78,
}
NDCG_BARS: Mapping[str, float] = {"all": 56.5}
NDJSON = {"content-type": "application/x-ndjson"}


@dataclass(frozen=True, slots=True)
class Answered:
    """One question's category and scores, and whether part of the search did not run."""

    category: str
    scores: Scores
    degraded: bool


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures retrieval on LoCoMo-10 through the local server.")
    parser.add_argument("data", type=Path, help="path of locomo10.json")
    try:
        conversations = load(parser.parse_args().data)
    except UnknownData as error:
        print(error, file=sys.stderr)
        return 2
    answers = measure(conversations)
    groups = {
        "all": answers,
        **{name: [one for one in answers if one.category == name] for name in CATEGORIES.values()},
    }
    figures = {name: mean([one.scores for one in group]) for name, group in groups.items()}
    degraded = sum(one.degraded for one in answers)
    missed = _show(figures, {name: len(group) for name, group in groups.items()}, degraded)
    path = write_results(
        "retrieval",
        {
            "questions": len(answers),
            "degraded": degraded,
            "figures": {name: asdict(one) for name, one in figures.items()},
        },
    )
    console.print(f"[dim]{path}[/dim]", highlight=False)
    total = figures["all"]
    print(
        f"retrieval: R@5={100 * total.recall_5:.1f} R@10={100 * total.recall_10:.1f} "
        f"nDCG@10={100 * total.ndcg_10:.1f} MRR@10={100 * total.mrr_10:.1f}"
    )
    return 1 if missed or degraded else 0


def measure(conversations: Sequence[Conversation]) -> list[Answered]:
    """Asks every question, on a fresh store."""
    answers: list[Answered] = []
    with tempfile.TemporaryDirectory(prefix="m4a-") as folder, progress() as bars:
        loading = bars.add_task("Memories loaded", total=sum(len(one.turns) for one in conversations))
        asking = bars.add_task("Questions asked", total=sum(len(one.questions) for one in conversations))
        users = {f"token-{number}": f"conversation-{number}" for number in range(len(conversations))}
        tokens = Path(folder, "tokens.json")
        tokens.write_text(json.dumps(users), encoding="utf-8")
        service = build_operator(Settings.from_env({"M4A_DB": str(Path(folder, "memories.db"))})).service
        try:
            with LocalServer(service, Tokens.load(tokens, None)) as server:
                for token, conversation in zip(users, conversations, strict=True):
                    headers = {"authorization": f"Bearer {token}"}
                    with httpx.Client(base_url=server.address, headers=headers, timeout=120) as http:
                        _load(http, conversation.turns, lambda count: bars.advance(loading, count))
                        answers += _ask(http, conversation, lambda: bars.advance(asking))
        finally:
            service.close()
    return answers


def _load(http: httpx.Client, turns: Sequence[Turn], loaded: Callable[[int], None]) -> None:
    lines = [json.dumps({"content": turn.content, "event_time": turn.date}) for turn in turns]
    while lines:
        answer = http.post("/import", content="\n".join(lines), headers=NDJSON).raise_for_status().json()
        if answer["failed"] or answer["not_embedded"]:
            raise RuntimeError("the import left memories out, or without a vector")
        done = answer["next"] - 1 if answer["next"] else len(lines)
        loaded(done)
        lines = lines[done:]


def _ask(http: httpx.Client, conversation: Conversation, asked: Callable[[], None]) -> list[Answered]:
    identity = {turn.turn_id: _identity(turn.content) for turn in conversation.turns}
    answers: list[Answered] = []
    for question in conversation.questions:
        reply = http.post("/tools/recall", json={"query": question.text, "limit": LIMIT}).raise_for_status().json()
        found = [_identity(memory["content"]) for memory in reply["memories"]]
        evidence = {identity[turn_id] for turn_id in question.evidence}
        answers.append(Answered(question.category, score(found, evidence), "degraded" in reply))
        asked()
    return answers


def _identity(content: str) -> bytes:
    """Equal for texts that the store keeps as one memory."""
    return guard_digest(content, "fact")


def _show(figures: Mapping[str, Scores], counts: Mapping[str, int], degraded: int) -> int:
    """Prints the table; answers how many bars were missed."""
    table = Table(title="LoCoMo-10, turns as memories, percent")
    for column in ("category", "asked", "R@5", "R@10", "nDCG@10", "MRR@10"):
        table.add_column(column, justify="left" if column == "category" else "right", no_wrap=True)
    missed = 0
    for name, scores in figures.items():
        barred = (_barred(scores.recall_10, RECALL_BARS.get(name)), _barred(scores.ndcg_10, NDCG_BARS.get(name)))
        missed += sum("below" in cell for cell in barred)
        unbarred = (_barred(scores.recall_5, None), _barred(scores.mrr_10, None))
        table.add_row(name, f"{counts[name]:,}", unbarred[0], *barred, unbarred[1], end_section=name == "all")
    console.print(table)
    console.print(
        f"{missed} below their bar, {degraded} recalls degraded", style="red" if missed or degraded else "green"
    )
    return missed


def _barred(figure: float, bar: float | None) -> str:
    """A figure in percent, after its bar and whether it reaches it."""
    percent = 100 * figure
    if bar is None:
        return f"{percent:.1f}"
    verdict = "[green]ok[/green]" if percent >= bar else "[red]below[/red]"
    return f"[dim]≥{bar:g}[/dim] {verdict} {percent:.1f}"


if __name__ == "__main__":
    sys.exit(main())

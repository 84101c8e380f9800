"""How long recall and remember take, beside the least that they could.

    python -m benchmarks.latency

Recall is measured in process, embedding included, at 400, 6,000 and 50,000 memories of one owner, against a floor:
embed the query, one product with all vectors in float32, take the best. Remember, at 6,000, against embedding the same
text and committing one row of the same size. Product and floor take turns on the same texts, so that a busy machine
slows both. HTTP is what the local server adds to the same recall over a connection that is kept open.

No data file is needed: sentences are made up, and vectors are drawn around 500 really embedded ones, so that 50,000
memories need no long embedding; each is committed through the store as the product does it. A missed target is shown,
and does not change the exit status: the figures depend on what else the machine does.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from rich.progress import Progress
from rich.table import Table

from benchmarks.comparing import WARM_UP, Compared, Run, compare
from benchmarks.floors import recall_floor, remember_floor
from benchmarks.report import Spread, console, progress, write_results
from benchmarks.seeding import CALLER, Seeder
from benchmarks.sentences import Sentences
from benchmarks.stages import STAGES, Stopwatch
from m4a.application.service import Service
from m4a.bootstrap import build_operator
from m4a.local.server import LocalServer
from m4a.settings import Settings
from m4a.tools import call_tool

SIZES = (400, 6_000, 50_000)
MIDDLE = 6_000
"""Where remember and HTTP are measured too."""
ROUNDS = 300
TARGETS: Mapping[str, float] = {"recall_ratio_6000": 1.5, "remember_ratio": 1.5, "http_ms": 3.0}


@dataclass(slots=True)
class Measured:
    """All samples of one run; the maps are by number of memories."""

    recall: dict[int, Compared] = field(default_factory=dict[int, Compared])
    stages: dict[int, list[Spread]] = field(default_factory=dict[int, list[Spread]])
    remember: Compared | None = None
    http: Compared | None = None

    def figures(self) -> dict[str, float]:
        """The numbers of the last line."""
        ratios = {f"recall_ratio_{size}": one.ratio for size, one in self.recall.items()}
        assert self.remember and self.http
        return {**ratios, "remember_ratio": self.remember.ratio, "http_ms": self.http.difference}


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="m4a-") as folder, progress() as bars:
        service = build_operator(Settings.from_env({"M4A_DB": str(Path(folder, "memories.db"))})).service
        try:
            measured = measure(service, Path(folder, "floor.db"), bars)
        finally:
            service.close()
    show(measured)
    figures = measured.figures()
    print("latency: " + " ".join(f"{name}={value:.2f}" for name, value in figures.items()))
    return 0


def measure(service: Service, floor_path: Path, bars: Progress) -> Measured:
    """Fills the store to one size after another and measures at each."""
    sentences = Sentences(seed=1)
    seeder = Seeder(service, sentences)
    measured = Measured()
    present = 0
    for size in SIZES:
        seeding = bars.add_task(f"Memories stored, up to {size:,}", total=size - present)
        seeder.add(size - present, lambda task=seeding: bars.advance(task))
        present = size
        floor = recall_floor(service.embedder, seeder.vectors(size))
        recalls = [sentences.question() for _ in range(WARM_UP + ROUNDS)]
        measured.recall[size] = compare(_recall(service), floor, recalls, bars, f"Recalls at {size:,}")
        measured.stages[size] = _stages(service, [sentences.question() for _ in range(ROUNDS)])
        if size == MIDDLE:
            measured.http = _http(service, [sentences.question() for _ in range(WARM_UP + ROUNDS)], bars)
            texts = [sentences.statement(topic) for topic in range(WARM_UP + ROUNDS)]
            least = remember_floor(service.embedder, floor_path)
            measured.remember = compare(_remember(service), least, texts, bars, f"Remembers at {size:,}")
            present += len(texts)
    return measured


def _recall(service: Service) -> Run:
    return lambda query: _whole(call_tool(service, CALLER, "recall", {"query": query}))


def _remember(service: Service) -> Run:
    return lambda text: _whole(call_tool(service, CALLER, "remember", {"content": text}))


def _whole(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer, if all of the work was done: what was left out would make it look fast."""
    if "degraded" in answer or not answer.get("created", True):
        raise RuntimeError("an operation did less than it should have")
    return answer


def _stages(service: Service, queries: Sequence[str]) -> list[Spread]:
    watch, recall = Stopwatch(), _recall(service)
    with watch.watching(service):
        rounds = [watch.stages(lambda query=query: recall(query)) for query in queries]
    return [Spread.of(column) for column in zip(*rounds, strict=True)]


def _http(service: Service, queries: Sequence[str], bars: Progress) -> Compared:
    with LocalServer(service, user=CALLER.owner.user) as server:
        connection = HTTPConnection(server.address.removeprefix("http://"))

        def over_http(query: str) -> object:
            body = json.dumps({"query": query})
            connection.request("POST", "/tools/recall", body, {"content-type": "application/json"})
            return _whole(json.loads(connection.getresponse().read()))

        try:
            return compare(over_http, _recall(service), queries, bars, f"Recalls over HTTP at {MIDDLE:,}")
        finally:
            connection.close()


def show(measured: Measured) -> None:
    """Prints the tables and writes the results."""
    figures = measured.figures()
    rows = {f"recall_ratio_{size}": (f"recall, {size:,} memories", one) for size, one in measured.recall.items()}
    assert measured.remember and measured.http
    rows["remember_ratio"] = (f"remember, {MIDDLE:,} memories", measured.remember)
    rows["http_ms"] = (f"recall over HTTP beside in process, {MIDDLE:,}", measured.http)
    table = Table(title="Milliseconds: median (quartiles)")
    for column in ("", "product", "beside", "figure", "target"):
        table.add_column(column, justify="left" if not column else "right")
    for name, (title, one) in rows.items():
        sides = (str(Spread.of(one.product)), str(Spread.of(one.other)))
        table.add_row(title, *sides, f"{figures[name]:.2f}", _verdict(figures[name], TARGETS.get(name)))
    console.print(table, _stage_table(measured))
    samples = {
        name: {"product": asdict(Spread.of(one.product)), "beside": asdict(Spread.of(one.other))}
        for name, (_, one) in rows.items()
    }
    stages = {
        size: {name: asdict(one) for name, one in zip(STAGES, spreads, strict=True)}
        for size, spreads in measured.stages.items()
    }
    path = write_results("latency", {"rounds": ROUNDS, "figures": figures, "samples_ms": samples, "stages_ms": stages})
    console.print(f"[dim]{path}[/dim]", highlight=False)


def _stage_table(measured: Measured) -> Table:
    table = Table(title="Where the time of a recall goes: median (quartiles), ms")
    table.add_column("stage")
    for size in measured.stages:
        table.add_column(f"{size:,} memories", justify="right")
    for name, spreads in zip(STAGES, zip(*measured.stages.values(), strict=True), strict=True):
        table.add_row(name, *map(str, spreads))
    return table


def _verdict(figure: float, target: float | None) -> str:
    if target is None:
        return ""
    return f"[green]ok[/green] ≤ {target:g}" if figure <= target else f"[red]above[/red] {target:g}"


if __name__ == "__main__":
    sys.exit(main())

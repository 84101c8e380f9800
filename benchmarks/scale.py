"""How a recall's time grows with the search index, beside an index of the first size in the same run.

    python -m benchmarks.scale [10000,100000] [--heap 2g] [--largest 1000000] [--big-owner 100000]

A real OpenSearch node holds two indexes at once: one of the first size, and one that grows to the others in turn. Both
hold the same owner of 1,000 memories among owners of 1,000, and the same questions go to both in turns, so that a busy
machine slows both. A search is the index alone; a recall is the whole use case, with the embedding model and a SQLite
store of that owner. Then an index that belongs to one big owner alone. Entries are made up, and their vectors are drawn
around really embedded sentences. Linux only: the node's memory is read from /proc.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.filling import Size
from benchmarks.report import Spread, console, progress, write_results
from benchmarks.trial import Measured, Trial
from m4a.bootstrap import build_operator
from m4a.local.opensearch_node import OpenSearchNode
from m4a.settings import Settings

SIZES = "10000,100000"
BIG_OWNER = 100_000
TARGET = 1.5


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure: entries of the first index, those of the one that grows, and of the big owner (0: none)."""

    first: int
    others: Sequence[int]
    big_owner: int
    heap: str


def main() -> int:
    plan = read_plan()
    with (
        tempfile.TemporaryDirectory(prefix="m4a-") as folder,
        OpenSearchNode(Path(folder, "node"), plan.heap) as node,
        progress() as bars,
    ):
        service = build_operator(Settings.from_env({"M4A_DB": str(Path(folder, "memories.db"))})).service
        try:
            trial = Trial(service, node.address(), bars)
            first = trial.fill_first(plan.first)
            rows = [*trial.grow(plan.others), *([trial.big_owner(plan.big_owner)] if plan.big_owner else [])]
        finally:
            service.close()
    show(plan, *first, rows)
    ratios = {one: f"{row.recall.ratio:.2f}" for one, row in zip(plan.others, rows, strict=False)}
    figures = {f"recall_ratio_{one}": ratio for one, ratio in ratios.items() if one == 100_000}
    figures |= {"recall_ratio_largest": ratios[plan.others[-1]], "largest": str(plan.others[-1])}
    print("scale: " + " ".join(f"{name}={value}" for name, value in figures.items()))
    return 0


def read_plan() -> Plan:
    parser = argparse.ArgumentParser(description="Measures how a recall's time grows with the search index.")
    parser.add_argument("sizes", nargs="?", default=SIZES, help=f"entries, separated by commas; by default {SIZES}")
    parser.add_argument("--heap", default="2g", help="the node's heap, as Java spells it")
    parser.add_argument("--largest", type=int, help="one more size")
    parser.add_argument("--big-owner", type=int, default=BIG_OWNER, help="entries of the big owner; 0: leave it out")
    options = parser.parse_args()
    asked: list[int] = [int(size) for size in options.sizes.split(",")] + ([options.largest] if options.largest else [])
    first, *others = sorted(set(asked))
    if not others:
        parser.error("at least two sizes are needed")
    return Plan(first, others, options.big_owner, options.heap)


def show(plan: Plan, size: Size, rate: float, rows: Sequence[Measured]) -> None:
    """Prints the tables and writes the results."""
    times = Table(title=f"Milliseconds: median (quartiles), beside {plan.first:,} entries of many owners, in turns")
    times.add_column("", no_wrap=True)
    for column in ("", "beside", "ratio"):
        times.add_column(column, justify="right")
    for row in rows:
        for name, one in (("search", row.search), ("recall", row.recall)):
            sides = (str(Spread.of(one.product)), str(Spread.of(one.other)))
            times.add_row(f"{name}, {row.title}", *sides, f"{one.ratio:.2f}")
    taken = Table(title=f"What it takes up, with a heap of {plan.heap}")
    taken.add_column("", no_wrap=True)
    for column in ("entries/s", "segments", "disk MB", "memory MB", "heap MB"):
        taken.add_column(column, justify="right")
    built = [(f"{plan.first:,} of many owners", size, rate), *((row.title, row.size, row.rate) for row in rows)]
    for title, one, speed in built:
        numbers = (speed, one.segments, one.disk, one.resident, one.heap)
        taken.add_row(title, *(f"{number:,.0f}" for number in numbers))
    console.print(times, taken)
    console.print(
        f"[dim]Memory and heap are the node's, with all indexes so far. Target: a recall at most {TARGET}.[/dim]"
    )
    written = [{"title": f"{plan.first:,}", "size": asdict(size), "rate": rate}, *map(_figures, rows)]
    console.print(f"[dim]{write_results('scale', {'heap': plan.heap, 'rows': written})}[/dim]", highlight=False)


def _figures(row: Measured) -> dict[str, Any]:
    times = {
        name: {"ms": asdict(Spread.of(one.product)), "beside_ms": asdict(Spread.of(one.other)), "ratio": one.ratio}
        for name, one in (("search", row.search), ("recall", row.recall))
    }
    return {"title": row.title, "size": asdict(row.size), "rate": row.rate, **times}


if __name__ == "__main__":
    sys.exit(main())

"""Users at work on the aws profile while its indexer is disturbed: does every answer fit those before it?

    python -m benchmarks.read_your_writes [--operations 100000] [--workers 2] [--seed 0]

Starts one OpenSearch node and, for each worker, a DynamoDB stand-in; runs many short histories on them, each with a
table and an index of its own, and judges each by ``tests.consistency.checker``. The exit status is 1 if anything was
found.
"""

import argparse
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.report import console, progress, write_results
from m4a.local.opensearch_node import OpenSearchNode
from tests.consistency.bench import place
from tests.consistency.checker import check
from tests.consistency.running import run_history

HISTORY = 260
"""Operations of one history."""
BATCH = 4
"""Histories for which a worker starts a DynamoDB stand-in."""


@dataclass(slots=True)
class Tally:
    """What histories came to. ``found``: a sentence for each anomaly."""

    operations: int = 0
    unanswered: int = 0
    found: list[str] = field(default_factory=list[str])
    tools: Counter[str] = field(default_factory=Counter[str])
    degraded: Counter[str] = field(default_factory=Counter[str])
    disturbances: Counter[str] = field(default_factory=Counter[str])
    proposed: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: "Tally") -> None:
        self.operations += other.operations
        self.unanswered += other.unanswered
        self.found += other.found
        for name in ("tools", "degraded", "disturbances", "proposed"):
            getattr(self, name).update(getattr(other, name))

    def figures(self) -> dict[str, Any]:
        return {
            "operations": self.operations,
            "anomalies": len(self.found),
            "unanswered": self.unanswered,
            "tools": dict(self.tools),
            "degraded": dict(self.degraded),
            "disturbances": dict(self.disturbances),
            "proposed": dict(self.proposed),
        }


def run_batch(search: str, seeds: Sequence[int]) -> Tally:
    """Histories one after the other, on the OpenSearch node at this address."""
    logging.getLogger("m4a").setLevel(logging.ERROR)  # an indexer that is killed has failures to tell of
    tally = Tally()
    with place(search) as at:
        for seed in seeds:
            run = run_history(at, seed, HISTORY)
            verdict = check(run.history)
            found = [f"seed {seed}: {one.kind} in the answer of {one.operation.tool}" for one in verdict.anomalies]
            tools = Counter(one.tool for one in run.history)
            degraded, proposed = Counter(verdict.degraded), Counter(run.proposed)
            tally.add(Tally(verdict.operations, verdict.unanswered, found, tools, degraded, run.disturbances, proposed))
    return tally


def run_all(search: str, first_seed: int, operations: int, workers: int) -> Tally:
    """As many histories as ``operations`` take, on several processes."""
    total = Tally()
    histories = -(-operations // HISTORY)
    seeds = range(first_seed, first_seed + histories)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool, progress() as bar:
        task = bar.add_task("operations", total=histories * HISTORY)
        batches = [pool.submit(run_batch, search, seeds[start : start + BATCH]) for start in range(0, histories, BATCH)]
        try:
            for done in as_completed(batches):
                total.add(done.result())
                bar.update(task, completed=total.operations)
        finally:
            pool.shutdown(cancel_futures=True)
    return total


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Check read-your-writes under load.")
    parser.add_argument("--operations", type=int, default=100_000, help="at least so many (default 100000)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=0, help="of the first history (default 0)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, OpenSearchNode(Path(folder)) as node:
        total = run_all(node.address(), arguments.seed, arguments.operations, arguments.workers)
    for sentence in total.found:
        console.print(sentence, highlight=False)
    table = Table("what", "how often")
    for name in ("tools", "disturbances", "proposed", "degraded"):
        for row, times in sorted(getattr(total, name).items()):
            table.add_row(f"{name}: {row}", f"{times:,}")
    console.print(table)
    write_results("read_your_writes", total.figures())
    console.print(f"consistency: operations={total.operations} anomalies={len(total.found)}", highlight=False)
    return 1 if total.found else 0


if __name__ == "__main__":
    sys.exit(main())

"""What one recall and one remember cost on AWS: requests and units, and their price.

    python -m benchmarks.cost

Runs on the local stack, whose DynamoDB stand-in reports constants: so units are computed from the sizes of the items by
DynamoDB's rules. One owner has memories of ordinary length, all of them in the search index. A remember is counted with
what the indexer does for it afterwards; on AWS several may share a batch of the indexer, which costs less. Prices are
those of ``prices.json``, which says when they were noted and whether they were confirmed. Not counted, because they
are paid by the hour or depend on what else happens: OpenSearch, Lambda, API Gateway, the stream, storage and backups.

Ends with status 1 if a recall at limit 5 with an empty outbox reads more than 110 units.
"""

import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress
from rich.table import Table

from benchmarks.counted import Meter, Used, counted
from benchmarks.report import console, progress, write_results
from benchmarks.seeding import CALLER, Seeder
from benchmarks.sentences import Sentences
from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.indexing import Indexing, index_changes
from m4a.application.service import Service
from m4a.local.stack import Stack, running_stack
from m4a.ports.indexing import MemoryRef, OutboxRef
from m4a.tools import call_tool

PRICES = Path(__file__).with_name("prices.json")
MEMORIES = 400
ROUNDS = 50
LIMIT = 5
TASKS = {"Memories stored": MEMORIES, "Recalls and remembers counted": ROUNDS}
MOST_READ_UNITS = 110
"""Of a recall at ``LIMIT`` with an empty outbox."""


@dataclass(frozen=True, slots=True)
class Operations:
    """The mean of each, and the read units of the recall that read most."""

    recall: Used
    remember: Used
    indexing: Used
    most_read_units: float


def main() -> int:
    with (
        tempfile.TemporaryDirectory(prefix="m4a-") as home,
        progress() as bars,
        running_stack(Path(home), OnnxEmbedder.load(), bars.console.print) as stack,
    ):
        operations = measure(stack, bars)
    prices: Mapping[str, Any] = json.loads(PRICES.read_text("utf-8"))
    show(operations, prices)
    told = operations.remember + operations.indexing
    print(f"cost: recall_read_units={operations.recall.read_units:.1f} remember_write_units={told.write_units:.1f}")
    return 0 if operations.most_read_units <= MOST_READ_UNITS else 1


def measure(stack: Stack, bars: Progress) -> Operations:
    """Fills the stack, then runs ``ROUNDS`` remembers and recalls."""
    sentences = Sentences(seed=1)
    stored, counted_ = (bars.add_task(title, total=total) for title, total in TASKS.items())
    Seeder(stack.operator.service, sentences).add(MEMORIES, lambda: bars.advance(stored))
    _wait_until_indexed(stack.operator.service)
    stack.poller.pause()
    rounds: list[tuple[Used, Used, Used]] = []
    with counted(stack) as (operator, indexing, meter):
        for number in range(ROUNDS):
            rounds.append(_round(operator.service, indexing, meter, sentences, number))
            bars.advance(counted_)
    recalls, remembers, indexings = zip(*rounds, strict=True)
    most = max(one.read_units for one in recalls)
    return Operations(mean(recalls), mean(remembers), mean(indexings), most)


def _round(
    service: Service, indexing: Indexing, meter: Meter, sentences: Sentences, number: int
) -> tuple[Used, Used, Used]:
    """One recall with an empty outbox, one remember, and the indexer's work for it."""
    meter.read()
    _whole(call_tool(service, CALLER, "recall", {"query": sentences.question(), "limit": LIMIT}))
    recall = meter.read()
    _whole(call_tool(service, CALLER, "remember", {"content": sentences.statement(number)}))
    remember = meter.read()
    pending = service.outbox.pending(CALLER.owner, MEMORIES)
    meter.read()  # a stream record names its change, so the indexer does not ask for it
    refs = [OutboxRef(MemoryRef(CALLER.owner.key, one.memory_id), one.change_id, one.rev) for one in pending]
    if len(index_changes(indexing.truth, indexing.writer, refs).settled) != 1:
        raise RuntimeError("the indexer did not settle the one change")
    return recall, remember, meter.read()


def mean(used: Sequence[Used]) -> Used:
    return sum(used[1:], used[0]).over(len(used))


def _whole(answer: Mapping[str, Any]) -> None:
    """All of the work has to be done: what was left out would make it look cheap."""
    if "degraded" in answer or not answer.get("created", True):
        raise RuntimeError("an operation did less than it should have")


def _wait_until_indexed(service: Service) -> None:
    while service.outbox.pending(CALLER.owner, 1):
        time.sleep(0.2)


def show(operations: Operations, prices: Mapping[str, Any]) -> None:
    """Prints the table and writes the results."""
    told = operations.remember + operations.indexing
    rows = {
        f"recall, limit {LIMIT}": operations.recall,
        "remember": operations.remember,
        "its indexing": operations.indexing,
        "remember, all told": told,
    }
    table = Table(title=f"The mean of {ROUNDS}, with {MEMORIES} memories")
    table.add_column("", no_wrap=True)
    for column in ("read", "write", "table", "index", "model", "tokens", "$/million"):
        table.add_column(column, justify="right")
    for name, used in rows.items():
        counts = (used.read_units, used.write_units, used.requests, used.searches, used.calls, used.tokens)
        table.add_row(name, *(f"{count:.1f}" for count in counts), f"{price(used, prices):.2f}")
    console.print(table)
    state = "confirmed" if prices["confirmed"] else "not confirmed"
    about = f"Prices of {prices['region']} as noted on {prices['noted']}, {state}: what DynamoDB and Bedrock charge."
    console.print("[dim]read, write: DynamoDB's units. table, index, model: requests. Tokens are estimated.[/dim]")
    console.print(f"[dim]{about}[/dim]")
    verdict = "ok" if operations.most_read_units <= MOST_READ_UNITS else "above"
    console.print(f"The recall that read most: {operations.most_read_units:g} units, {verdict} ≤ {MOST_READ_UNITS}.")
    figures = {name: {**asdict(used), "usd_per_million": price(used, prices)} for name, used in rows.items()}
    path = write_results("cost", {"prices": prices, "most_read_units": operations.most_read_units, **figures})
    console.print(f"[dim]{path}[/dim]", highlight=False)


def price(used: Used, prices: Mapping[str, Any]) -> float:
    """Of a million such operations."""
    return sum(getattr(used, name) * per_million for name, per_million in prices["per_million"].items())


if __name__ == "__main__":
    sys.exit(main())

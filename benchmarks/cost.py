"""What a call of each tool uses on AWS: requests and units; and, from that and the prices, ``docs/cost.md``.

    make cost

Runs on the local stack, whose DynamoDB stand-in reports constants: so units are computed from the sizes of the items by
DynamoDB's rules. One owner has memories of ordinary length, all of them in the search index. A write is counted with
what the indexer does for it afterwards; on AWS several may share a batch of the indexer, which costs less. What was
counted goes to ``counted.json``; ``benchmarks.cost_page`` makes the page of it.

Ends with status 1 if a recall at limit 5 with an empty outbox reads more than 110 units.
"""

import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.progress import Progress
from rich.table import Table

import m4a
from benchmarks import cost_page
from benchmarks.counted import Meter, Used, counted, item_sizes
from benchmarks.pricing import Prices, per_million
from benchmarks.report import console, progress
from benchmarks.seeding import CALLER, Seeder
from benchmarks.sentences import Sentences
from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.indexing import Indexing, index_changes
from m4a.application.service import Service
from m4a.local.stack import Stack, running_stack
from m4a.ports.indexing import MemoryRef, OutboxRef
from m4a.tools import call_tool

MEMORIES = 400
ROUNDS = 50
LIMIT = 5
TASKS = {"Memories stored": MEMORIES, "Rounds of all four tools counted": ROUNDS}
MOST_READ_UNITS = 110
"""Of a recall at ``LIMIT`` with an empty outbox."""


@dataclass(slots=True)
class Counted:
    """What each call used, tool by tool, and the sizes of the items that are there in the end, kind by kind."""

    used: dict[str, list[Used]] = field(default_factory=lambda: defaultdict[str, list[Used]](list))
    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict[str, list[int]])

    @property
    def most_read_units(self) -> float:
        """Of the recall that read most."""
        return max(one.read_units for one in self.used["recall"])


def main() -> int:
    with (
        tempfile.TemporaryDirectory(prefix="m4a-") as home,
        progress() as bars,
        running_stack(Path(home), OnnxEmbedder.load(), bars.console.print) as stack,
    ):
        found = measure(stack, bars)
    written = document(found)
    cost_page.COUNTED.write_text(json.dumps(written, indent=2) + "\n", "utf-8")
    cost_page.main([])
    show(written)
    recall, remember = (written["operations"][tool] for tool in ("recall", "remember"))
    print(f"cost: recall_read_units={recall['read_units']:.1f} remember_write_units={remember['write_units']:.1f}")
    return 0 if found.most_read_units <= MOST_READ_UNITS else 1


def measure(stack: Stack, bars: Progress) -> Counted:
    """Fills the stack, then runs ``ROUNDS`` of all four tools."""
    sentences = Sentences(seed=1)
    stored, rounds = (bars.add_task(title, total=total) for title, total in TASKS.items())
    Seeder(stack.operator.service, sentences).add(MEMORIES, lambda: bars.advance(stored))
    _wait_until_indexed(stack.operator.service)
    stack.poller.pause()
    found = Counted()
    with counted(stack) as (operator, indexing, meter):
        for number in range(ROUNDS):
            _round(_Counter(operator.service, indexing, meter, found), sentences, number)
            bars.advance(rounds)
    found.sizes = item_sizes(stack.settings)
    return found


@dataclass(frozen=True, slots=True)
class _Counter:
    """Calls tools and counts what they use."""

    service: Service
    indexing: Indexing
    meter: Meter
    found: Counted

    def read(self, tool: str, **arguments: Any) -> None:
        """Calls a tool that writes no memory."""
        self.meter.read()
        _whole(call_tool(self.service, CALLER, tool, arguments))
        self.found.used[tool].append(self.meter.read())

    def write(self, tool: str, **arguments: Any) -> str:
        """Calls a tool that writes one memory, whose id it answers, and does the indexer's work for it."""
        self.meter.read()
        answer = call_tool(self.service, CALLER, tool, arguments)
        _whole(answer)
        called = self.meter.read()
        pending = self.service.outbox.pending(CALLER.owner, MEMORIES)
        self.meter.read()  # a stream record names its change, so the indexer does not ask for it
        refs = [OutboxRef(MemoryRef(CALLER.owner.key, one.memory_id), one.change_id, one.rev) for one in pending]
        if len(index_changes(self.indexing.truth, self.indexing.writer, refs).settled) != 1:
            raise RuntimeError("the indexer did not settle the one change")
        self.found.used[tool].append(called + self.meter.read())
        return answer["memory_id"]


def _round(counter: _Counter, sentences: Sentences, number: int) -> None:
    """Each tool once; the memories that are there stay as many."""
    counter.read("recall", query=sentences.question(), limit=LIMIT)
    made = counter.write("remember", content=sentences.statement(number))
    counter.write("update_memory", memory_id=made, content=sentences.statement(number + ROUNDS))
    counter.write("forget", memory_id=made, reason="no longer needed")


def document(found: Counted) -> dict[str, Any]:
    """What is kept of it: means."""
    return {
        "counted_on": datetime.now(UTC).date().isoformat(),
        "version": m4a.__version__,
        "memories": MEMORIES,
        "rounds": ROUNDS,
        "most_read_units": found.most_read_units,
        "operations": {
            tool: {name: round(value, 2) for name, value in asdict(mean(used)).items()}
            for tool, used in found.used.items()
        },
        "item_bytes": {kind: round(fmean(sizes)) for kind, sizes in sorted(found.sizes.items())},
    }


def mean(used: Sequence[Used]) -> Used:
    return sum(used[1:], used[0]).over(len(used))


def _whole(answer: Mapping[str, Any]) -> None:
    """All of the work has to be done: what was left out would make it look cheap."""
    if "degraded" in answer or not answer.get("created", True):
        raise RuntimeError("an operation did less than it should have")


def _wait_until_indexed(service: Service) -> None:
    while service.outbox.pending(CALLER.owner, 1):
        time.sleep(0.2)


def show(written: Mapping[str, Any]) -> None:
    """Prints the table."""
    prices = Prices(json.loads(cost_page.PRICES.read_text("utf-8")))
    table = Table(title=f"The mean of {ROUNDS}, with {MEMORIES} memories; writes with their indexing")
    table.add_column("", no_wrap=True)
    for column in ("read", "write", "table", "index", "model", "tokens", "$/million"):
        table.add_column(column, justify="right")
    for tool, used in written["operations"].items():
        counts = [f"{count:.1f}" for count in used.values()]
        table.add_row(tool, *counts, f"{sum(per_million(tool, used, prices).values()):.2f}")
    console.print(table)
    console.print("[dim]read, write: DynamoDB's units. table, index, model: requests. Tokens are estimated.[/dim]")
    verdict = "ok" if written["most_read_units"] <= MOST_READ_UNITS else "above"
    console.print(f"The recall that read most: {written['most_read_units']:g} units, {verdict} ≤ {MOST_READ_UNITS}.")
    console.print(f"[dim]{cost_page.TARGET}[/dim]", highlight=False)


if __name__ == "__main__":
    sys.exit(main())

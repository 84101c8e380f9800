"""Writes ``docs/cost.md`` from what was counted (``counted.json``) and the prices (``prices.json``).

    python -m benchmarks.cost_page           writes it
    python -m benchmarks.cost_page --check   fails if it is not what would be written

``make cost`` counts anew first, which takes about a minute.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.markdown import table, usd
from benchmarks.price_notes import assumed, sources
from benchmarks.pricing import (
    CHARACTERS_A_TOKEN,
    MILLION,
    SIZES,
    Prices,
    domain,
    each_month,
    per_million,
    serverless,
    stored_month,
    vector_bytes,
)

HERE = Path(__file__).parent
PRICES, COUNTED = HERE / "prices.json", HERE / "counted.json"
TARGET = HERE.parent / "docs" / "cost.md"
TOOLS = ("recall", "remember", "update_memory", "forget")
_OF_A_MEMORY = ("memory", "guard", "audit event")
_OF_A_RECALL = ("trace", "query of a trace", "audit event")


def main(arguments: Sequence[str]) -> int:
    """Runs one of the commands above and returns the exit code."""
    text = page(json.loads(COUNTED.read_text("utf-8")), Prices(json.loads(PRICES.read_text("utf-8"))))
    if "--check" not in arguments:
        TARGET.write_text(text, "utf-8")
    elif not TARGET.exists() or TARGET.read_text("utf-8") != text:
        print(f"{TARGET.name} is not what counted.json and prices.json say: run make cost.", file=sys.stderr)
        return 1
    return 0


def page(counted: Mapping[str, Any], prices: Prices) -> str:
    """The page, in Markdown."""
    parts = (
        _head(prices),
        _calls(counted, prices),
        _months(counted, prices),
        _search(prices),
        _agentcore(counted, prices),
        assumed(counted, prices),
        sources(prices),
    )
    return "\n".join(parts)


def _head(prices: Prices) -> str:
    noted, region = prices.document["noted"], prices.document["region"]
    return f"""\
# What it costs on AWS

<!-- Written by `make cost` from benchmarks/counted.json and benchmarks/prices.json: change it there. -->

Dollars before tax, of {region}, by prices noted on {noted}. Units of DynamoDB and tokens are **counted** on the local
stack; durations, log sizes and the instances of a domain are **assumed**, and named below. Nothing was read off a bill,
and no price off AWS's own pages: each is quoted by others, with its date, at the end. Check them before you rely on
them. Free tiers are left out.
"""


def _calls(counted: Mapping[str, Any], prices: Prices) -> str:
    costs = {tool: per_million(tool, counted["operations"][tool], prices) for tool in TOOLS}
    rows = [[part, *(usd(costs[tool][part]) for tool in TOOLS)] for part in costs["recall"]]
    rows.append(["**Together**", *(f"**{usd(sum(costs[tool].values()))}**" for tool in TOOLS)])
    units = [[tool, *_units(counted["operations"][tool])] for tool in TOOLS]
    return f"""\
## A million calls

{table(["", *(f"`{tool}`" for tool in TOOLS)], rows)}
Writes are counted with their indexing, each alone in its batch, which is the dearest case: the indexer then waits up to
a second for the search index to refresh. Under load a batch takes up to 100 changes, and its part of `Lambda time`
shrinks accordingly. The stream costs nothing: Lambda's reads of it are free, and the filter starts no function but for
new outbox entries.

What one call uses, on average over {counted["rounds"]} calls with {counted["memories"]} memories of one owner:

{table(["", "read units", "write units", "requests to the table", "to the index", "to the model", "tokens"], units)}
A `recall` at limit 5 with an empty outbox read at most {counted["most_read_units"]:g} units.
"""


def _units(used: Mapping[str, float]) -> list[str]:
    names = ("read_units", "write_units", "requests", "searches", "calls", "tokens")
    return [f"{used[name]:.1f}" for name in names]


def _months(counted: Mapping[str, Any], prices: Prices) -> str:
    items: Mapping[str, float] = counted["item_bytes"]
    rows = [[what, usd(paid)] for what, paid in each_month(prices).items()]
    memory, recall = ({name: items[name] for name in names} for names in (_OF_A_MEMORY, _OF_A_RECALL))
    rows.append(["A million memories in the table, with PITR", usd(stored_month(memory, prices))])
    rows.append(["The records of a million recalls, with PITR", usd(stored_month(recall, prices))])
    sizes = ", ".join(f"{name} {size:,.0f}" for name, size in items.items())
    characters = counted["operations"]["remember"]["tokens"] * CHARACTERS_A_TOKEN
    return f"""\
## A month, besides calls and search

{table(["", "a month"], rows)}
Bytes of an item, on average: {sizes}.

The memories are statements of about {characters:.0f} characters. Where an item is larger than 4 KB, a recall reads one
unit more for each 4 KB of each candidate; each KB more costs two write units, in an update four, for its history.
Traces are kept for 30 days, their queries for 7, audit events for a year.
"""


def _search(prices: Prices) -> str:
    rows: list[list[str]] = []
    for size in SIZES:
        alone, three = domain(size, 1, prices), domain(size, 3, prices)
        ocus, paid = serverless(size, prices)
        rows.append(
            [
                f"{size:,}",
                f"{vector_bytes(size) / 1e9:.2f} GB",
                f"1 × {alone.instance}: {usd(alone.usd)}",
                f"3 × {three.instance}: {usd(three.usd)}",
                f"{ocus} OCU: {usd(paid)}",
            ]
        )
    columns = ["memories", "vectors", "domain, one instance", "domain, three zones", "Serverless NextGen"]
    return f"""\
## Search, a month

{table(columns, rows)}
One instance keeps no copies and is for trying things out; three keep every shard twice. Instances are the smallest of
the price file whose memory holds the vectors of 512 dimensions with their graph, with three tenths to spare; disks have
room for a second generation while `m4a reindex` runs. A domain is paid by the hour, used or not.

Serverless is an estimate at the price of Classic, since that of NextGen was not found. It does not scale to zero under
M4A: the sweep vouches for the index each minute, and a collection sleeps only after ten minutes without a request.
"""


def _agentcore(counted: Mapping[str, Any], prices: Prices) -> str:
    costs = {tool: sum(per_million(tool, counted["operations"][tool], prices).values()) for tool in TOOLS}
    event_gb = prices.assumed["agentcore_event_bytes"] * MILLION / 1e9
    memory = {name: counted["item_bytes"][name] for name in _OF_A_MEMORY}
    stored, three = stored_month(memory, prices), domain(MILLION, 3, prices)
    records, own = prices.usd("agentcore_records"), prices.usd("agentcore_own_records")
    rows = [
        [
            "a million writes",
            f"{usd(costs['remember'])} (`remember`)",
            f"{usd(event_gb * prices.usd('agentcore_event_gb'))} (short-term events of up to 12 KB)",
        ],
        [
            "a million searches",
            f"{usd(costs['recall'])} (`recall`)",
            f"{usd(prices.usd('agentcore_retrievals'))} (retrievals of long-term records)",
        ],
        [
            "a million memories, a month",
            f"{usd(stored)} (table) + {usd(three.usd)} (domain in three zones)",
            f"{usd(records)} (built-in strategies), {usd(own)} (own strategies)",
        ],
    ]
    return f"""\
## Beside AgentCore Memory

{table(["", "M4A", "AgentCore Memory"], rows)}
The two do not do the same. AgentCore makes long-term records out of events with a model, whose cost the price of
built-in strategies includes; in M4A the agent itself decides what to remember, and its own model pays for that. M4A's
search costs by the hour and not by the call, so the comparison turns with how much one domain is used.
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

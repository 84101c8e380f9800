"""The parts of ``docs/cost.md`` that say where its figures are from."""

from collections.abc import Mapping
from typing import Any

from benchmarks.markdown import table
from benchmarks.pricing import Prices


def assumed(counted: Mapping[str, Any], prices: Prices) -> str:
    """What nobody counted."""
    given = prices.assumed
    times = ", ".join(f"{name} {ms:,} ms" for name, ms in given["milliseconds"].items())
    logs = ", ".join(f"{name} {size:,} bytes" for name, size in given["log_bytes"].items())
    return f"""\
## Assumed

- How long functions run, with {given["function_gb"]} GB of memory on arm64: {times}.
- Logs of a call: {logs}. Tokens: a character of English is 1 / 4.7 of one.
- {given["snapstart_functions"]} functions with a snapshot, {given["alarms"]} metrics under alarm,
  {given["index_bytes_on_disk"]:,} bytes of disk in the index for each copy of a memory.
- Counted on {counted["counted_on"]} with version {counted["version"]}.

Not in it: data transfer, custom metrics and traces, KMS keys, Cognito's monthly active users, the restore charge of
snapshots (0.14 of a thousandth of a dollar for each GB, at a cold start), Bedrock agents, the AgentCore Gateway.
"""


def sources(prices: Prices) -> str:
    """Each price with its date and source."""
    rows = [[f"{one['usd']:g}", one["per"], one["as_of"], one["source"]] for one in prices.document["prices"].values()]
    types: Mapping[str, Any] = prices.document["instances"]["types"]
    hourly = ", ".join(f"{name} {one['usd_per_hour']:g}" for name, one in types.items())
    return f"""\
## Prices and where they are from

None is confirmed by a page of AWS that was read for this purpose.

{table(["$", "for a", "as of", "from"], rows, words=True)}
Instances, an hour: {hourly}. {prices.document["instances"]["source"]}.
"""

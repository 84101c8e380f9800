"""What counted units and assumed durations cost, by the prices of ``prices.json``. Pure: no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MILLION = 1_000_000
GB = 1_000_000_000
GIB = 1 << 30
CHARACTERS_A_TOKEN = 4.7
"""Of Titan in English, by its user guide."""
HOURS = 730
"""Of a month."""
SWEEPS = HOURS * 60
SWEEP_READ_UNITS = 27.0
"""Of a sweep that finds nothing: 48 partitions of the index ``work`` at half a unit, and the state of the index."""
STORAGE_OVERHEAD = 100
"""Bytes that DynamoDB adds to each item that it stores (Developer Guide, item sizes)."""
DIMENSIONS, NEIGHBOURS = 512, 16
ROOM = 0.7
"""Of the memory that vectors may take, as much as they should."""
SIZES = (10_000, MILLION, 10 * MILLION)


@dataclass(frozen=True, slots=True)
class Prices:
    """The file, with what is looked up most."""

    document: Mapping[str, Any]

    def usd(self, name: str) -> float:
        return self.document["prices"][name]["usd"]

    @property
    def assumed(self) -> Mapping[str, Any]:
        return self.document["assumed"]


def per_million(name: str, counted: Mapping[str, Any], prices: Prices) -> Mapping[str, float]:
    """Dollars for a million calls of one tool, part by part. ``counted``: what the call used, its indexing included."""
    assumed = prices.assumed
    batches = 0.0 if name == "recall" else 1 / assumed["changes_per_batch"]
    log_bytes = assumed["log_bytes"]
    logged = log_bytes["function"] + log_bytes["access"] + batches * log_bytes["indexer"]
    busy = (assumed["milliseconds"][name] + batches * assumed["milliseconds"]["indexer"]) / 1000
    return {
        "DynamoDB reads": counted["read_units"] * prices.usd("read_units"),
        "DynamoDB writes": counted["write_units"] * prices.usd("write_units"),
        "Embeddings": counted["tokens"] * prices.usd("tokens"),
        "Lambda requests": (1 + batches) * prices.usd("lambda_requests"),
        "Lambda time": busy * assumed["function_gb"] * prices.usd("lambda_gb_s"),
        "API Gateway": prices.usd("api_requests"),
        "Logs": logged * MILLION / GB * prices.usd("log_gb"),
    }


def each_month(prices: Prices) -> Mapping[str, float]:
    """Dollars a month without a single call, the search index apart."""
    assumed = prices.assumed
    sweep_gb_s = SWEEPS * assumed["milliseconds"]["sweep"] / 1000 * assumed["function_gb"]
    snapshots = assumed["snapstart_functions"] * assumed["function_gb"] * HOURS * 3600
    return {
        "Snapshots of the functions (SnapStart)": snapshots / MILLION * prices.usd("snapstart_gb_s"),
        "The sweep, each minute": (
            sweep_gb_s * prices.usd("lambda_gb_s")
            + SWEEPS * (prices.usd("lambda_requests") + SWEEP_READ_UNITS * prices.usd("read_units"))
            + SWEEPS * prices.usd("write_units")
        )
        / MILLION,
        "Alarms": assumed["alarms"] * prices.usd("alarms"),
    }


def stored_month(items: Mapping[str, float], prices: Prices) -> float:
    """Dollars a month for a million times these items (count by kind is one each), with point-in-time recovery."""
    gb = sum(size + STORAGE_OVERHEAD for size in items.values()) * MILLION / GB
    return gb * (prices.usd("table_gb") + prices.usd("recovery_gb"))


def vector_bytes(memories: int) -> float:
    """Memory for the vectors and their graph: 1.1 (4 d + 8 m) bytes each (OpenSearch documentation, HNSW)."""
    return memories * 1.1 * (4 * DIMENSIONS + 8 * NEIGHBOURS)


@dataclass(frozen=True, slots=True)
class Domain:
    """Instances that hold so many memories, and what they cost a month with their disks."""

    instance: str
    count: int
    usd: float


def domain(memories: int, count: int, prices: Prices) -> Domain:
    """The smallest instances of which ``count`` hold the memories; several keep each shard twice. T3 is for one alone.

    Vectors may take half of what the heap leaves, and the heap is half of the memory, at most 32 GiB.
    """
    copies = 1 if count == 1 else 2
    share = vector_bytes(memories) * copies / count
    disk = max(10.0, 2 * memories * prices.assumed["index_bytes_on_disk"] * copies / count / GB)
    for name, one in prices.document["instances"]["types"].items():
        heap = min(one["gib"] / 2, 32)
        fits = share <= (one["gib"] - heap) / 2 * GIB * ROOM
        if fits and (count == 1 or not name.startswith("t3")):
            usd = count * (one["usd_per_hour"] * HOURS + disk * prices.usd("disk_gb"))
            return Domain(name, count, usd)
    raise ValueError(f"no instance of the price file is large enough for {memories:,} memories")


def serverless(memories: int, prices: Prices) -> tuple[int, float]:
    """OCUs that are never idle, and dollars a month: two workers for searches, of whose 6 GiB vectors may take 4, and
    one for indexing."""
    searching = 2 * max(1, -(-int(vector_bytes(memories)) // (4 * GIB)))
    stored = memories * prices.assumed["index_bytes_on_disk"] / GB
    ocus = searching + 1
    return ocus, ocus * HOURS * prices.usd("ocu_hours") + stored * prices.usd("serverless_gb")

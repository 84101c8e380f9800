"""The rules that read-your-writes rests on, each broken by itself: under one and the same schedule the checker finds
the mutant and nothing in the product."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.application.indexing import entry_of, index_changes
from m4a.domain.memory import Filters
from m4a.domain.owner import Owner
from m4a.ports.indexing import IndexWriter, MemoryRef, OutboxRef, WriteResult
from tests.consistency.bench import Bench, Place
from tests.consistency.checker import check
from tests.consistency.history import Recorder, SteadyClock
from tests.consistency.mutants import (
    HeldUp,
    NoSecondLook,
    OutboxFirst,
    SearchFirst,
    SettlesOn409,
    refusing_the_same_rev,
)
from tests.consistency.workload import COMMON, FEW, recall

ANN = Owner("default", "ann")
PER_LEG = 50
"""Candidates that each leg proposes for a recall of a few memories."""


def changes(bench: Bench) -> list[OutboxRef]:
    """What waits to be indexed."""
    entries = bench.operator.service.outbox.pending(ANN, 1_000)
    return [OutboxRef(MemoryRef(ANN.key, one.memory_id), one.change_id, one.rev) for one in entries]


def index_all(bench: Bench) -> None:
    result = index_changes(bench.indexing.truth, bench.indexing.writer, changes(bench))
    assert not result.failed


def remember(bench: Bench, *contents: str) -> list[str]:
    answers = [bench.recorder.call("ann", "remember", content=content, type="fact") for content in contents]
    return [answer["memory_id"] for answer in answers if answer]


def found(bench: Bench) -> list[str]:
    return [one.kind for one in check(bench.recorder.operations).anomalies]


@pytest.mark.parametrize(("order", "anomalies"), [(OutboxFirst, []), (SearchFirst, ["lost_write"])])
def test_a_change_that_is_settled_during_a_recall_is_seen_if_the_outbox_is_read_first(
    quiet_bench: Bench, order: type[OutboxFirst], anomalies: Sequence[str]
) -> None:
    remember(quiet_bench, f"{COMMON} tea")
    service = quiet_bench.operator.service
    both = order(service.outbox, service.index, lambda: index_all(quiet_bench))
    reordered = Recorder(replace(service, outbox=both, index=both), quiet_bench.recorder.operations)
    recall(reordered, "ann", "tea", FEW)
    assert found(quiet_bench) == anomalies


@pytest.mark.parametrize(("settles_on_409", "anomalies"), [(False, []), (True, ["lost_write"])])
def test_a_change_that_the_index_holds_already_is_seen_if_that_alone_settles_nothing(
    quiet_bench: Bench, shared_place: Place, settles_on_409: bool, anomalies: Sequence[str]
) -> None:
    bench, indices = quiet_bench, shared_place.indices.indices
    indices.put_settings(index=f"{bench.table}-*", body={"refresh_interval": "-1"})
    remember(bench, f"{COMMON} tea")
    one_indexer = OpenSearchWriter(
        shared_place.indices, bench.table, replace(local_node(), waits_for_refresh=False)
    )  # it has written, and waits for the refresh
    assert index_changes(bench.indexing.truth, one_indexer, changes(bench)).waiting
    client = refusing_the_same_rev(shared_place.search)
    another: IndexWriter = OpenSearchWriter(client, bench.table, local_node())
    result = index_changes(bench.indexing.truth, SettlesOn409(another) if settles_on_409 else another, changes(bench))
    client.close()
    assert bool(result.settled) == settles_on_409
    recall(bench.recorder, "ann", "tea", FEW)
    assert found(bench) == anomalies


@pytest.mark.parametrize(("looks_again", "anomalies"), [(True, []), (False, ["lost_write"])])
def test_a_memory_is_found_beside_forgotten_ones_if_the_truth_is_read_again_after_each_write(
    quiet_bench: Bench, shared_place: Place, looks_again: bool, anomalies: Sequence[str]
) -> None:
    """An indexer is held up for so long that the index has forgotten what was deleted meanwhile. What it then brings
    back is never returned, but takes every place among the candidates."""
    bench = quiet_bench
    doomed = remember(bench, *[f"{COMMON} amber amber w{number}" for number in range(PER_LEG)])
    held_up = changes(bench)

    def meanwhile() -> None:
        for memory_id in doomed:
            bench.recorder.call("ann", "forget", memory_id=memory_id, reason="it is time")
        remember(bench, f"{COMMON} amber basin cedar delta ember fjord grove heron inlet jetty kelp lagoon")
        index_all(bench)
        forget_deletions(bench, shared_place)

    truth = bench.indexing.truth if looks_again else NoSecondLook(bench.indexing.truth)
    assert not index_changes(truth, HeldUp(bench.indexing.writer, meanwhile), held_up).failed
    recall(bench.recorder, "ann", "amber", FEW)
    assert found(bench) == anomalies


def forget_deletions(bench: Bench, shared_place: Place) -> None:
    """What an index does by itself some time after a deletion. Returns when it has: when a deletion that came after all
    the others stands in no older write's way any more."""
    indices = shared_place.indices.indices
    indices.put_settings(index=f"{bench.table}-*", body={"gc_deletes": "0s"})
    memory = next(iter(bench.operator.service.store.list(ANN, Filters(), SteadyClock().now(), None, 1).items))
    last = MemoryRef("nobody", memory.memory_id)
    bench.indexing.writer.write([entry_of(last, None)])
    for _ in range(200):
        indices.refresh(index=f"{bench.table}-*")
        if bench.indexing.writer.write([entry_of(last, memory)]) == [WriteResult.WRITTEN]:
            return
    raise AssertionError("the index does not forget")

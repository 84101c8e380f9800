"""Stages: each operation has its own, whatever runs beside it or is left over from one before."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from m4a.adapters import timing
from m4a.application.service import Limits
from m4a.bootstrap import build_operator
from m4a.domain.memory import Embedding
from m4a.ports import Purpose
from m4a.settings import Settings
from tests.support.hashed_words import HashedWords
from tests.telemetry.calls import CALLS
from tests.telemetry.doors import NAMESPACE, https, request
from tests.telemetry.emf import points
from tests.telemetry.lines import Lines

STAGES = {"embed", "outbox", "search", "read", "commit", "trace"}
OF_A_RECALL = {"embed", "outbox", "search", "read", "trace"}
PATIENT = Limits(query_embedding_s=30)

recall, list_memories = https("recall"), request("GET", "/memories")


class Held(HashedWords):
    """Tells when it is asked, and answers once it is let."""

    def __init__(self) -> None:
        self.asked, self.released, self.answered = Event(), Event(), Event()

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self.asked.set()
        assert self.released.wait(30)
        self.answered.set()
        return super().embed(texts, purpose)


def stages(line: Mapping[str, Any]) -> set[str]:
    return STAGES & line.keys()


def with_metrics(folder: Path, **replaced: Any) -> Any:
    settings = Settings.model_validate({"db": folder / "m4a.db", "metrics_namespace": NAMESPACE})
    return build_operator(settings, **replaced).service


def test_operations_that_run_at_once_have_their_own_stages(tmp_path: Path, lines: Lines) -> None:
    held = Held()
    service = with_metrics(tmp_path, embedder=held, limits=PATIENT)
    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(recall, service, "")
        assert held.asked.wait(30)
        list_memories(service, "")
        held.released.set()
        slow.result(30)
    assert [(line["operation"], stages(line)) for line in lines.operations] == [
        ("listMemories", {"read"}),
        ("recall", OF_A_RECALL),
    ]
    service.close()


def test_what_outlasts_its_operation_counts_for_it_and_for_no_later_one(tmp_path: Path, lines: Lines) -> None:
    held = Held()
    service = with_metrics(tmp_path, embedder=held, limits=PATIENT)
    with ThreadPoolExecutor(1) as thread:
        started = thread.submit(recall, replace(service, limits=Limits(query_embedding_s=0.5)), "")
        assert held.asked.wait(30)
        started.result(30)
    list_memories(service, "")
    held.released.set()
    assert held.answered.wait(30)
    list_memories(service, "")
    first, *later = lines.operations
    assert (stages(first), first["degraded"]) == (OF_A_RECALL, ["embedder_unavailable"])
    assert [stages(line) for line in later] == [{"read"}, {"read"}]
    service.close()


def test_a_stage_that_runs_more_than_once_adds_up() -> None:
    watch = timing.Stopwatch()
    for _ in range(2):
        span = watch.start("read")
        span.began, span.ended = 1.0, 1.25
    still = watch.start("embed")
    assert watch.milliseconds().keys() == {"read", "embed"} and still.ended is None
    assert watch.milliseconds()["read"] == 500


def test_without_a_namespace_nothing_is_timed_and_there_are_no_metrics(tmp_path: Path, lines: Lines) -> None:
    service = build_operator(Settings.model_validate({"db": tmp_path / "m4a.db"}), embedder=HashedWords()).service
    ports = (service.store, service.outbox, service.log, service.index, service.embedder)
    assert [type(one) for one in ports if type(one).__module__ == timing.__name__] == []
    for name, (send, _) in CALLS.items():
        if not name.startswith("interceptor"):
            send(service, "")
    assert len(lines.operations) == len([name for name in CALLS if not name.startswith("interceptor")])
    for line in lines.operations:
        assert (stages(line), points(line), "duration" in line) == (set(), set(), True)
    assert lines.of("degraded") == []
    service.close()


def test_with_a_namespace_every_port_is_timed(tmp_path: Path) -> None:
    service = with_metrics(tmp_path, embedder=HashedWords())
    ports = (service.store, service.outbox, service.log, service.index, service.embedder)
    assert {type(one).__module__ for one in ports} == {timing.__name__}
    service.close()

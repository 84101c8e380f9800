"""What an answer can do without waits for a busy store a short time only, however much is left."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from m4a.application.recall import Recall, recall
from m4a.application.remember import Remember, remember
from m4a.application.service import Service
from m4a.bootstrap import build_operator
from m4a.domain.memory import Filters
from m4a.domain.owner import Caller, Owner
from m4a.ports.deadline import seconds_left, time_limit
from m4a.settings import Settings
from tests.support.hashed_words import HashedWords

ANN = Caller(Owner("default", "ann"), "ann", "test", "r-1")
FUNCTION_S = 29.0


class Watched:
    """An adapter that writes down how much time it has."""

    def __init__(self, real: Any, names: Sequence[str]) -> None:
        self._real = real
        self._names = names
        self.seconds: list[float] = []

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            self.seconds.append(seconds_left())
        return getattr(self._real, name)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = build_operator(Settings.model_validate({"db": tmp_path / "m4a.db"}), embedder=HashedWords()).service
    yield made
    made.close()


def test_a_trace_is_waited_for_two_seconds(service: Service) -> None:
    log = Watched(service.log, ["append"])
    with time_limit(FUNCTION_S):
        recall(replace(service, log=log), ANN, Recall(query="tea", filters=Filters()))
    (left,) = log.seconds
    assert 1.0 < left <= service.limits.trace_s == 2.0


def test_near_neighbours_are_looked_for_as_long_as_somebody_may_wait_for_them(service: Service) -> None:
    outbox = Watched(service.outbox, ["pending"])
    with time_limit(FUNCTION_S):
        remember(replace(service, outbox=outbox), ANN, Remember(content="Ann likes tea"))
    service.pool.shutdown(wait=True)
    (left,) = outbox.seconds
    assert left <= 2 * service.limits.similar_s


def test_a_memory_is_written_in_all_the_time_there_is(service: Service) -> None:
    store = Watched(service.store, ["commit"])
    with time_limit(FUNCTION_S):
        remember(replace(service, store=store), ANN, Remember(content="Ann likes tea"))
    (left,) = store.seconds
    assert left > FUNCTION_S - 10

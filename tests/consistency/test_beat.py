"""The beat beside a reindex: afterwards the table names the generation that searches go to."""

from dataclasses import replace

from m4a.application.index_upkeep import beat, rebuild
from m4a.ports.indexing import ExpectedState, IndexState
from tests.consistency.bench import Bench


class _Late:
    """A state whose first write comes after a reindex."""

    def __init__(self, state: IndexState, bench: Bench) -> None:
        self._state = state
        self._bench = bench

    def read(self) -> ExpectedState | None:
        return self._state.read()

    def recent(self) -> ExpectedState | None:
        return self._state.recent()

    def write(self, state: ExpectedState) -> None:
        reindex(self._bench)
        self._state.write(state)


def reindex(bench: Bench) -> None:
    for _ in rebuild(bench.operator.service, bench.indexing, bench.operator.maintenance):
        pass


def generation(bench: Bench) -> int | None:
    state = bench.indexing.state.read()
    return state and state.generation


def test_a_beat_that_a_reindex_overtook_is_put_right_by_the_next(quiet_bench: Bench) -> None:
    beat(replace(quiet_bench.indexing, state=_Late(quiet_bench.indexing.state, quiet_bench)))
    assert beat(quiet_bench.indexing)
    assert generation(quiet_bench) == 2


def test_the_beat_goes_on_after_a_reindex(quiet_bench: Bench) -> None:
    reindex(quiet_bench)
    assert beat(quiet_bench.indexing)
    assert generation(quiet_bench) == 2


def test_an_index_that_is_older_than_the_table_says_gets_no_beat(quiet_bench: Bench) -> None:
    before = quiet_bench.indexing.state.read()
    assert before
    quiet_bench.indexing.state.write(ExpectedState(before.generation + 1, before.beat))
    assert not beat(quiet_bench.indexing)

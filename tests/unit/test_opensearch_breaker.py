"""When a failing backend is left alone, and for how long."""

import pytest

from m4a.adapters.opensearch.breaker import Breaker
from m4a.adapters.opensearch.client import OutOfTime
from m4a.domain.errors import Throttled, Unavailable


class Backend:
    """Counts the calls that reach it, and fails if it is told to."""

    def __init__(self) -> None:
        self.seconds = 50.0
        self.calls = 0
        self.failure: Exception | None = None
        self._breaker = Breaker(lambda: self.seconds)

    def call(self) -> None:
        with self._breaker.guard():
            self.calls += 1
            if self.failure:
                raise self.failure

    def fail(self, times: int, failure: Exception | None = None) -> None:
        self.failure = failure or Unavailable("down")
        for _ in range(times):
            with pytest.raises(type(self.failure)):
                self.call()
        self.failure = None


@pytest.fixture
def backend() -> Backend:
    return Backend()


def test_two_failures_change_nothing(backend: Backend) -> None:
    backend.fail(2)
    backend.call()
    assert backend.calls == 3


@pytest.mark.parametrize("failure", [Unavailable("down"), Throttled("overrun")])
def test_after_three_failures_no_call_gets_through_for_fifteen_seconds(backend: Backend, failure: Exception) -> None:
    backend.fail(3, failure)
    backend.seconds += 14.9
    with pytest.raises(Unavailable) as raised:
        backend.call()
    assert (backend.calls, raised.value.retry_after) == (3, 1)
    backend.seconds += 0.1
    backend.call()
    assert backend.calls == 4


def test_an_answer_ends_the_count(backend: Backend) -> None:
    backend.fail(2)
    backend.call()
    backend.fail(2)
    backend.call()
    assert backend.calls == 6


def test_a_failure_after_the_pause_begins_another(backend: Backend) -> None:
    backend.fail(3)
    backend.seconds += 15
    backend.fail(1)
    with pytest.raises(Unavailable):
        backend.call()
    assert backend.calls == 4


def test_a_call_that_ran_out_of_our_own_time_is_no_failure_of_the_backend(backend: Backend) -> None:
    backend.fail(2)
    backend.fail(5, OutOfTime("late"))
    backend.call()
    assert backend.calls == 8


def test_a_call_that_ran_out_of_our_own_time_is_no_answer_either(backend: Backend) -> None:
    backend.fail(2)
    backend.fail(1, OutOfTime("late"))
    backend.fail(1)
    with pytest.raises(Unavailable):
        backend.call()
    assert backend.calls == 4


def test_a_fault_of_ours_is_no_failure_of_the_backend(backend: Backend) -> None:
    backend.fail(5, KeyError("ours"))
    backend.call()
    assert backend.calls == 6

import math
from concurrent.futures import ThreadPoolExecutor

from m4a.ports.deadline import LimitedPool, seconds_left, share, time_limit


def test_without_a_limit_there_is_no_end() -> None:
    assert seconds_left() == math.inf
    assert (share(2.0), share()) == (2.0, math.inf)


def test_an_inner_limit_shortens_an_outer_one_and_never_lengthens_it() -> None:
    with time_limit(100):
        with time_limit(10):
            assert 0 < seconds_left() <= 10
        with time_limit(1_000):
            assert 10 < seconds_left() <= 100
    assert seconds_left() == math.inf


def test_beyond_the_limit_nothing_is_left() -> None:
    with time_limit(-1):
        assert (seconds_left(), share(2.0)) == (0.0, 0.0)


def test_what_an_answer_can_do_without_leaves_time_for_the_rest() -> None:
    with time_limit(10):
        assert share(2.0) == 2.0
        assert 0 < share(8.0) <= 5
        assert 5 < share(8.0, of=0.75) <= 7.5


def test_threads_are_under_the_limit_of_who_gives_them_work_and_of_nobody_else() -> None:
    with LimitedPool(1) as limited, ThreadPoolExecutor(1) as plain:
        with time_limit(10):
            assert limited.submit(seconds_left).result() <= 10
            assert max(limited.map(share, [20.0, 30.0])) <= 5
            assert plain.submit(seconds_left).result() == math.inf
        assert limited.submit(seconds_left).result() == math.inf

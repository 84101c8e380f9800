"""What a pass of the sweep says that it could not do."""

from dataclasses import replace

import pytest

from m4a.application.sweeping import Pass, shortfalls
from m4a.application.upkeep import Swept
from m4a.domain.errors import Unavailable

WELL = Pass(Swept(expired=3, embedded=2), settled=1, due_s=0.0, index_alive=True, oldest_s=12.0)


def test_a_pass_that_did_all_says_nothing() -> None:
    assert list(shortfalls(WELL)) == list(shortfalls(replace(WELL, index_alive=None))) == []


@pytest.mark.parametrize(
    ("done", "words"),
    [
        (replace(WELL, failure=Unavailable("The table sleeps.")), "The table sleeps."),
        (replace(WELL, swept=Swept(embedder_down=True)), "model did not answer"),
        (replace(WELL, swept=Swept(refused=7)), "refuses 7 memories"),
        (replace(WELL, swept=Swept(postponed=8)), "did not take 8 changes"),
        (replace(WELL, stuck=9), "at least 9 changes"),
        (replace(WELL, index_alive=False), "m4a doctor"),
    ],
)
def test_each_thing_that_it_left_has_its_sentence(done: Pass, words: str) -> None:
    (sentence,) = shortfalls(done)
    assert words in sentence

"""What ``SearchIndex`` promises: both legs, filters before the cut, statistics of the owner's living memories."""

from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from m4a.domain.memory import Filters
from m4a.domain.ranking import Statistics
from m4a.domain.search import compared_by_words
from m4a.domain.times import EventTime, TimeRange
from tests.contract.building import START, Scribe, embedding, replacement
from tests.contract.conftest import Backend, sqlite_backend
from tests.contract.opensearch_backend import opensearch_backend
from tests.contract.searching import NOW, by_meaning, by_words, ids, search, statistics_of

EAST, NORTH, BETWEEN = embedding([1, 0, 0]), embedding([0, 1, 0]), embedding([1, 1, 0])
TEXTS = (
    "Nadia drinks green tea in the morning.",
    "Green paint, green door, green fence.",
    "The tea from the market is too strong for Nadia, she says, and far too expensive as well.",
    "Order PN-88417-QX arrived.",
    "茶を毎朝飲みます。",
    "A plain sentence about nothing.",
)


@pytest.fixture(params=["sqlite", "opensearch"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Backend]:
    if request.param == "sqlite":
        opening = sqlite_backend(tmp_path)
    else:
        prefix, client = request.getfixturevalue("index_prefix"), request.getfixturevalue("opensearch")
        opening = opensearch_backend(tmp_path, client, prefix)
    with opening as opened:
        yield opened


def test_the_nearest_come_first(backend: Backend, ann: Scribe) -> None:
    far = ann.remember("Far.", embedding=embedding([-1, 0, 0]))
    near = ann.remember("Near.", embedding=EAST)
    middle = ann.remember("Middle.", embedding=BETWEEN)
    assert search(backend, ann, near=EAST).dense == ids([near, middle, far])


def test_the_dense_leg_orders_by_the_exact_cosine(backend: Backend, ann: Scribe) -> None:
    memories = [ann.remember(f"Number {number}.") for number in range(60)]
    near = embedding("a question")
    assert search(backend, ann, near=near, k=20).dense == ids(by_meaning(memories, near)[:20])


@pytest.mark.parametrize("words", ["green tea", "Nadia", "PN-88417-QX", "毎朝", "tea tea market plain", "unheard of"])
def test_the_lexical_leg_orders_by_the_ranking_s_own_scores(backend: Backend, ann: Scribe, words: str) -> None:
    memories = [ann.remember(text) for text in TEXTS]
    answer = search(backend, ann, words)
    assert answer.lexical == ids(by_words(memories, words))
    assert answer.statistics == statistics_of(memories, words)


def test_a_leg_without_a_query_is_empty_and_nothing_is_degraded(backend: Backend, ann: Scribe) -> None:
    ann.remember("Green tea.", embedding=EAST)
    assert search(backend, ann, near=EAST).lexical == ()
    assert search(backend, ann, "tea").dense == ()
    assert search(backend, ann, "tea").degraded == ()


def test_an_owner_without_memories_finds_nothing(backend: Backend, ann: Scribe) -> None:
    answer = search(backend, ann, "tea", EAST)
    assert (answer.dense, answer.lexical, answer.degraded) == ((), (), ())
    assert answer.statistics == statistics_of([], "tea")


def test_another_owners_memories_are_neither_found_nor_counted(backend: Backend, ann: Scribe, bob: Scribe) -> None:
    bob.remember("Bob likes tea.", embedding=EAST)
    mine = ann.remember("Ann likes tea.", embedding=BETWEEN)
    answer = search(backend, ann, "tea", EAST)
    assert answer.dense == answer.lexical == ids([mine])
    assert answer.statistics == statistics_of([mine], "tea")


def test_a_write_is_found_by_the_next_search(backend: Backend, ann: Scribe) -> None:
    first = ann.remember("The key is under the mat.", embedding=EAST)
    assert search(backend, ann, "key flowerpot", EAST).lexical == ids([first])
    second = ann.update(first, "It is in the flowerpot.", embedding=NORTH)
    other = ann.remember("The flowerpot is blue.", embedding=EAST)
    answer = search(backend, ann, "key flowerpot", NORTH)
    assert answer.lexical == ids(by_words([second, other], "key flowerpot"))
    assert answer.dense == ids([second, other])
    assert answer.statistics == statistics_of([second, other], "key flowerpot")


def test_a_forgotten_memory_is_neither_found_nor_counted(backend: Backend, ann: Scribe) -> None:
    memory, kept = ann.remember("Green tea."), ann.remember("Black tea.")
    assert len(search(backend, ann, "tea", EAST).lexical) == 2
    ann.forget(memory)
    answer = search(backend, ann, "tea green", embedding("Black tea."))
    assert answer.dense == answer.lexical == ids([kept])
    assert answer.statistics == statistics_of([kept], "tea green")


def test_an_expired_memory_takes_no_place_and_is_not_counted(backend: Backend, ann: Scribe) -> None:
    expires = START + timedelta(hours=1)
    memory, kept = ann.remember("Green tea.", expires_at=expires), ann.remember("Black tea.")
    near = embedding("Green tea.")
    alive = search(backend, ann, "tea", near, now=expires - timedelta(milliseconds=1), k=1)
    assert alive.dense == ids([memory])
    answer = search(backend, ann, "tea", near, now=expires, k=1)
    assert answer.dense == answer.lexical == ids([kept])
    assert answer.statistics == statistics_of([kept], "tea")


def test_excluded_memories_take_no_place_and_are_not_counted(backend: Backend, ann: Scribe) -> None:
    memory, kept = ann.remember("Green tea."), ann.remember("Black tea.")
    unknown = ann.memory("Never stored.")
    answer = search(backend, ann, "tea", embedding("Green tea."), k=1, exclude=[memory, unknown])
    assert answer.dense == answer.lexical == ids([kept])
    assert answer.statistics == statistics_of([kept], "tea")


@pytest.mark.parametrize(
    "filters",
    [
        Filters(type="event"),
        Filters(importance="high"),
        Filters(tags=("home", "garden")),
        Filters(time_range=TimeRange.parse("2026-05-08T10:00Z", "2026-05-08T11:00Z")),
        Filters(time_range=TimeRange.parse(None, "2026-05-08")),
        Filters(
            type="event", importance="high", tags=("home",), time_range=TimeRange.parse("2026-05-01", "2026-05-31")
        ),
    ],
    ids=["type", "importance", "tags", "within", "until", "all"],
)
def test_filters_apply_before_the_cut_and_not_to_the_statistics(
    backend: Backend, ann: Scribe, filters: Filters
) -> None:
    fields: dict[str, Any] = {"type": "event", "importance": "high", "tags": ("home", "garden")}
    chosen = ann.remember(
        "Tea with the neighbours in May, at some length, as ever.",
        **fields,
        event_time=EventTime.parse("2026-05-08"),
        embedding=BETWEEN,
    )
    others = [ann.remember(f"Tea {number}.", tags=("home",), embedding=EAST) for number in range(5)]
    answer = search(backend, ann, "tea", EAST, filters=filters, k=1)
    assert answer.dense == answer.lexical == ids([chosen])
    assert answer.statistics == statistics_of([chosen, *others], "tea")


def test_a_time_range_looks_at_the_creation_where_there_is_no_event(backend: Backend, ann: Scribe) -> None:
    first, second = ann.remember("Tea."), ann.remember("More tea.")
    since = Filters(time_range=TimeRange(second.created_at, None))
    until = Filters(time_range=TimeRange(None, first.created_at))
    assert search(backend, ann, "tea", filters=since).lexical == ids([second])
    assert search(backend, ann, "tea", filters=until).lexical == ids([first])


def test_changed_tags_are_what_the_filter_sees(backend: Backend, ann: Scribe) -> None:
    memory = ann.remember("Tea.", tags=("old",))
    assert search(backend, ann, "tea", filters=Filters(tags=("old",))).lexical == ids([memory])
    memory = ann.update(memory, tags=("new",))
    assert search(backend, ann, "tea", filters=Filters(tags=("old",))).lexical == ()
    assert search(backend, ann, "tea", filters=Filters(tags=("new",))).lexical == ids([memory])
    assert search(backend, ann, "old new").lexical == ()


def test_among_equals_the_newer_come_first(backend: Backend, ann: Scribe) -> None:
    memories = [ann.remember(f"Tea in cup {number}.", embedding=EAST) for number in range(70)]
    newest = ids(memories[:-11:-1])
    assert len(newest) == 10
    answer = search(backend, ann, "tea", EAST, k=10)
    assert answer.dense == answer.lexical == newest


def test_the_last_score_of_a_full_leg_is_told(backend: Backend, ann: Scribe) -> None:
    ann.remember("Tea.", embedding=EAST)
    ann.remember("Coffee.", embedding=BETWEEN)
    answer = search(backend, ann, "tea", EAST, k=2)
    assert answer.kth_scores == {"dense": pytest.approx(0.5**0.5, abs=1e-3)}
    assert set(search(backend, ann, "tea", EAST, k=1).kth_scores) == {"dense", "lexical"}


def test_vectors_of_another_model_or_size_are_named_not_compared(backend: Backend, ann: Scribe) -> None:
    same = ann.remember("Tea.", embedding=NORTH)
    ann.remember("Other model.", embedding=embedding([1, 0, 0], "other"))
    ann.remember("Other size.", embedding=embedding([1, 0, 0, 0]))
    answer = search(backend, ann, "tea", EAST)
    assert answer.dense == ids([same])
    assert answer.degraded == compared_by_words(without=0, others=2)
    assert [one.code for one in search(backend, ann, "tea").degraded] == []


def test_memories_without_a_vector_are_named_until_they_have_one(backend: Backend, ann: Scribe) -> None:
    waiting = ann.remember("Tea.", embedding=None)
    answer = search(backend, ann, "tea", EAST)
    assert (answer.dense, answer.lexical) == ((), ids([waiting]))
    assert answer.degraded == compared_by_words(without=1, others=0)
    ann.commit(replacement(waiting, replace(waiting, rev=2, embedding=EAST)))
    answer = search(backend, ann, "tea", EAST)
    assert (answer.dense, answer.degraded) == (ids([waiting]), ())


def test_statistics_count_every_term_that_was_asked_for(backend: Backend, ann: Scribe) -> None:
    memories = [ann.remember(text) for text in TEXTS]
    statistics = search(backend, ann, "green unheard", now=NOW).statistics
    assert statistics == Statistics(6, sum(memory.terms.length for memory in memories), {"green": 2, "unheard": 0})

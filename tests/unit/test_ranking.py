from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import isfinite, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4a.domain.memory import IMPORTANCES, Importance, Memory, Terms
from m4a.domain.ranking import MAX_PRIOR, Ranking, Statistics, term_weight
from m4a.domain.text import analyse, query_terms

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)
WORDS = ["kettle", "harbour", "violin", "pepper", "ladder", "comet", "thimble", "walnut"]
COSINES = st.none() | st.floats(-1, 1)


def make_memory(
    content: str = "", *, memory_id: str = "M0", importance: Importance = "medium", created_at: datetime = NOW
) -> Memory:
    return Memory(
        memory_id=memory_id,
        content=content,
        type="fact",
        importance=importance,
        tags=(),
        source=None,
        created_at=created_at,
        updated_at=created_at,
        event_time=None,
        expires_at=None,
        version=1,
        rev=1,
        terms=analyse(content),
        embedding=None,
    )


def statistics_of(memories: list[Memory], terms: tuple[str, ...]) -> Statistics:
    return Statistics().including(memories, terms)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    counts = draw(st.dictionaries(st.sampled_from(WORDS), st.integers(1, 5000)))
    length = sum(counts.values()) + draw(st.integers(0, 3))
    age = timedelta(days=draw(st.integers(-10, 30_000)))
    base = make_memory(importance=draw(st.sampled_from(IMPORTANCES)), created_at=NOW - age)
    return replace(base, terms=Terms(counts, length, len(counts)))


@st.composite
def rankings(draw: st.DrawFn) -> Ranking:
    number = draw(st.integers(0, 100_000))
    frequencies = draw(st.dictionaries(st.sampled_from(WORDS), st.integers(0, 200_000)))
    statistics = Statistics(number, draw(st.integers(0, 10_000_000)), frequencies)
    terms = draw(st.lists(st.sampled_from(WORDS), unique=True))
    return Ranking(terms, statistics, NOW, has_vector=draw(st.booleans()), dense_weight=draw(st.floats(0, 10)))


@given(rankings(), memories(), COSINES)
def test_every_score_is_finite_and_between_0_and_1(ranking: Ranking, memory: Memory, cosine: float | None) -> None:
    signals = ranking.score(memory, cosine)
    assert isfinite(signals.score)
    assert 0 <= signals.score <= 1


@given(rankings(), st.lists(st.tuples(memories(), COSINES), min_size=1, max_size=6), st.data())
def test_a_memory_scores_the_same_in_any_pool(
    ranking: Ranking, pool: list[tuple[Memory, float | None]], data: st.DataObject
) -> None:
    pool = [(replace(memory, memory_id=f"M{number}"), cosine) for number, (memory, cosine) in enumerate(pool)]
    part = data.draw(st.lists(st.sampled_from(pool), unique_by=lambda one: one[0].memory_id))
    whole = {one.memory.memory_id: one.signals for one in ranking.order(pool)}
    assert all(whole[one.memory.memory_id] == one.signals for one in ranking.order(part))


@given(st.integers(0, 1_000_000), st.integers(0, 1_000_000))
def test_the_weight_of_a_term_lies_above_0_and_at_most_at_1_and_falls_with_frequency(
    number: int, frequency: int
) -> None:
    weight = term_weight(number, frequency)
    assert 0 < weight <= 1
    assert term_weight(number, frequency + 1) <= weight


@pytest.mark.parametrize("number", [0, 1, 2, 60, 9_000])
def test_a_term_of_one_memory_or_of_none_weighs_1_however_many_memories_there_are(number: int) -> None:
    assert term_weight(number, 0) == term_weight(number, 1) == pytest.approx(1.0)


def test_the_score_follows_the_published_formula() -> None:
    texts = ["The blue kettle leaks, the kettle is old.", "A ladder stands at the harbour.", "Walnut cake with pepper."]
    pool = [make_memory(text, memory_id=f"M{number}", importance="high") for number, text in enumerate(texts)]
    terms = query_terms("Which kettle leaks?")
    ranking = Ranking(terms, statistics_of(pool, terms), NOW, has_vector=True, dense_weight=2.0)
    signals = ranking.score(pool[0], 0.5)
    average = (5 + 3 + 3) / 3
    saturation = 0.6 * (0.8 + 0.2 * 5 / average)
    lexical = 1.6 * 2 / (2 + saturation) + 1.6 * 1 / (1 + saturation)
    raw = lexical + 2 * 0.5 + 0.2 * log(1 + 4) + 0.06 + 0.04
    assert signals.lexical == pytest.approx(lexical)
    assert signals.score == pytest.approx(raw / (1.6 * 2 + 2 + 0.2 * log(65) + 0.1))
    assert signals.matched == terms


def test_without_a_query_vector_the_divisor_loses_the_dense_weight() -> None:
    terms = query_terms("kettle")
    words_alone = Ranking(terms, Statistics(), NOW, has_vector=False, dense_weight=2.0)
    both = Ranking(terms, Statistics(), NOW, has_vector=True, dense_weight=2.0)
    assert both.attainable - words_alone.attainable == pytest.approx(2.0)
    assert words_alone.score(make_memory("A kettle."), None).score > both.score(make_memory("A kettle."), None).score


@given(st.floats(-1, 0))
def test_a_cosine_below_0_counts_as_none(cosine: float) -> None:
    ranking = Ranking((), Statistics(), NOW, has_vector=True, dense_weight=2.0)
    assert ranking.score(make_memory("A kettle."), cosine).score == ranking.score(make_memory("A kettle."), None).score


def test_a_query_without_terms_is_decided_by_meaning() -> None:
    ranking = Ranking((), Statistics(), NOW, has_vector=True, dense_weight=2.0)
    near, far = make_memory("Near.", memory_id="A"), make_memory("Far.", memory_id="B")
    assert [one.memory for one in ranking.order([(far, 0.2), (near, 0.6)])] == [near, far]


def test_importance_and_recency_weigh_at_most_a_tenth_together() -> None:
    ranking = Ranking((), Statistics(), NOW, has_vector=False, dense_weight=2.0)
    best = ranking.score(make_memory(importance="high"), None)
    worst = ranking.score(make_memory(importance="low", created_at=NOW - timedelta(days=30_000)), None)
    assert (best.score - worst.score) * ranking.attainable == pytest.approx(MAX_PRIOR) == pytest.approx(0.1)


def test_recency_halves_in_thirty_days_and_the_future_is_not_newer_than_now() -> None:
    ranking = Ranking((), Statistics(), NOW, has_vector=False, dense_weight=2.0)
    ages = [timedelta(days=-5), timedelta(0), timedelta(days=30), timedelta(days=60)]
    found = [ranking.score(make_memory(created_at=NOW - age), None).recency for age in ages]
    assert found == pytest.approx([0.04, 0.04, 0.02, 0.01])


def test_equal_scores_put_the_newer_memory_first_then_the_smaller_id() -> None:
    old = NOW - timedelta(days=20_000)  # so old that recency rounds away
    one, other = make_memory(memory_id="A", created_at=old), make_memory(memory_id="B", created_at=old)
    newer = make_memory(memory_id="C", created_at=old + timedelta(milliseconds=1))
    ranking = Ranking((), Statistics(), NOW, has_vector=False, dense_weight=2.0)
    assert [r.memory.memory_id for r in ranking.order([(other, None), (one, None), (newer, None)])] == ["C", "A", "B"]


def test_scores_equal_to_six_decimals_count_as_equal() -> None:
    old, new = make_memory(memory_id="A", created_at=NOW - timedelta(seconds=1)), make_memory(memory_id="B")
    ranking = Ranking((), Statistics(), NOW, has_vector=True, dense_weight=2.0)
    assert [r.memory for r in ranking.order([(old, 0.5 + 2e-7), (new, 0.5)])] == [new, old]
    assert [r.memory for r in ranking.order([(old, 0.5 + 1e-4), (new, 0.5)])] == [old, new]


def test_memories_that_the_index_did_not_count_join_the_statistics() -> None:
    terms = query_terms("kettle comet")
    counted = Statistics(10, 50, {"kettl": 4})
    found = counted.including([make_memory("A kettle, one more kettle."), make_memory("The comet.")], terms)
    assert found == Statistics(12, 50 + 3 + 1, {"kettl": 5, "comet": 1})
    assert counted.frequencies == {"kettl": 4}


def test_an_owner_without_memories_has_a_usable_average_length() -> None:
    assert Statistics().average_length == 1.0

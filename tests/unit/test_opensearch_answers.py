"""What responses of a search mean: whole, partly failed, failed, unreadable."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from m4a.adapters.opensearch.answers import read
from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.queries import searches
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Embedding, Filters
from m4a.domain.ranking import Statistics
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.domain.vectors import pack
from m4a.ports.indexing import Marker

MODEL = "model-a"
NEAR = Embedding(MODEL, pack([1, 0]))
QUERY = IndexQuery(embedding=NEAR, terms=("tea", "green"), filters=Filters(), now=datetime(2026, 6, 1, tzinfo=UTC), k=2)
WORDS_ALONE = IndexQuery(embedding=None, terms=QUERY.terms, filters=QUERY.filters, now=QUERY.now, k=2)
WHOLE = {"timed_out": False, "_shards": {"total": 2, "successful": 2, "skipped": 0, "failed": 0}, "status": 200}
FAILURES: dict[str, Mapping[str, Any]] = {
    "error": {"error": {"type": "index_not_found_exception"}, "status": 404},
    "overrun": {"error": {"type": "opensearch_rejected_execution_exception"}, "status": 429},
    "timed out": {**WHOLE, "timed_out": True, "hits": {"hits": []}},
    "a shard failed": {**WHOLE, "_shards": {"total": 2, "successful": 1, "failed": 1}, "hits": {"hits": []}},
}
NO_HITS: Mapping[str, Any] = {**WHOLE, "hits": {"hits": []}}
GARBAGE: Sequence[Mapping[str, Any]] = [
    {},
    {"status": 200},
    {**WHOLE, "hits": None},
    {**WHOLE, "hits": {"hits": [{}]}},
    {**WHOLE, "hits": {"hits": [{"_id": "owner:a", "_score": None}]}},
]


def hits(*found: tuple[str, float]) -> Mapping[str, Any]:
    return {**WHOLE, "hits": {"hits": [{"_id": f"owner:{one}", "_score": score} for one, score in found]}}


def marker(model: str = MODEL) -> Mapping[str, Any]:
    fields = {
        "marker_generation": [1],
        "marker_rules": ["rules"],
        "marker_model": [model],
        "marker_complete": [True],
        "marker_beat": [4],
    }
    return {**WHOLE, "hits": {"hits": [{"_id": "marker", "_score": 1.0, "fields": fields}]}}


def statistics(embedded: int = 7, comparable: int = 7) -> Mapping[str, Any]:
    return {
        **WHOLE,
        "hits": {"total": {"value": 7, "relation": "eq"}, "hits": []},
        "aggregations": {
            "length": {"value": 31.0},
            "terms": {"buckets": {"0": {"doc_count": 3}, "1": {"doc_count": 0}}},
            "matching": {
                "doc_count": 7,
                "embedded": {"doc_count": embedded},
                "comparable": {"doc_count": comparable},
            },
        },
    }


PARTS: Mapping[str, Mapping[str, Any]] = {
    "statistics": statistics(),
    "dense": hits(("a", 1.75), ("b", 0.5)),
    "lexical": hits(("b", 3.25)),
    "marker": marker(),
}


def respond(query: IndexQuery = QUERY, **changed: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    asked = searches("index", "owner", query, local_node())
    return [{**PARTS, **changed}[search.part] for search in asked]


def answer(query: IndexQuery = QUERY, **changed: Mapping[str, Any]) -> IndexAnswer:
    return read(query, searches("index", "owner", query, local_node()), respond(query, **changed)).answer


def test_a_whole_answer_has_both_legs_the_statistics_and_the_last_cosine_of_a_full_leg() -> None:
    assert answer() == IndexAnswer(
        dense=("a", "b"),
        lexical=("b",),
        statistics=Statistics(7, 31, {"tea": 3, "green": 0}),
        kth_scores={"dense": -1.0},
    )


def test_the_marker_comes_with_the_answer() -> None:
    found = read(QUERY, searches("index", "owner", QUERY, local_node()), respond())
    assert found.marker == Marker(generation=1, rules="rules", model=MODEL, complete=True, beat=4)
    found = read(QUERY, searches("index", "owner", QUERY, local_node()), respond(marker=NO_HITS))
    assert found.marker is None


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failed_leg_is_empty_and_named_and_the_other_stays(failure: Mapping[str, Any]) -> None:
    without_dense, without_lexical = answer(dense=failure), answer(lexical=failure)
    assert (without_dense.dense, without_dense.lexical) == ((), ("b",))
    assert [one.code for one in without_dense.degraded] == ["vector_search_unavailable"]
    assert (without_lexical.dense, without_lexical.lexical) == (("a", "b"), ())
    assert [one.code for one in without_lexical.degraded] == ["word_search_unavailable"]


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_no_leg_at_all_is_an_outage(failure: Mapping[str, Any]) -> None:
    with pytest.raises(Unavailable):
        answer(dense=failure, lexical=failure)
    with pytest.raises(Unavailable):
        answer(WORDS_ALONE, lexical=failure)


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_marker_that_could_not_be_looked_up_is_an_outage(failure: Mapping[str, Any]) -> None:
    with pytest.raises(Unavailable):
        answer(marker=failure)


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_statistics_that_failed_are_none_and_named(failure: Mapping[str, Any]) -> None:
    found = answer(statistics=failure)
    assert (found.dense, found.lexical, found.statistics) == (("a", "b"), ("b",), None)
    assert [one.code for one in found.degraded] == ["word_search_unavailable"]


def test_distances_to_vectors_of_another_model_are_not_used() -> None:
    found = answer(marker=marker("model-b"), statistics=statistics(comparable=0))
    assert (found.dense, found.lexical) == ((), ("b",))
    assert [(one.code, "7" in one.message) for one in found.degraded] == [("other_model", True)]


def test_memories_that_the_vector_search_leaves_out_are_counted() -> None:
    found = answer(statistics=statistics(embedded=5, comparable=4))
    assert [(one.code, one.message.split(": ")[1][0]) for one in found.degraded] == [
        ("not_embedded", "2"),
        ("other_model", "1"),
    ]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("garbage", GARBAGE)
def test_what_can_t_be_read_is_an_outage(part: str, garbage: Mapping[str, Any]) -> None:
    with pytest.raises(Unavailable):
        answer(QUERY, **{part: garbage})


def test_fewer_responses_than_searches_are_an_outage() -> None:
    with pytest.raises(Unavailable):
        read(QUERY, searches("index", "owner", QUERY, local_node()), respond()[:-1])

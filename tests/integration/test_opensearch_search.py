"""Searching the index on a real node: what the contract of the port does not ask."""

from collections.abc import Callable
from typing import Any

import pytest
from opensearchpy import OpenSearch

from m4a.adapters.opensearch.client import connect
from m4a.adapters.opensearch.deployment import Deployment, managed_domain
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.ranking import Statistics
from m4a.domain.text import analyse
from m4a.domain.vectors import pack
from m4a.ports.indexing import ExpectedState, IndexOutdated
from tests.integration.opensearch_index import EAST, MODEL, NORTH, Cluster, ids, marker, memory


@pytest.fixture
def cluster(opensearch: OpenSearch, index_prefix: str) -> Cluster:
    return Cluster(opensearch, index_prefix).init()


@pytest.mark.parametrize("tag", ["2026-01-01", "blue", "42", "true", "1.5", "a b", "größe"])
def test_every_tag_filters_as_the_text_it_is(cluster: Cluster, tag: str) -> None:
    tagged, _ = cluster.hold(memory("Tea.", tags=("first", tag)), memory("Tea.", tags=("first", f"{tag}x")))
    assert cluster.search("tea", tags=(tag,)).lexical == ids(tagged)
    assert cluster.search("tea", tags=("first", tag)).lexical == ids(tagged)


def test_a_thousand_excluded_memories_take_no_place(cluster: Cluster) -> None:
    pending = [memory(f"Tea {number}.").memory_id for number in range(1_000)]
    hidden, kept = cluster.hold(memory("Tea tea tea."), memory("Tea in a very long sentence about many things."))
    answer = cluster.search("tea", EAST, k=1, exclude=[*pending, hidden.memory_id])
    assert answer.dense == answer.lexical == ids(kept)
    assert answer.statistics == Statistics(1, kept.terms.length, {"tea": 1})


@pytest.mark.parametrize("word", ["z" * 2_000, "PN-88417-QX", "bob@example.com", "毎朝", "o'clock"])
def test_unusual_words_are_found_and_counted_whole(cluster: Cluster, word: str) -> None:
    held, _ = cluster.hold(memory(f"Look: {word} and {word}."), memory("Nothing of the kind."))
    answer = cluster.search(word)
    assert answer.lexical == ids(held)
    assert answer.statistics is not None
    assert set((answer.statistics.frequencies or {}).values()) == {1}
    assert answer.statistics.total_length == held.terms.length + analyse("Nothing of the kind.").length


def test_every_occurrence_of_a_word_counts(cluster: Cluster) -> None:
    twice, once = cluster.hold(memory("Tea, coffee, tea."), memory("Coffee, tea, coffee."))
    assert cluster.search("tea").lexical == ids(twice, once)


def test_a_query_for_nothing_gets_the_statistics_alone(cluster: Cluster) -> None:
    (tea,) = cluster.hold(memory("Green tea."))
    answer = cluster.search()
    assert (answer.dense, answer.lexical, answer.degraded) == ((), (), ())
    assert answer.statistics == Statistics(1, tea.terms.length, {})


def test_a_query_vector_of_another_size_fails_its_leg_and_leaves_the_other(cluster: Cluster) -> None:
    (tea,) = cluster.hold(memory("Green tea."))
    answer = cluster.search("tea", Embedding(MODEL, pack([1, 0, 0, 0])))
    assert (answer.dense, answer.lexical) == ((), ids(tea))
    assert "vector_search_unavailable" in {one.code for one in answer.degraded}


def test_a_failed_leg_without_another_is_an_outage(cluster: Cluster) -> None:
    cluster.hold(memory("Green tea."))
    with pytest.raises(Unavailable):
        cluster.search("", Embedding(MODEL, pack([1, 0, 0, 0])))


def test_a_query_vector_of_another_model_is_not_compared(cluster: Cluster) -> None:
    (tea,) = cluster.hold(memory("Green tea."))
    answer = cluster.search("tea", Embedding("model-b", EAST.data))
    assert (answer.dense, answer.lexical) == ((), ids(tea))
    assert [one.code for one in answer.degraded] == ["other_model"]


def test_another_copy_can_be_asked_for(opensearch: OpenSearch, index_prefix: str) -> None:
    on_primary = managed_domain(engine="lucene", replicas=0, segment_replication=True, refresh_interval="50ms")
    cluster = Cluster(opensearch, index_prefix, deployment=on_primary).init()
    (tea,) = cluster.hold(memory("Green tea."))
    assert cluster.search("tea", EAST).dense == ids(tea)
    assert cluster.admin.marker() == marker()


def test_an_owners_documents_can_be_spread_over_shards(opensearch: OpenSearch, index_prefix: str) -> None:
    spread = Deployment(service="es", engine="lucene", routing=False, waits_for_refresh=True, tunable=True, shards=3)
    cluster = Cluster(opensearch, index_prefix, deployment=spread).init()
    memories = cluster.hold(*[memory(f"Tea {number}.", embedding=NORTH) for number in range(9)])
    answer = cluster.search("tea", NORTH)
    assert set(answer.dense) == set(answer.lexical) == set(ids(*memories))


def test_an_absent_index_is_an_outage_and_never_an_empty_answer(opensearch: OpenSearch, index_prefix: str) -> None:
    cluster = Cluster(opensearch, index_prefix)
    with pytest.raises(Unavailable) as raised:
        cluster.search("tea", EAST)
    assert not isinstance(raised.value, IndexOutdated)
    assert cluster.indices() == []


def _emptied(cluster: Cluster) -> None:
    cluster.client.indices.delete(index=cluster.names.index(1))
    cluster.admin.create_generation(1, MODEL, 3)
    cluster.admin.promote(1)


def _unknown_to_the_table(cluster: Cluster) -> None:
    cluster.expected = None


def _expecting(generation: int, beat: int) -> Callable[[Cluster], None]:
    def expect(cluster: Cluster) -> None:
        cluster.expected = ExpectedState(generation, beat)

    return expect


def _marked(**fields: Any) -> Callable[[Cluster], None]:
    def mark(cluster: Cluster) -> None:
        assert cluster.admin.set_marker(marker(**fields))

    return mark


@pytest.mark.parametrize(
    "happen",
    [
        _emptied,
        _unknown_to_the_table,
        _marked(rules="other rules"),
        _marked(complete=False),
        _expecting(generation=1, beat=2),
        _expecting(generation=2, beat=1),
    ],
    ids=["recreated empty", "unknown to the table", "other rules", "unfinished", "older beat", "older generation"],
)
def test_an_index_that_nothing_vouches_for_is_outdated(cluster: Cluster, happen: Callable[[Cluster], None]) -> None:
    cluster.hold(memory("Green tea."))
    assert cluster.search("tea").lexical != ()
    happen(cluster)
    for _ in range(4):
        with pytest.raises(IndexOutdated):
            cluster.search("tea", EAST)


def test_a_newer_generation_and_a_higher_beat_than_expected_are_taken(cluster: Cluster) -> None:
    cluster.admin.create_generation(2, MODEL, 3)
    cluster.admin.set_marker(marker(2, beat=9))
    cluster.admin.promote(2)
    (tea,) = cluster.hold(memory("Green tea."))
    assert cluster.search("tea").lexical == ids(tea)


def test_after_three_failures_the_index_is_left_alone_for_fifteen_seconds(cluster: Cluster) -> None:
    seconds = 100.0
    cluster.monotonic = lambda: seconds
    index = cluster.names.index(1)
    cluster.hold(memory("Green tea."))
    cluster.client.indices.close(index=index)
    for _ in range(3):
        with pytest.raises(Unavailable):
            cluster.search("tea")
    cluster.client.indices.open(index=index)
    cluster.client.cluster.health(index=index, params={"wait_for_status": "yellow"})
    seconds += 14.9
    with pytest.raises(Unavailable):
        cluster.search("tea")
    seconds += 0.2
    assert len(cluster.search("tea").lexical) == 1


def test_an_address_where_nothing_answers_is_an_outage(index_prefix: str) -> None:
    client = connect("http://127.0.0.1:9", timeout_s=1)
    with pytest.raises(Unavailable):
        Cluster(client, index_prefix).search("tea")
    client.close()

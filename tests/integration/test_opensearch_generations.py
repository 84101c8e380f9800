"""Making, promoting and retiring generations on a real node, while searches and writes go on."""

from dataclasses import replace

import pytest
from opensearchpy import OpenSearch

from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.vectors import pack
from m4a.ports.indexing import WriteResult
from tests.integration.opensearch_index import EAST, MODEL, Cluster, entry, gone, ids, marker, memory


@pytest.fixture
def cluster(opensearch: OpenSearch, index_prefix: str) -> Cluster:
    return Cluster(opensearch, index_prefix)


def test_at_first_there_is_nothing(cluster: Cluster) -> None:
    assert (cluster.admin.exists(), list(cluster.admin.writers())) == (False, [])
    assert (cluster.admin.marker(), cluster.admin.marker(1)) == (None, None)


def test_a_generation_is_a_writer_at_once_and_searched_when_it_is_promoted(cluster: Cluster) -> None:
    cluster.admin.create_generation(1, MODEL, 3)
    assert (cluster.admin.exists(), list(cluster.admin.writers())) == (False, [1])
    cluster.admin.promote(1)
    assert cluster.admin.exists()


def test_a_new_generation_fills_while_the_old_one_serves(cluster: Cluster) -> None:
    cluster.init()
    before = memory("Tea before.")
    cluster.hold(before)
    cluster.admin.create_generation(2, "model-b", 2)
    assert list(cluster.admin.writers()) == [1, 2]
    meanwhile = memory("Tea meanwhile.")
    assert cluster.write(entry(meanwhile), entry(before)) == [WriteResult.WRITTEN] * 2
    assert set(cluster.search("tea").lexical) == set(ids(before, meanwhile))
    cluster.admin.set_marker(marker(2, model="model-b"))
    cluster.admin.promote(2)
    cluster.expected = replace(cluster.expected, generation=2) if cluster.expected else None
    assert set(cluster.search("tea").lexical) == set(ids(before, meanwhile))
    cluster.admin.retire(1)
    assert list(cluster.admin.writers()) == [2]
    assert cluster.indices() == [cluster.names.index(2)]


def test_what_a_generation_is_filled_with_is_searchable_when_it_is_refreshed(cluster: Cluster) -> None:
    cluster.init()
    never = replace(cluster.deployment, refresh_interval="1h")
    Cluster(cluster.client, cluster.prefix, deployment=never).admin.create_generation(2, MODEL, 3)
    filler = OpenSearchWriter(cluster.client, cluster.prefix, never, filling=2)
    tea, coffee = replace(memory("Tea."), rev=2), memory("Coffee.")
    assert filler.write([entry(tea), entry(coffee)]) == [WriteResult.ACCEPTED] * 2
    assert filler.write([entry(replace(tea, rev=1))]) == [WriteResult.STALE]
    assert filler.write([gone(coffee)]) == [WriteResult.ACCEPTED]
    assert filler.searchable([entry(tea)]) == [False]
    cluster.admin.refresh(2)
    assert filler.searchable([entry(tea), gone(coffee)]) == [True, True]
    assert cluster.search("tea").lexical == ()


def test_a_generation_that_is_not_there_can_not_be_filled(cluster: Cluster) -> None:
    cluster.init()
    filler = OpenSearchWriter(cluster.client, cluster.prefix, cluster.deployment, filling=2)
    with pytest.raises(Unavailable):
        filler.write([entry(memory("Tea."))])
    assert cluster.indices() == [cluster.names.index(1)]


def test_each_generation_keeps_the_vectors_of_its_own_model(cluster: Cluster) -> None:
    cluster.init()
    cluster.admin.create_generation(2, "model-b", 2)
    cluster.admin.set_marker(marker(2, model="model-b"))
    new = Embedding("model-b", pack([1, 1]))
    tea, coffee = memory("Tea."), memory("Coffee.", embedding=new)
    cluster.hold(tea, coffee)
    assert cluster.search("", EAST).dense == ids(tea)
    cluster.admin.promote(2)
    assert cluster.search("", new).dense == ids(coffee)


def test_an_entry_fares_as_in_the_generation_where_it_fares_worst(cluster: Cluster) -> None:
    cluster.init()
    (tea,) = cluster.hold(replace(memory("Tea."), rev=5))
    cluster.admin.create_generation(2, MODEL, 3)
    assert cluster.write(entry(replace(tea, rev=4))) == [WriteResult.STALE]
    assert cluster.writer.searchable([entry(replace(tea, rev=4)), entry(tea)]) == [True, False]
    assert cluster.write(gone(tea)) == [WriteResult.WRITTEN]
    assert cluster.writer.searchable([gone(tea)]) == [True]


def test_making_a_generation_again_keeps_it_as_it_is(cluster: Cluster) -> None:
    cluster.init()
    (tea,) = cluster.hold(memory("Tea."))
    cluster.admin.create_generation(1, MODEL, 3)
    assert cluster.search("tea").lexical == ids(tea)
    with pytest.raises(ValueError, match="generation 1 exists"):
        cluster.admin.create_generation(1, MODEL, 4)


def test_a_generation_that_was_made_otherwise_is_known(cluster: Cluster) -> None:
    cluster.admin.create_generation(1, MODEL, 3)
    tuned = replace(cluster.deployment, refresh_interval="1h")
    other = Cluster(cluster.client, cluster.prefix, deployment=tuned)
    asked = [(1, MODEL, 3), (1, "model-b", 3), (1, MODEL, 4), (2, MODEL, 3)]
    assert [cluster.admin.made_so(*one) for one in asked] == [True, False, False, False]
    assert not other.admin.made_so(1, MODEL, 3)
    with pytest.raises(ValueError, match="generation 1 exists"):
        other.admin.create_generation(1, MODEL, 3)


def test_the_generation_that_is_searched_is_named(cluster: Cluster) -> None:
    cluster.admin.create_generation(1, MODEL, 3)
    assert cluster.admin.searched() is None
    cluster.admin.promote(1)
    cluster.admin.create_generation(2, MODEL, 3)
    assert cluster.admin.searched() == 1


def test_promoting_and_retiring_may_be_repeated(cluster: Cluster) -> None:
    cluster.init()
    cluster.admin.create_generation(2, MODEL, 3)
    for _ in range(2):
        cluster.admin.promote(2)
    for _ in range(2):
        cluster.admin.retire(1)
    assert cluster.indices() == [cluster.names.index(2)]


def test_the_generation_that_is_searched_is_not_retired(cluster: Cluster) -> None:
    cluster.init()
    with pytest.raises(ValueError, match="promote another first"):
        cluster.admin.retire(1)
    assert cluster.admin.exists()


def test_a_generation_that_does_not_exist_is_not_promoted(cluster: Cluster) -> None:
    cluster.init()
    with pytest.raises(Unavailable):
        cluster.admin.promote(7)
    assert cluster.admin.marker() == marker(1)


def test_a_marker_is_read_back_as_it_was_written(cluster: Cluster) -> None:
    cluster.init()
    cluster.admin.create_generation(2, MODEL, 3)
    unfinished = marker(2, complete=False, beat=7)
    assert cluster.admin.set_marker(unfinished)
    assert cluster.admin.marker() == cluster.admin.marker(1) == marker(1)
    assert cluster.admin.marker(2) == unfinished


def test_a_beat_never_falls(cluster: Cluster) -> None:
    cluster.init(beat=4)
    assert not cluster.admin.set_marker(marker(beat=3))
    assert cluster.admin.set_marker(marker(beat=5))
    assert cluster.admin.marker() == marker(beat=5)


def test_a_marker_makes_no_index(cluster: Cluster) -> None:
    with pytest.raises(Unavailable):
        cluster.admin.set_marker(marker(3))
    assert cluster.indices() == []

"""Writing to the index on a real node: versions, deletions, refusals."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from opensearchpy import OpenSearch

from m4a.adapters.opensearch.entries import VectorSpace
from m4a.adapters.opensearch.generations import writing_generations
from m4a.adapters.opensearch.names import Names
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.vectors import pack
from m4a.ports.indexing import WriteResult
from tests.integration.opensearch_index import EAST, MODEL, NORTH, Cluster, entry, gone, ids, memory

WRITTEN, STALE, FAILED, POISON = WriteResult.WRITTEN, WriteResult.STALE, WriteResult.FAILED, WriteResult.POISON


@pytest.fixture
def cluster(opensearch: OpenSearch, index_prefix: str) -> Cluster:
    return Cluster(opensearch, index_prefix).init()


def test_what_is_written_is_searchable_at_once(cluster: Cluster) -> None:
    tea = memory("Green tea.")
    assert cluster.write(entry(tea)) == [WRITTEN]
    assert cluster.search("tea").lexical == ids(tea)
    assert cluster.writer.searchable([entry(tea), entry(replace(tea, rev=2)), gone(tea)]) == [True, False, False]


def test_no_entries_need_no_call(cluster: Cluster) -> None:
    assert (cluster.write(), cluster.writer.searchable([])) == ([], [])


def test_an_older_rev_is_stale_and_the_same_rev_is_written_again(cluster: Cluster) -> None:
    tea = replace(memory("Green tea."), rev=3)
    cluster.hold(tea)
    assert cluster.write(entry(replace(tea, rev=2))) == [STALE]
    assert cluster.write(entry(tea)) == [WRITTEN]
    assert cluster.write(entry(replace(tea, rev=4))) == [WRITTEN]


def test_a_deleted_memory_is_gone_and_no_late_write_brings_it_back(cluster: Cluster) -> None:
    (tea,) = cluster.hold(replace(memory("Green tea."), rev=3))
    assert cluster.write(gone(tea)) == [WRITTEN]
    assert cluster.writer.searchable([gone(tea)]) == [True]
    assert cluster.search("tea").lexical == ()
    assert cluster.write(entry(replace(tea, rev=3)), entry(replace(tea, rev=9))) == [STALE, STALE]
    assert cluster.writer.searchable([gone(tea)]) == [True]


def test_deleting_what_was_never_there_or_is_gone_already_works_and_is_remembered(cluster: Cluster) -> None:
    tea = memory("Green tea.")
    assert cluster.write(gone(tea)) == [WRITTEN]
    assert cluster.write(gone(tea), gone(tea)) == [WRITTEN, WRITTEN]
    assert cluster.write(entry(tea)) == [STALE]


def test_each_entry_has_a_result_of_its_own_in_order(cluster: Cluster) -> None:
    old, fresh, left = replace(memory("Old."), rev=5), memory("Fresh."), memory("Left.")
    cluster.hold(old, left)
    written = cluster.write(gone(left), entry(replace(old, rev=1)), entry(fresh))
    assert written == [WRITTEN, STALE, WRITTEN]
    assert cluster.search("old fresh left").lexical == ids(fresh, old)


def test_a_vector_of_another_model_or_size_is_left_out_and_the_words_are_kept(cluster: Cluster) -> None:
    other_model = memory("Tea one.", embedding=Embedding("model-b", EAST.data))
    other_size = memory("Tea two.", embedding=Embedding(MODEL, pack([1, 0, 0, 0])))
    none, same = memory("Tea three.", embedding=None), memory("Tea four.", embedding=NORTH)
    cluster.hold(other_model, other_size, none, same)
    answer = cluster.search("tea", EAST)
    assert answer.dense == ids(same)
    assert set(answer.lexical) == set(ids(other_model, other_size, none, same))
    assert {one.code for one in answer.degraded} == {"other_model", "not_embedded"}


def test_an_unknown_field_is_refused(cluster: Cluster, opensearch: OpenSearch) -> None:
    alias = cluster.names.written(1)
    response = opensearch.bulk(
        body=[{"index": {"_index": alias, "_id": "x"}}, {"owner": "a", "surprise": "b"}], params={"refresh": "true"}
    )
    assert response["items"][0]["index"]["error"]["type"] == "strict_dynamic_mapping_exception"


def test_an_entry_that_the_mapping_refuses_is_poison_and_does_not_hinder_others(cluster: Cluster) -> None:
    tea = memory("Green tea.")
    broken = replace(memory("Broken."), terms=replace(tea.terms, length=2**40))
    assert cluster.write(entry(broken), entry(tea)) == [POISON, WRITTEN]


def test_an_index_that_takes_no_writes_fails_for_now(cluster: Cluster, opensearch: OpenSearch) -> None:
    (tea,) = cluster.hold(memory("Green tea."))
    blocked = {"index.blocks.read_only_allow_delete": True}
    opensearch.indices.put_settings(index=cluster.names.index(1), body=blocked)
    assert cluster.write(entry(replace(tea, rev=2))) == [FAILED]


def test_without_a_generation_to_write_to_nothing_is_written(opensearch: OpenSearch, index_prefix: str) -> None:
    cluster = Cluster(opensearch, index_prefix)
    with pytest.raises(Unavailable):
        cluster.write(entry(memory("Green tea.")))
    assert cluster.indices() == []


def test_a_write_to_a_generation_that_was_removed_fails_and_makes_no_index(
    cluster: Cluster, opensearch: OpenSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = writing_generations(cluster.client, cluster.names)
    opensearch.indices.delete(index=cluster.names.index(1))

    def as_they_were(client: OpenSearch, names: Names) -> Mapping[int, VectorSpace]:
        return known

    monkeypatch.setattr("m4a.adapters.opensearch.writer.writing_generations", as_they_were)
    tea = memory("Green tea.")
    assert cluster.write(entry(tea), gone(memory("Black tea."))) == [FAILED, FAILED]
    assert cluster.indices() == []


def test_more_than_one_request_carries_is_written_in_several(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("m4a.adapters.opensearch.bulk.MAX_BATCH_BYTES", 1_000)
    memories = [memory(f"Cup number {number}.") for number in range(12)]
    cluster.hold(*memories)
    assert set(cluster.search("cup").lexical) == set(ids(*memories))


def test_entries_that_are_many_are_looked_up_in_parts(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("m4a.adapters.opensearch.writer._IDS_A_SEARCH", 2)
    memories = cluster.hold(*[memory(f"Cup {number}.") for number in range(5)])
    absent = entry(memory("Not written."))
    assert cluster.writer.searchable([*map(entry, memories), absent]) == [True] * 5 + [False]

"""How deployments differ, in what is asked and in what an index looks like."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from m4a.adapters.errors import Unusable
from m4a.adapters.opensearch.bulk import job, result_of
from m4a.adapters.opensearch.deployment import Deployment, local_node, managed_domain, refuse_classic, serverless
from m4a.adapters.opensearch.entries import VectorSpace
from m4a.adapters.opensearch.mapping import index_body
from m4a.adapters.opensearch.queries import searches
from m4a.domain.memory import Embedding, Filters
from m4a.domain.search import IndexQuery
from m4a.domain.vectors import pack
from m4a.ports.indexing import IndexEntry, WriteResult

SPACE = VectorSpace("model-a", 2)
QUERY = IndexQuery(
    embedding=Embedding("model-a", pack([1, 0])),
    terms=("tea",),
    filters=Filters(),
    now=datetime(2026, 6, 1, tzinfo=UTC),
    k=50,
)
GONE = IndexEntry(owner_key="owner", memory_id="m", rev=3, memory=None)


def headers(deployment: Deployment) -> list[Mapping[str, Any]]:
    return [search.header for search in searches("memories", "owner", QUERY, deployment)]


def test_on_a_domain_an_owner_s_documents_share_a_shard() -> None:
    *legs, marker = headers(managed_domain())
    assert [leg["routing"] for leg in legs] == ["owner"] * 3
    assert marker["routing"] == "marker"
    assert "owner" in job(0, GONE, "memories-g1-write", SPACE, managed_domain()).lines[0].partition('"routing"')[2]


def test_on_serverless_nothing_is_routed_waited_for_or_tuned() -> None:
    assert headers(serverless()) == [{"index": "memories"}] * 4
    assert all('"routing"' not in line for line in job(0, GONE, "alias", SPACE, serverless()).lines)
    body = index_body(serverless(), SPACE)
    assert body["settings"] == {"index": {"knn": True}}
    assert "similarity" not in body["mappings"]["properties"]["tokens"]
    assert (serverless().service, serverless().waits_for_refresh) == ("aoss", False)


def test_where_searches_settle_the_sweep_takes_entries_up_sooner() -> None:
    assert serverless().settle_after == timedelta(seconds=60)
    assert managed_domain().settle_after == local_node().settle_after == timedelta(minutes=3)


def test_under_segment_replication_searches_go_to_the_primary() -> None:
    assert [one["preference"] for one in headers(managed_domain(segment_replication=True))] == ["_primary"] * 4
    assert all("preference" not in one for one in headers(managed_domain()))


@pytest.mark.parametrize(
    ("deployment", "engine"), [(managed_domain(), "faiss"), (serverless(), "faiss"), (local_node(), "lucene")]
)
def test_the_engine_is_the_deployment_s(deployment: Deployment, engine: str) -> None:
    field = index_body(deployment, SPACE)["mappings"]["properties"]["vector"]
    assert (field["method"]["engine"], field["dimension"]) == (engine, 2)


@pytest.mark.parametrize("group", [None, {}, {"generation": "CLASSIC"}, {"generation": None}])
def test_a_classic_collection_is_refused_in_a_sentence(group: Mapping[str, Any] | None) -> None:
    with pytest.raises(Unusable) as raised:
        refuse_classic(group)
    assert "refuse document ids" in str(raised.value)


def test_a_collection_of_the_new_generation_is_not_refused() -> None:
    refuse_classic({"generation": "NEXTGEN"})


def item(status: int, error: str | None = None, operation: str = "index") -> Mapping[str, Any]:
    details = {"error": {"type": "some_exception", "reason": error}} if error else {}
    return {operation: {"status": status, **details}}


def result(*items: Mapping[str, Any], deployment: Deployment | None = None) -> WriteResult:
    deployment = deployment or managed_domain()
    return result_of(job(0, GONE, "alias", SPACE, deployment), items, deployment)


def test_a_classic_collection_is_known_by_what_it_says_of_an_id() -> None:
    reason = "Document ID is not supported in create/index operation request"
    with pytest.raises(Unusable):
        result(item(400, reason), item(404, operation="delete"))


def test_where_refreshes_are_not_waited_for_a_write_is_accepted_alone() -> None:
    items = item(200), item(200, operation="delete")
    assert result(*items) is WriteResult.WRITTEN
    assert result(*items, deployment=serverless()) is WriteResult.ACCEPTED


@pytest.mark.parametrize(
    ("put", "delete", "expected"),
    [
        (item(409, "newer"), item(404, operation="delete"), WriteResult.WRITTEN),
        (item(409, "newer"), item(429, "overrun", "delete"), WriteResult.FAILED),
        (item(429, "overrun"), item(200, operation="delete"), WriteResult.FAILED),
        (item(404, "no alias"), item(404, "no index", "delete"), WriteResult.FAILED),
        (item(503, "no shard"), item(404, operation="delete"), WriteResult.FAILED),
        (item(400, "broken"), item(404, operation="delete"), WriteResult.POISON),
    ],
)
def test_a_deletion_counts_only_if_both_of_its_operations_do(
    put: Mapping[str, Any], delete: Mapping[str, Any], expected: WriteResult
) -> None:
    assert result(put, delete) is expected

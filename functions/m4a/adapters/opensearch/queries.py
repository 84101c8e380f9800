"""One search as the lines of one ``_msearch``: both legs, the statistics and the marker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from m4a.adapters.opensearch.deployment import Deployment
from m4a.adapters.opensearch.entries import VectorSpace, millis, token_of, vector
from m4a.adapters.opensearch.names import MARKER_ID
from m4a.domain.memory import Embedding, Filters
from m4a.domain.search import IndexQuery

Part = Literal["dense", "lexical", "statistics", "marker"]
MARKER_FIELDS = ("marker_generation", "marker_rules", "marker_model", "marker_complete", "marker_beat")
_TIMEOUT = "2s"
_LEAST_BEAM = 100
_BEST_THEN_NEWEST = [{"_score": "desc"}, {"created": "desc"}]


@dataclass(frozen=True, slots=True)
class Search:
    """One of the searches of an ``_msearch``: its header line and its body line."""

    part: Part
    header: Mapping[str, Any]
    body: Mapping[str, Any]


def searches(index: str, owner_key: str, query: IndexQuery, deployment: Deployment) -> list[Search]:
    """What to ask: a leg only if the query has something for it."""
    header = _header(index, owner_key, deployment)
    asked = [Search("statistics", header, _statistics(owner_key, query))]
    if query.embedding:
        asked.append(Search("dense", header, _dense(owner_key, query, query.embedding)))
    if query.terms:
        asked.append(Search("lexical", header, _lexical(owner_key, query)))
    return [*asked, Search("marker", _header(index, MARKER_ID, deployment), marker_query())]


def lines(asked: Sequence[Search]) -> list[Mapping[str, Any]]:
    """The body of the ``_msearch``."""
    return [line for one in asked for line in (one.header, one.body)]


def marker_query() -> dict[str, Any]:
    """Finds the marker of the index that is searched."""
    return {"size": 1, "timeout": _TIMEOUT, "query": {"ids": {"values": [MARKER_ID]}}, "docvalue_fields": MARKER_FIELDS}


def _header(index: str, routing: str, deployment: Deployment) -> dict[str, Any]:
    header: dict[str, Any] = {"index": index}
    if deployment.routing:
        header["routing"] = routing
    if deployment.preference:
        header["preference"] = deployment.preference
    return header


def _dense(owner_key: str, query: IndexQuery, embedding: Embedding) -> dict[str, Any]:
    # HNSW looks as far as it is asked for: a wider beam finds more of the true neighbours, and all of those that tie.
    beam = max(_LEAST_BEAM, 2 * query.k)
    chosen = _all_of([*_living(owner_key, query), *_matching(query.filters)])
    return _leg(query, {"knn": {"vector": {"vector": vector(embedding), "k": beam, "filter": chosen}}})


def _lexical(owner_key: str, query: IndexQuery) -> dict[str, Any]:
    chosen = [*_living(owner_key, query), *_matching(query.filters)]
    words = [{"term": {"tokens": token_of(term)}} for term in query.terms]
    return _leg(query, {"bool": {"should": words, "minimum_should_match": 1, "filter": chosen}})


def _leg(query: IndexQuery, asked: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "size": query.k,
        "timeout": _TIMEOUT,
        "track_total_hits": False,
        "track_scores": True,
        "sort": _BEST_THEN_NEWEST,
        "query": asked,
    }


def _statistics(owner_key: str, query: IndexQuery) -> dict[str, Any]:
    counted: dict[str, Any] = {"length": {"sum": {"field": "length"}}}
    if query.terms:
        words = {str(number): {"term": {"tokens": token_of(term)}} for number, term in enumerate(query.terms)}
        counted["terms"] = {"filters": {"filters": words}}
    if query.embedding:
        counted["matching"] = {"filter": _all_of(_matching(query.filters)), "aggs": _by_model(query.embedding)}
    return {
        "size": 0,
        "timeout": _TIMEOUT,
        "track_total_hits": True,
        "query": _all_of(_living(owner_key, query)),
        "aggs": counted,
    }


def _by_model(embedding: Embedding) -> dict[str, Any]:
    return {
        "embedded": {"filter": {"exists": {"field": "model"}}},
        "comparable": {"filter": {"term": {"model": VectorSpace.of(embedding).key}}},
    }


def _living(owner_key: str, query: IndexQuery) -> list[dict[str, Any]]:
    """This owner's memories that have not expired and are not excluded."""
    clauses: list[dict[str, Any]] = [
        {"term": {"owner": owner_key}},
        {"range": {"expires": {"gt": millis(query.now)}}},
    ]
    if query.exclude:
        clauses.append({"bool": {"must_not": {"terms": {"memory_id": sorted(query.exclude)}}}})
    return clauses


def _matching(filters: Filters) -> list[dict[str, Any]]:
    clauses: list[dict[str, Any]] = [{"term": {"tags": tag}} for tag in filters.tags]
    if filters.type:
        clauses.append({"term": {"type": filters.type}})
    if filters.importance:
        clauses.append({"term": {"importance": filters.importance}})
    if filters.time_range.end:
        clauses.append({"range": {"start": {"lte": millis(filters.time_range.end)}}})
    if filters.time_range.start:
        clauses.append({"range": {"end": {"gte": millis(filters.time_range.start)}}})
    return clauses


def _all_of(clauses: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"bool": {"filter": list(clauses)}}

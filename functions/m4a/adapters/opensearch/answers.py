"""What the responses of one ``_msearch`` say: legs, statistics, marker; and what a failed part means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from m4a.adapters.opensearch.client import reading
from m4a.adapters.opensearch.names import memory_id
from m4a.adapters.opensearch.queries import Part, Search
from m4a.domain.errors import Unavailable
from m4a.domain.ranking import Statistics
from m4a.domain.search import Degraded, IndexAnswer, IndexQuery, compared_by_words
from m4a.ports.indexing import Marker

Response = Mapping[str, Any]

NO_VECTOR_SEARCH = Degraded(
    "vector_search_unavailable", "The search by meaning failed: memories were found by their words alone."
)
NO_WORD_SEARCH = Degraded(
    "word_search_unavailable", "The search by words failed: memories were found by their meaning alone."
)
NO_STATISTICS = Degraded(
    "word_search_unavailable", "How often words occur could not be counted, so the scores of words are estimates."
)


@dataclass(frozen=True, slots=True)
class Found:
    """One search's answer and the marker of the generation that gave it."""

    answer: IndexAnswer
    marker: Marker | None


def read(query: IndexQuery, asked: Sequence[Search], responses: Sequence[Response]) -> Found:
    """Raises Unavailable if nothing of what was asked could be had, or the marker could not be looked up."""
    with reading():
        parts: dict[Part, Response] = dict(zip((search.part for search in asked), responses, strict=True))
        if failed(parts["marker"]):
            raise Unavailable("The search index did not say what it holds.")
        marker = marker_of(parts["marker"])
        return Found(_answer(query, parts, marker), marker)


def failed(response: Response) -> bool:
    """Whether a response is no whole answer: an error, a time-out, or one that some shards did not take part in."""
    return "error" in response or response["timed_out"] or response["_shards"]["failed"] > 0


def marker_of(response: Response) -> Marker | None:
    """The marker in the response to ``queries.marker_query``."""
    hits = response["hits"]["hits"]
    if not hits:
        return None
    fields = hits[0]["fields"]
    return Marker(
        generation=fields["marker_generation"][0],
        rules=fields["marker_rules"][0],
        model=fields["marker_model"][0],
        complete=fields["marker_complete"][0],
        beat=fields["marker_beat"][0],
    )


def _answer(query: IndexQuery, parts: Mapping[Part, Response], marker: Marker | None) -> IndexAnswer:
    legs: dict[Part, Response] = {part: response for part, response in parts.items() if part in ("dense", "lexical")}
    if marker and query.embedding and marker.model != query.embedding.model:
        del legs["dense"]  # distances between vectors of two models say nothing
    broken: list[Part] = [part for part, response in legs.items() if failed(response)]
    if broken and len(broken) == len(legs):
        raise Unavailable("No search of the index gave an answer.")
    hits: dict[Part, list[tuple[str, float]]] = {
        part: _hits(part, response) for part, response in legs.items() if part not in broken
    }
    statistics = parts["statistics"]
    uncounted = failed(statistics)
    return IndexAnswer(
        dense=tuple(one for one, _ in hits.get("dense", ())),
        lexical=tuple(one for one, _ in hits.get("lexical", ())),
        statistics=None if uncounted else _statistics(query, statistics),
        kth_scores={part: found[-1][1] for part, found in hits.items() if len(found) == query.k},
        degraded=(
            *(_BROKEN[part] for part in broken),
            *((NO_STATISTICS,) if uncounted else _left_out(query, statistics)),
        ),
    )


_BROKEN: Mapping[Part, Degraded] = {"dense": NO_VECTOR_SEARCH, "lexical": NO_WORD_SEARCH}


def _hits(part: Part, response: Response) -> list[tuple[str, float]]:
    """Ids with their scores, best first: of the dense leg the cosine, of the lexical one BM25 over the shard."""
    scores = [(memory_id(hit["_id"]), float(hit["_score"])) for hit in response["hits"]["hits"]]
    return [(one, _cosine(score)) for one, score in scores] if part == "dense" else scores


def _cosine(score: float) -> float:
    """From the score that k-NN makes of an inner product, which is never negative: 1 + p, or 1 / (1 - p) below 0."""
    return score - 1 if score >= 1 else 1 - 1 / score


def _statistics(query: IndexQuery, response: Response) -> Statistics:
    counted = response["aggregations"]
    return Statistics(
        memories=response["hits"]["total"]["value"],
        total_length=round(counted["length"]["value"]),
        frequencies={
            term: counted["terms"]["buckets"][str(number)]["doc_count"] for number, term in enumerate(query.terms)
        },
    )


def _left_out(query: IndexQuery, response: Response) -> tuple[Degraded, ...]:
    """The memories that match the filters but have no vector that the query's can be compared with."""
    if not query.embedding:
        return ()
    matching = response["aggregations"]["matching"]
    embedded = matching["embedded"]["doc_count"]
    return compared_by_words(matching["doc_count"] - embedded, embedded - matching["comparable"]["doc_count"])

"""What a search index is asked, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from m4a.domain.memory import Embedding, Filters
from m4a.domain.ranking import Statistics

DegradedCode = Literal[
    "embedder_unavailable",
    "vector_search_unavailable",
    "word_search_unavailable",
    "search_unavailable",
    "index_outdated",
    "index_behind",
    "memories_unread",
    "not_embedded",
    "other_model",
    "trace_not_stored",
    "embedding_pending",
    "similar_unavailable",
]


_WITHOUT = "Memories without an embedding, compared by words alone: {number}; the sweep embeds what the model takes."
_OTHERS = "Memories embedded by another model, compared by words alone: {number}; run `m4a reindex`."


@dataclass(frozen=True, slots=True)
class Degraded:
    """A part of an operation that could not run, and what that means for the answer. Safe to show to a model."""

    code: DegradedCode
    message: str


def compared_by_words(without: int, others: int) -> tuple[Degraded, ...]:
    """Names how many of an index's matching memories have no embedding, and how many have one of another model."""
    named = (
        (without, Degraded("not_embedded", _WITHOUT.format(number=without))),
        (others, Degraded("other_model", _OTHERS.format(number=others))),
    )
    return tuple(degraded for number, degraded in named if number)


def candidates_per_leg(limit: int) -> int:
    """How many candidates each leg proposes for an answer of ``limit`` memories."""
    return max(50, 4 * limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """One search over one owner's memories.

    ``exclude`` are memories that the caller reads from the store itself: they take no place in either leg and are not
    counted in the statistics. ``embedding`` None leaves out the dense leg, no ``terms`` the lexical one.
    """

    embedding: Embedding | None
    terms: tuple[str, ...]
    filters: Filters
    now: datetime
    k: int
    exclude: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexAnswer:
    """Candidate ids of both legs, best first, and the owner's statistics for the query's terms.

    A leg that failed is empty and named in ``degraded``. ``statistics`` is None if they could not be had.
    ``kth_scores``: each full leg's last score, by its own measure.
    """

    dense: tuple[str, ...] = ()
    lexical: tuple[str, ...] = ()
    statistics: Statistics | None = None
    kth_scores: Mapping[str, float] = field(default_factory=dict[str, float])
    degraded: tuple[Degraded, ...] = ()

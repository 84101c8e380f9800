"""How well a memory answers a query: one pure function, the same in both profiles.

Words are scored by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) with
k1 = 0.6, b = 0.2 and an inverse document frequency scaled to [0, 1]; meaning by the cosine of the embeddings:

    w(t)  = min(1, ln(1 + (N - df + 0.5) / (df + 0.5)) / ln(1 + (N - 0.5) / 1.5))
    L     = sum over matched t of  w(t) * 1.6 * tf / (tf + 0.6 * (0.8 + 0.2 * dl / avgdl))
    D     = max(0, cosine)
    P     = ln(1 + min(n, 64))                  n: distinct terms of the text; longer texts say more
    prior = importance (0, 0.03, 0.06) + 0.04 * 2^(-age / 30 days)
    raw   = L + 2 * D + 0.2 * P + prior
    score = raw / (1.6 * sum over all query terms of w(t) + 2 + 0.2 * ln 65 + 0.1)

The divisor is what was attainable. It does not depend on the candidates, so a memory has the same score in any pool.
Without a query vector the 2 leaves the divisor. Constants were chosen on two sets of questions about conversations and
are flat around these values.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log
from typing import NamedTuple

from m4a.domain.memory import Importance, Memory, Terms

K1 = 0.6
B = 0.2
LENGTH_WEIGHT = 0.2
LENGTH_CAP = 64
IMPORTANCE_PRIOR: Mapping[Importance, float] = {"low": 0.0, "medium": 0.03, "high": 0.06}
RECENCY_PRIOR = 0.04
RECENCY_HALF_LIFE_DAYS = 30.0
_LENGTH_SIGNALS = tuple(LENGTH_WEIGHT * log(1 + distinct) for distinct in range(LENGTH_CAP + 1))
MAX_PRIOR = max(IMPORTANCE_PRIOR.values()) + RECENCY_PRIOR
WEAK_SCORE = 0.3
"""A best score below this seldom answers the query."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one owner's living memories: how many, their lengths added up, and in how many each term occurs."""

    memories: int = 0
    total_length: int = 0
    frequencies: Mapping[str, int] | None = None

    @property
    def average_length(self) -> float:
        return self.total_length / self.memories if self.memories and self.total_length else 1.0

    def including(self, memories: Sequence[Memory], terms: Sequence[str]) -> "Statistics":
        """With memories that the index did not count."""
        frequencies = dict(self.frequencies or {})
        for term in terms:
            frequencies[term] = frequencies.get(term, 0) + sum(term in memory.terms.counts for memory in memories)
        length = self.total_length + sum(memory.terms.length for memory in memories)
        return Statistics(self.memories + len(memories), length, frequencies)


def term_weight(memories: int, frequency: int) -> float:
    """Inverse document frequency on [0, 1]: 1 for a term of at most one memory."""
    count = max(memories, 1)
    frequency = min(frequency, count)
    rarest = log(1 + (count - 0.5) / 1.5)
    return min(1.0, log(1 + (count - frequency + 0.5) / (frequency + 0.5)) / rarest)


class Signals(NamedTuple):
    """What one memory's score is made of; ``cosine`` is None where the vectors can't be compared."""

    lexical: float
    cosine: float | None
    length: float
    importance: float
    recency: float
    attainable: float
    score: float
    matched: tuple[str, ...]


class Ranked(NamedTuple):
    """A memory with its score in [0, 1] and the signals behind it."""

    memory: Memory
    signals: Signals

    @property
    def score(self) -> float:
        return self.signals.score


class Ranking:
    """Scores memories against one query.

    ``dense_weight`` is the 2 of the formula; it belongs to the embedding model, whose cosines spread in their own way.
    ``has_vector``: whether the query was embedded.
    """

    def __init__(
        self, terms: Sequence[str], statistics: Statistics, now: datetime, *, has_vector: bool, dense_weight: float
    ) -> None:
        frequencies = statistics.frequencies or {}
        self.weights = {term: term_weight(statistics.memories, frequencies.get(term, 0)) for term in terms}
        self._now = now
        self._dense_weight = dense_weight
        self._average_length = statistics.average_length
        attainable = (1 + K1) * sum(self.weights.values()) + _LENGTH_SIGNALS[LENGTH_CAP] + MAX_PRIOR
        self.attainable = attainable + (dense_weight if has_vector else 0.0)

    def score(self, memory: Memory, cosine: float | None) -> Signals:
        """``cosine``: to the query's vector, None if either is missing or of another model."""
        lexical, matched = self._lexical(memory.terms)
        length = _LENGTH_SIGNALS[min(memory.terms.distinct, LENGTH_CAP)]
        importance = IMPORTANCE_PRIOR[memory.importance]
        age_days = max(0.0, (self._now - memory.created_at).total_seconds() / 86_400)
        recency = RECENCY_PRIOR * 2.0 ** (-age_days / RECENCY_HALF_LIFE_DAYS)
        raw = lexical + self._dense_weight * max(0.0, cosine or 0.0) + length + importance + recency
        score = min(1.0, max(0.0, raw / self.attainable))
        return Signals(lexical, cosine, length, importance, recency, self.attainable, score, matched)

    def order(self, candidates: Iterable[tuple[Memory, float | None]]) -> list[Ranked]:
        """Best first; scores equal to 6 decimals put the newer memory first, then the smaller id."""
        ranked = [Ranked(memory, self.score(memory, cosine)) for memory, cosine in candidates]
        ranked.sort(key=lambda one: one.memory.memory_id)
        ranked.sort(key=lambda one: (round(one.signals.score, 6), one.memory.created_at), reverse=True)
        return ranked

    def _lexical(self, terms: Terms) -> tuple[float, tuple[str, ...]]:
        matched = tuple([term for term in self.weights if term in terms.counts])
        if not matched:
            return 0.0, ()
        saturation = K1 * (1 - B + B * terms.length / self._average_length)
        lexical = 0.0
        for term in matched:
            frequency = terms.counts[term]
            lexical += self.weights[term] * (1 + K1) * frequency / (frequency + saturation)
        return lexical, matched

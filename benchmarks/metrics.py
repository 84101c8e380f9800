"""Retrieval metrics with binary gains, each in [0, 1]."""

from collections.abc import Set
from dataclasses import astuple, dataclass
from math import log2
from statistics import fmean
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scores:
    """Recall at 5 and 10, normalised discounted cumulative gain and reciprocal rank at 10."""

    recall_5: float
    recall_10: float
    ndcg_10: float
    mrr_10: float


def score(found: "list[T]", evidence: Set[T]) -> Scores:
    """Of one question: ``found`` best first, ``evidence`` what answers it (at least one)."""
    hits = [one in evidence for one in found[:10]]
    gain = sum(1 / log2(rank + 1) for rank, hit in enumerate(hits, start=1) if hit)
    attainable = sum(1 / log2(rank + 1) for rank in range(1, min(len(evidence), 10) + 1))
    first = next((1 / rank for rank, hit in enumerate(hits, start=1) if hit), 0.0)
    return Scores(sum(hits[:5]) / len(evidence), sum(hits) / len(evidence), gain / attainable, first)


def mean(scores: "list[Scores]") -> Scores:
    """The average over questions."""
    return Scores(*(fmean(column) for column in zip(*map(astuple, scores), strict=True)))

"""Why memories stand where they do in an answer, for a recall that asks for it."""

from typing import Any

from m4a.application.recall import Recalled
from m4a.domain.ranking import WEAK_SCORE, Ranked

SCORE_DIGITS = 6


def memory(one: Ranked) -> dict[str, Any]:
    """The signals that its score is made of, by the names of the formula."""
    signals = one.signals
    numbers = {
        name: getattr(signals, name) for name in ("lexical", "cosine", "length", "importance", "recency", "attainable")
    }
    rounded = {name: None if number is None else round(number, SCORE_DIGITS) for name, number in numbers.items()}
    return {**rounded, "matched": list(signals.matched), "weak": one.score < WEAK_SCORE}


def answer(result: Recalled) -> dict[str, Any]:
    """The formula, and the owner's statistics that went into it."""
    statistics = result.candidates.statistics
    return {
        "formula": "score = (lexical + dense_weight * max(0, cosine) + length + importance + recency) / attainable",
        "memories": statistics.memories,
        "average_length": round(statistics.average_length, 3),
        "terms": {
            term: {"weight": round(weight, SCORE_DIGITS), "memories": (statistics.frequencies or {}).get(term, 0)}
            for term, weight in result.ranking.weights.items()
        },
        "candidates": len(result.candidates.memories),
    }

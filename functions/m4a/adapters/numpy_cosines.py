"""The cosines of ``domain.vectors``, by NumPy."""

from collections.abc import Sequence

import numpy as np

from m4a.domain.memory import Embedding
from m4a.domain.vectors import comparable


def cosines(query: Embedding, others: Sequence[Embedding | None]) -> list[float | None]:
    """The cosine of each to the query; None where there is no vector, or one of another model or size."""
    found: list[float | None] = [None] * len(others)
    usable = [(at, other.data) for at, other in enumerate(others) if other and comparable(query, other)]
    if not usable:
        return found
    left = np.frombuffer(query.data, "<f2").astype(np.float64)
    rows = np.frombuffer(b"".join(data for _, data in usable), "<f2").astype(np.float64).reshape(len(usable), -1)
    dots = np.einsum("rc,c->r", rows, left)  # not BLAS, whose threads cost more than they save here
    for (at, _), dot in zip(usable, np.clip(dots, -1.0, 1.0).tolist(), strict=True):
        found[at] = dot
    return found

"""Unit vectors as little-endian float16, without NumPy."""

import math
import struct
from collections.abc import Sequence
from operator import mul

from m4a.domain.memory import Embedding


def pack(values: Sequence[float]) -> bytes:
    """Scales to unit length and packs as float16. Raises ValueError for a vector without direction."""
    norm = math.sqrt(sum(value * value for value in values))
    if not norm or not math.isfinite(norm):
        raise ValueError("a vector needs a finite length above 0")
    return struct.pack(f"<{len(values)}e", *(value / norm for value in values))


def unpack(data: bytes) -> tuple[float, ...]:
    """The components of a packed vector."""
    return struct.unpack(f"<{len(data) // 2}e", data)


def cosines(query: Embedding, others: Sequence[Embedding | None]) -> list[float | None]:
    """The cosine of each to the query; None where there is no vector, or one of another model or size."""
    left = unpack(query.data)
    return [_dot(left, unpack(other.data)) if other and comparable(query, other) else None for other in others]


def comparable(query: Embedding, other: Embedding | None) -> bool:
    """Whether both were made by the same model, in the same size."""
    return other is not None and other.model == query.model and len(other.data) == len(query.data)


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return max(-1.0, min(1.0, sum(map(mul, left, right))))

"""An embedder for tests that look at anything but meaning: fast, and the same everywhere."""

import zlib
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from m4a.domain.memory import Embedding
from m4a.ports import Purpose


class HashedWords:
    """Implements ``Embedder``: each word has a random direction, and a text that of its words together."""

    model = "hashed-words/512"
    dense_weight = 2.0
    similar_floor = 0.6

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        return [_embedding(text) for text in texts]


def _embedding(text: str) -> Embedding:
    words = [_direction(word) for word in text.split()]
    total = np.sum(words or [_direction("")], axis=0)
    return Embedding(HashedWords.model, (total / np.linalg.norm(total)).astype("<f2").tobytes())


@cache
def _direction(word: str) -> NDArray[np.float64]:
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(512)

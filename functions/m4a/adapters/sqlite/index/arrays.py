"""Arrays that grow at their end, and the choice of the best."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
_FIRST_CAPACITY = 64


class Growing:
    """An array that is appended to; ``width`` makes it one of rows."""

    def __init__(self, dtype: DTypeLike, width: int | None = None) -> None:
        self._data: Array = np.empty((0,) if width is None else (0, width), dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def array(self) -> Array:
        """What it holds now: a view, to be read or written before the next change of size."""
        return self._data[: self._size]

    def extend(self, values: Any) -> None:
        """Appends the values of an array or a sequence."""
        size = self._size + len(values)
        if size > len(self._data):
            capacity = max(size, size + size // 4 if self._size else size, _FIRST_CAPACITY)
            grown = np.empty((capacity, *self._data.shape[1:]), self._data.dtype)
            grown[: self._size] = self.array
            self._data = grown
        self._data[self._size : size] = values
        self._size = size

    def keep(self, chosen: Array) -> None:
        """Drops everything but these positions."""
        self._data = self.array[chosen]
        self._size = len(self._data)


def near_best(scores: Array, k: int, slack: float) -> Array:
    """Where the scores are that reach the ``k``-th highest, or miss it by no more than ``slack``."""
    if len(scores) <= k:
        return np.arange(len(scores), dtype=np.intp)
    return np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k] - slack)


def best(positions: Array, scores: Array, created: Array, k: int) -> tuple[Array, Array]:
    """The ``k`` positions of the highest scores with their scores, best first; among equal ones the newer first.

    ``scores`` goes with ``positions``; ``created`` is indexed by position.
    """
    if len(scores) > k:
        lowest = np.partition(scores, len(scores) - k)[len(scores) - k]
        chosen = scores >= lowest
        positions, scores = positions[chosen], scores[chosen]
    order = np.lexsort((-created[positions], -scores))[:k]
    return positions[order], scores[order]

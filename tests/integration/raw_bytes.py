"""Words that occur nowhere else, and where they are found in the raw bytes of a store."""

import random
import re
from collections.abc import Iterable
from pathlib import Path

from m4a.adapters.sqlite.files import raw_chunks

_UNIQUE = re.compile(rb"zq\d{6}xv")
_COMMON = "the boiler was serviced in autumn and green tea tastes best before noon".split()


class Words:
    """Makes up texts, a third of whose words are unique."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._count = seed * 100_000

    def unique(self) -> str:
        self._count += 1
        return f"zq{self._count:06}xv"

    def text(self) -> str:
        length = self.chance.choice((3, 8, 30, 60, 700))
        return " ".join(self.chance.choice(_COMMON) if at % 3 else self.unique() for at in range(length))


def unique_words(text: str) -> set[str]:
    return {word.decode() for word in _UNIQUE.findall(text.encode())}


def raw_bytes(path: Path) -> bytes:
    """All bytes of the store's file and its log."""
    files = (path, path.with_name(path.name + "-wal"))
    return b"".join(chunk for file in files for chunk in raw_chunks(file))


def found_words(path: Path) -> set[str]:
    """The unique words in the store's file and its log."""
    return {word.decode() for word in _UNIQUE.findall(raw_bytes(path))}


def found_vectors(path: Path, vectors: Iterable[bytes]) -> int:
    """How many of the vectors, or their beginnings, are in the store's file and its log."""
    raw = raw_bytes(path)
    return sum(vector[:24] in raw for vector in vectors)

"""A random life of memories, and what of it may still be in the file."""

from dataclasses import replace

from m4a.domain.memory import Memory
from tests.contract.building import Scribe, embedding, replacement
from tests.integration.raw_bytes import Words, unique_words


class Life:
    """Remembers, updates, re-embeds and forgets at random; knows the words and vectors of living and gone."""

    def __init__(self, scribe: Scribe, seed: int) -> None:
        self._scribe = scribe
        self._words = Words(seed)
        self._living: dict[str, Memory] = {}
        self._traces: dict[str, tuple[set[str], set[bytes]]] = {}
        self.forgotten_words: set[str] = set()
        self.forgotten_vectors: set[bytes] = set()
        self.forgotten: list[str] = []

    @property
    def living_words(self) -> set[str]:
        return {word for words, _ in self._traces.values() for word in words}

    def run_until(self, forgets: int) -> None:
        while len(self.forgotten) < forgets:
            kind = self._words.chance.random()
            if kind < 0.45 or len(self._living) < 20:
                tags = (self._words.unique(),)
                self._keep(self._scribe.remember(self._words.text(), tags=tags, source=self._words.unique()))
                continue
            memory = self._living.pop(self._words.chance.choice(list(self._living)))
            if kind < 0.65:
                self._keep(self._scribe.update(memory, self._words.text()))
            elif kind < 0.72:
                self._keep(self._re_embedded(memory))
            else:
                self._forget(memory)

    def _re_embedded(self, memory: Memory) -> Memory:
        after = replace(memory, rev=memory.rev + 1, embedding=embedding(self._words.unique()))
        self._scribe.commit(replacement(memory, after))
        return after

    def _keep(self, memory: Memory) -> None:
        self._living[memory.memory_id] = memory
        words, vectors = self._traces.setdefault(memory.memory_id, (set(), set()))
        words |= unique_words(f"{memory.content} {memory.tags} {memory.source}")
        vectors |= {memory.embedding.data} if memory.embedding else set()

    def _forget(self, memory: Memory) -> None:
        self._scribe.forget(memory)
        words, vectors = self._traces.pop(memory.memory_id)
        self.forgotten_words |= words
        self.forgotten_vectors |= vectors
        self.forgotten.append(memory.memory_id)

"""What the tests of this entry point share beside fixtures."""

from collections.abc import Sequence
from threading import Barrier, Event

from m4a.adapters.onnx import OnnxEmbedder
from m4a.domain.memory import Embedding
from m4a.ports import Purpose

TOKENS: dict[str, object] = {
    "t-ana": "ana",
    "t-bob": "bob",
    "t-svc": {"user": "backend", "scope": "memory:delegate"},
}


class Gate:
    """The real embedder behind a gate: calls tell that they came and wait to be let through."""

    def __init__(self, real: OnnxEmbedder) -> None:
        self._real = real
        self.model, self.dense_weight, self.similar_floor = real.model, real.dense_weight, real.similar_floor
        self.came, self.opened = Event(), Event()
        self.opened.set()
        self.together: Barrier | None = None

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self.came.set()
        if self.together:
            self.together.wait(20)
        self.opened.wait(20)
        return self._real.embed(texts, purpose)

"""An embedding model that is loaded only if it is needed."""

import threading
from collections.abc import Callable, Sequence

from m4a.domain.memory import Embedding
from m4a.ports import Embedder, Purpose


class LazyEmbedder:
    """The port ``Embedder``; its first use of any kind loads the model, once, and raises what loading raises.

    Loading counts towards a caller's time limit: whoever knows that the model is needed had better load it at once.
    """

    def __init__(self, load: Callable[[], Embedder]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._loaded: Embedder | None = None

    @property
    def model(self) -> str:
        return self._embedder().model

    @property
    def dense_weight(self) -> float:
        return self._embedder().dense_weight

    @property
    def similar_floor(self) -> float:
        return self._embedder().similar_floor

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        return self._embedder().embed(texts, purpose)

    def _embedder(self) -> Embedder:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

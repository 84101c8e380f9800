"""The embedder of the aws profile."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from m4a.adapters.bedrock.errors import translate_errors
from m4a.adapters.bedrock.models import BedrockModel, pieces
from m4a.domain.memory import Embedding
from m4a.domain.vectors import pack
from m4a.ports import Purpose
from m4a.ports.deadline import LimitedPool

CONCURRENT_CALLS = 8
_JSON = "application/json"
_NOTHING = " "
"""Stands for a text without characters, which the models refuse."""

Vector = Sequence[float]


class BedrockRuntime(Protocol):
    """The part of botocore's ``bedrock-runtime`` client that is used."""

    def invoke_model(self, *, modelId: str, body: bytes, contentType: str, accept: str) -> Mapping[str, Any]: ...  # noqa: N803


class BedrockEmbedder:
    """Implements ``Embedder`` with one model on Bedrock. Safe to share between threads."""

    def __init__(self, client: BedrockRuntime, model: BedrockModel) -> None:
        self._client = client
        self._model = model
        self._pool = LimitedPool(CONCURRENT_CALLS, thread_name_prefix="m4a-bedrock")

    @property
    def model(self) -> str:
        return self._model.name

    @property
    def dense_weight(self) -> float:
        return self._model.dense_weight

    @property
    def similar_floor(self) -> float:
        return self._model.similar_floor

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        """Long texts go in parts, whose vectors are averaged by length. Raises Throttled or Unavailable."""
        parts = [list(pieces(_clean(text), self._model.max_bytes)) or [_NOTHING] for text in texts]
        vectors = iter(self._vectors([one for own in parts for one in own], purpose))
        with translate_errors():
            return [self._embedding([(len(one), next(vectors)) for one in own]) for own in parts]

    def _vectors(self, texts: Sequence[str], purpose: Purpose) -> list[Vector]:
        """One for each text, in order; several batches are asked for at once."""
        batches = [texts[start : start + self._model.batch] for start in range(0, len(texts), self._model.batch)]
        invoke = partial(self._invoke, purpose)
        answers = map(invoke, batches) if len(batches) == 1 else self._pool.map(invoke, batches)
        return [vector for answer in answers for vector in answer]

    def _invoke(self, purpose: Purpose, texts: Sequence[str]) -> Sequence[Vector]:
        model = self._model
        body = json.dumps(model.request(texts, purpose, model.dimensions)).encode()
        with translate_errors():
            answer = self._client.invoke_model(modelId=model.invoke_id, body=body, contentType=_JSON, accept=_JSON)
            vectors = model.vectors(json.loads(answer["body"].read()))
            if len(vectors) != len(texts) or any(len(vector) != model.dimensions for vector in vectors):
                raise ValueError("another number of vectors or dimensions than asked for")
            return vectors

    def _embedding(self, parts: Sequence[tuple[int, Vector]]) -> Embedding:
        """Of a text whose parts have these lengths and vectors: their mean by length, scaled to unit length."""
        columns = zip(*(vector for _, vector in parts), strict=True)
        mean = [sum(value * length for value, (length, _) in zip(column, parts, strict=True)) for column in columns]
        return Embedding(self.model, pack(mean))


def _clean(text: str) -> str:
    """Without what the models do not take: NUL, which hides what comes after it, and halves of surrogate pairs."""
    return "".join(" " if char == "\0" or "\ud800" <= char <= "\udfff" else char for char in text)

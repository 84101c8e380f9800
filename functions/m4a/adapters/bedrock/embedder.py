"""The embedder of the aws profile."""

import json
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from m4a.adapters.bedrock.models import BY_NAME, BedrockModel, pieces
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.vectors import pack
from m4a.ports import Purpose

CONCURRENT_CALLS = 8
_THROTTLED = {"ThrottlingException", "TooManyRequestsException", "ServiceQuotaExceededException"}
_Task = tuple[Sequence[str], Purpose]


class BedrockRuntime(Protocol):
    """The part of boto3's ``bedrock-runtime`` client that is used."""

    def invoke_model(self, *, modelId: str, body: bytes, contentType: str, accept: str) -> Mapping[str, Any]: ...  # noqa: N803


class BedrockEmbedder:
    """Implements ``Embedder``. Embeds with ``model`` unless a call names another of the models that are known."""

    def __init__(self, client: BedrockRuntime, model: BedrockModel) -> None:
        self._client = client
        self._model = model
        self._pool = ThreadPoolExecutor(CONCURRENT_CALLS, thread_name_prefix="m4a-bedrock")

    @property
    def model(self) -> str:
        return self._model.name

    @property
    def dense_weight(self) -> float:
        return self._model.dense_weight

    @property
    def similar_floor(self) -> float:
        return self._model.similar_floor

    def embed(self, texts: Sequence[str], purpose: Purpose, model: str | None = None) -> list[Embedding]:
        """Long texts go in parts, whose vectors are averaged by length. Raises Throttled or Unavailable."""
        asked = self._model if model is None else BY_NAME.get(model)
        if asked is None:
            raise Unavailable("The search index was made with an embedding model that this deployment does not know.")
        parts = [list(pieces(_clean(text), asked.max_bytes)) or [" "] for text in texts]
        flat = [part for text_parts in parts for part in text_parts]
        tasks = [(flat[start : start + asked.batch], purpose) for start in range(0, len(flat), asked.batch)]
        vectors = [vector for answer in self._run(asked, tasks) for vector in answer]
        embeddings: list[Embedding] = []
        for text_parts in parts:
            own, vectors = vectors[: len(text_parts)], vectors[len(text_parts) :]
            embeddings.append(_packed(asked, own, [len(part) for part in text_parts]))
        return embeddings

    def _run(self, model: BedrockModel, tasks: Sequence[_Task]) -> Sequence[Sequence[Sequence[float]]]:
        if len(tasks) == 1:
            return [self._invoke(model, tasks[0])]
        return list(self._pool.map(lambda task: self._invoke(model, task), tasks))

    def _invoke(self, model: BedrockModel, task: _Task) -> Sequence[Sequence[float]]:
        texts, purpose = task
        body = json.dumps(model.request(texts, purpose, model.dimensions)).encode()
        with translate_errors():
            answer = self._client.invoke_model(
                modelId=model.invoke_id, body=body, contentType="application/json", accept="application/json"
            )
            vectors = model.vectors(json.loads(answer["body"].read()))
            if len(vectors) != len(texts) or any(len(vector) != model.dimensions for vector in vectors):
                raise ValueError("another number of vectors or dimensions than asked for")
            return vectors


@contextmanager
def translate_errors() -> Generator[None]:
    """Turns what boto3 raises, and an answer that makes no sense, into our errors."""
    try:
        yield
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in _THROTTLED:
            raise Throttled("The embedding model takes no more requests at the moment.") from error
        raise Unavailable("The embedding model refused the request.") from error
    except BotoCoreError as error:
        raise Unavailable("The embedding model did not answer.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Unavailable("The embedding model answered something that is no embedding.") from error


def _clean(text: str) -> str:
    return "".join(" " if char == "\0" or "\ud800" <= char <= "\udfff" else char for char in text)


def _packed(model: BedrockModel, vectors: Sequence[Sequence[float]], lengths: Sequence[int]) -> Embedding:
    """One embedding of a text's parts: their mean by length, scaled to unit length."""
    mean = [
        sum(value * length for value, length in zip(column, lengths, strict=True))
        for column in zip(*vectors, strict=True)
    ]
    with translate_errors():
        return Embedding(model.name, pack(mean))

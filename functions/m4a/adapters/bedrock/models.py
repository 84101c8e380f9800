"""Embedding models on Bedrock: their limits, and how each is asked and answers.

Sources: "Amazon Titan Embeddings Text", "Cohere Embed v4" and "Inference profiles" in the Amazon Bedrock user guide.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from m4a.ports import Purpose

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BedrockModel:
    """One model. ``max_bytes`` bounds a text so that it stays under the model's tokens: each has a byte or more.

    ``dense_weight`` belongs to how the model's cosines spread, see ``domain.ranking``; ``similar_floor`` is the cosine
    from which two memories count as near neighbours. ``geography``: of the inference profile by which the model is
    called, such as ``eu.``; empty where it is called itself.
    """

    model_id: str
    dimensions: int
    max_bytes: int
    batch: int
    request: Callable[[Sequence[str], Purpose, int], Body]
    vectors: Callable[[Body], Sequence[Sequence[float]]]
    dense_weight: float = 2.0
    similar_floor: float = 0.7
    geography: str = ""

    @property
    def invoke_id(self) -> str:
        return f"{self.geography}{self.model_id}"

    @property
    def name(self) -> str:
        """Id that travels with every vector: the same model in another size makes other vectors, and by whichever
        profile it is called the same ones."""
        return f"{self.model_id}/{self.dimensions}"


def _titan_request(texts: Sequence[str], _: Purpose, dimensions: int) -> Body:
    return {"inputText": texts[0], "dimensions": dimensions, "normalize": True}


def _titan_vectors(answer: Body) -> Sequence[Sequence[float]]:
    return [answer["embedding"]]


def _cohere_request(texts: Sequence[str], purpose: Purpose, dimensions: int) -> Body:
    return {
        "texts": list(texts),
        "input_type": "search_query" if purpose == "query" else "search_document",
        "embedding_types": ["float"],
        "output_dimension": dimensions,
        "truncate": "NONE",
    }


def _cohere_vectors(answer: Body) -> Sequence[Sequence[float]]:
    return answer["embeddings"]["float"]


TITAN_V2 = BedrockModel(
    model_id="amazon.titan-embed-text-v2:0",
    dimensions=512,
    max_bytes=8_192,
    batch=1,
    request=_titan_request,
    vectors=_titan_vectors,
)
COHERE_V4 = BedrockModel(
    model_id="cohere.embed-v4:0",
    dimensions=512,
    max_bytes=128_000,
    batch=96,
    request=_cohere_request,
    vectors=_cohere_vectors,
)
# What the local stack answers with: all-MiniLM-L6-v2 in Titan's wire format, padded with zeros: its cosines stay.
STAND_IN = BedrockModel(
    model_id="local.all-minilm-l6-v2",
    dimensions=512,
    max_bytes=32_768,
    batch=1,
    request=_titan_request,
    vectors=_titan_vectors,
    similar_floor=0.6,
)

MODELS = (TITAN_V2, COHERE_V4, STAND_IN)
BY_NAME: Mapping[str, BedrockModel] = {model.name: model for model in MODELS}
_GEOGRAPHY = re.compile(r"[a-z][a-z-]*\.")


def model_called(invoke_id: str) -> BedrockModel | None:
    """The model that Bedrock calls by this id: its own, or that of an inference profile, which puts a geography in
    front (``eu.cohere.embed-v4:0``). None for a model that is not known here."""
    for model in MODELS:
        geography = invoke_id.removesuffix(model.model_id)
        if geography + model.model_id == invoke_id and (not geography or _GEOGRAPHY.fullmatch(geography)):
            return replace(model, geography=geography)
    return None


def pieces(text: str, max_bytes: int) -> Iterator[str]:
    """The text in parts of at most ``max_bytes`` bytes of UTF-8, cut at white space where some is near the end."""
    while text:
        head = text.encode("utf-8", "replace")[:max_bytes].decode("utf-8", "ignore")
        if len(head) < len(text):
            cut = max(head.rfind(space) for space in " \n\t")
            head = head[: cut + 1] if cut > len(head) // 2 else head
        yield head
        text = text[len(head) :]

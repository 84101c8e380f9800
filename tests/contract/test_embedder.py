"""What the port ``Embedder`` promises, asked of every adapter: to add one, add its maker."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cache, partial
from math import hypot

import pytest

from m4a.adapters.bedrock.client import bedrock_client
from m4a.adapters.bedrock.embedder import BedrockEmbedder
from m4a.adapters.bedrock.models import STAND_IN, BedrockModel
from m4a.adapters.onnx import OnnxEmbedder
from m4a.domain.memory import Embedding
from m4a.domain.vectors import cosines, unpack
from m4a.local.bedrock_stand_in import BedrockStandIn
from m4a.local.stack import REGION, use_local_credentials
from m4a.ports import Embedder

onnx = cache(OnnxEmbedder.load)


@contextmanager
def bedrock(model: BedrockModel) -> Generator[Embedder]:
    """The adapter in front of the endpoint of the local stack."""
    use_local_credentials()
    with BedrockStandIn(onnx()) as stand_in:
        yield BedrockEmbedder(bedrock_client(REGION, stand_in.address, timeout_s=30), model)


MAKERS: dict[str, Callable[[], AbstractContextManager[Embedder]]] = {
    "onnx": lambda: nullcontext(onnx()),
    "bedrock": partial(bedrock, STAND_IN),
    "bedrock-in-parts": partial(bedrock, replace(STAND_IN, max_bytes=1_000)),
}

TEA = "Nadia switched from coffee to green tea."
BOILER = "The boiler in the cellar is serviced every October."
LONG = " ".join(f"Step {number}: turn the valve a little and write the pressure down." for number in range(120))


@pytest.fixture(scope="module", params=MAKERS)
def embedder(request: pytest.FixtureRequest) -> Generator[Embedder]:
    with MAKERS[request.param]() as made:
        yield made


def cosine(one: Embedding, other: Embedding) -> float:
    (value,) = cosines(one, [other])
    assert value is not None
    return value


def embed_documents(embedder: Embedder, texts: Sequence[str]) -> list[Embedding]:
    return embedder.embed(texts, "document")


def test_every_vector_carries_the_model_id_and_has_unit_length_and_one_size(embedder: Embedder) -> None:
    found = [*embed_documents(embedder, [TEA, BOILER, LONG, ""]), *embedder.embed(["green tea?"], "query")]
    assert {one.model for one in found} == {embedder.model}
    assert len({len(one.data) for one in found}) == 1
    assert [hypot(*unpack(one.data)) for one in found] == pytest.approx([1.0] * 5, abs=2e-3)


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([], "document") == []


def test_a_text_has_the_same_vector_alone_as_in_a_batch_of_mixed_lengths(embedder: Embedder) -> None:
    texts = [f"{BOILER} {'It runs on gas. ' * number}" for number in (0, 40, 3, 21, 1, 70, 2, 9, 33, 5, 0)]
    together = embed_documents(embedder, texts)
    alone = [embed_documents(embedder, [text])[0] for text in texts]
    assert [cosine(one, other) for one, other in zip(together, alone, strict=True)] == pytest.approx(
        [1.0] * 11, abs=2e-3
    )
    assert cosine(together[0], together[1]) < 0.99


def test_a_query_is_closest_to_the_text_that_answers_it(embedder: Embedder) -> None:
    (query,) = embedder.embed(["What does Nadia drink now?"], "query")
    tea, boiler = embed_documents(embedder, [TEA, BOILER])
    assert cosine(query, tea) > cosine(query, boiler) + 0.2


def test_the_similar_floor_parts_an_update_from_another_statement(embedder: Embedder) -> None:
    tea, update, boiler = embed_documents(embedder, [TEA, "Nadia went back from green tea to coffee.", BOILER])
    assert cosine(tea, update) >= embedder.similar_floor > cosine(tea, boiler)


def test_the_weight_of_the_cosine_is_positive(embedder: Embedder) -> None:
    assert embedder.dense_weight > 0


@pytest.mark.parametrize("text", ["", " \n\t", "\0", "\u200b", "\ud800", "\x07\x1b"])
def test_a_text_without_words_has_a_vector(embedder: Embedder, text: str) -> None:
    (found,) = embed_documents(embedder, [text])
    assert hypot(*unpack(found.data)) == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("intruder", ["\0", "\ud83d", "\udc00"])
def test_a_nul_or_half_a_surrogate_pair_does_not_hide_the_words_behind_it(embedder: Embedder, intruder: str) -> None:
    clean, broken, other = embed_documents(embedder, [TEA, TEA.replace(" green", f" {intruder}green"), BOILER])
    assert cosine(clean, broken) > 0.9 > cosine(broken, other)


def test_the_last_words_of_a_long_text_count(embedder: Embedder) -> None:
    plain, ending = embed_documents(embedder, [LONG, f"{LONG} {BOILER}"])
    (query,) = embedder.embed([BOILER], "query")
    assert cosine(query, ending) > cosine(query, plain) + 0.01


def test_a_long_text_is_close_to_each_of_its_halves(embedder: Embedder) -> None:
    first, second = f"{TEA} " * 60, f"{BOILER} " * 60
    whole, tea, boiler, steps = embed_documents(embedder, [first + second, first, second, LONG])
    assert min(cosine(whole, tea), cosine(whole, boiler)) > max(cosine(whole, steps), 0.5)


def test_a_very_long_word_is_not_lost(embedder: Embedder) -> None:
    one, other = embed_documents(embedder, [f"{'ab' * 400}{end}" for end in ("", " boiler in the cellar")])
    less = embed_documents(embedder, ["xy" * 400])[0]
    assert cosine(one, other) < 0.999
    assert cosine(one, less) < 0.999


def test_threads_can_share_it(embedder: Embedder) -> None:
    texts = [f"Parcel {number} waits at the {place}." for number in range(12) for place in ("harbour", "station")]
    expected = embed_documents(embedder, texts)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(embed_documents, embedder, [text]) for text in texts]
    found = [answer.result()[0] for answer in answers]
    assert [cosine(one, other) for one, other in zip(expected, found, strict=True)] == pytest.approx(
        [1.0] * 24, abs=2e-3
    )

"""What the embedder of the aws profile sends over the wire, and what it makes of the answers and of none."""

import json
import os
from collections.abc import Callable, Generator, Sequence
from math import hypot
from typing import Any

import pytest
from botocore.session import get_session

from m4a.adapters import aws_session
from m4a.adapters.bedrock.client import bedrock_client
from m4a.adapters.bedrock.embedder import BedrockEmbedder
from m4a.adapters.bedrock.models import COHERE_V4, TITAN_V2, BedrockModel
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.vectors import cosines, unpack
from m4a.local.bedrock_stand_in import BedrockStandIn
from m4a.local.stack import REGION, use_local_credentials
from tests.support.hashed_words import HashedWords
from tests.support.proxy import Fault, Proxy, Request
from tests.support.proxy_faults import answering, cut_short, first, lost_answer, only, rewritten

TIMEOUT_S = 0.5


@pytest.fixture(scope="module")
def endpoint() -> Generator[Proxy]:
    """Bedrock's endpoint, with a model whose vectors tell the words of a text."""
    use_local_credentials()
    with BedrockStandIn(HashedWords()) as stand_in, Proxy(stand_in.address) as proxy:
        yield proxy


@pytest.fixture
def asked(endpoint: Proxy) -> list[Request]:
    """What the endpoint is asked from now on."""
    endpoint.asked.clear()
    return endpoint.asked


def embedder_of(endpoint: Proxy, model: BedrockModel = TITAN_V2) -> BedrockEmbedder:
    return BedrockEmbedder(bedrock_client(REGION, endpoint.address, TIMEOUT_S), model)


def bodies(asked: Sequence[Request]) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in asked]


def like(found: Sequence[Embedding], texts: Sequence[str]) -> list[float | None]:
    """The cosine of each to what the model makes of the text."""
    own = HashedWords().embed(texts, "query")
    pairs = [(one, Embedding(one.model, other.data)) for one, other in zip(found, own, strict=True)]
    return [cosines(one, [other])[0] for one, other in pairs]


def test_titan_is_asked_for_one_text_at_a_time_and_the_order_stays(endpoint: Proxy, asked: list[Request]) -> None:
    texts = [f"Parcel {number} waits at the harbour." for number in range(20)]
    with endpoint.failing(only(lambda request: b"Parcel 0" in request.body, endpoint.delayed(0.2))):
        found = embedder_of(endpoint).embed(texts, "document")
    assert like(found, texts) == pytest.approx([1.0] * 20, abs=1e-3)
    assert {one.model for one in found} == {"amazon.titan-embed-text-v2:0/512"}
    assert {(request.method, request.path) for request in asked} == {
        ("POST", "/model/amazon.titan-embed-text-v2%3A0/invoke")
    }
    assert {request.headers["content-type"] for request in asked} == {"application/json"}
    assert sorted(body["inputText"] for body in bodies(asked)) == sorted(texts)
    assert {(body["dimensions"], body["normalize"], len(body)) for body in bodies(asked)} == {(512, True, 3)}


def test_cohere_is_asked_for_96_texts_at_a_time_and_told_what_they_are_for(
    endpoint: Proxy, asked: list[Request]
) -> None:
    texts = [f"Parcel {number} waits at the harbour." for number in range(200)]
    found = embedder_of(endpoint, COHERE_V4).embed(texts, "document")
    assert like(found, texts) == pytest.approx([1.0] * 200, abs=1e-3)
    assert {request.path for request in asked} == {"/model/cohere.embed-v4%3A0/invoke"}
    assert sorted(len(body["texts"]) for body in bodies(asked)) == [8, 96, 96]
    rest = {"input_type": "search_document", "embedding_types": ["float"], "output_dimension": 512, "truncate": "NONE"}
    assert all({name: value for name, value in body.items() if name != "texts"} == rest for body in bodies(asked))
    asked.clear()
    embedder_of(endpoint, COHERE_V4).embed(["Where is parcel 7?"], "query")
    assert [(body["input_type"], body["texts"]) for body in bodies(asked)] == [("search_query", ["Where is parcel 7?"])]


def test_a_text_beyond_the_models_limit_goes_whole_in_parts_that_count_by_their_length(
    endpoint: Proxy, asked: list[Request]
) -> None:
    text = "cellar " * 800 + "boîler " * 800
    (found,) = embedder_of(endpoint).embed([text], "document")
    longer, shorter = sorted((body["inputText"] for body in bodies(asked)), key=len, reverse=True)
    assert longer + shorter == text
    assert len(longer.encode()) <= TITAN_V2.max_bytes
    vectors = [unpack(one.data) for one in HashedWords().embed([longer, shorter], "document")]
    mean = [len(longer) * one + len(shorter) * other for one, other in zip(*vectors, strict=True)]
    assert unpack(found.data) == pytest.approx([value / hypot(*mean) for value in mean], abs=2e-3)


THROTTLED = {
    "throttled": answering(429, b'{"message": "too many"}', x_amzn_errortype="ThrottlingException"),
    "not ready": answering(429, b'{"message": "not ready"}', x_amzn_errortype="ModelNotReadyException"),
    "over quota": answering(400, b'{"message": "quota"}', x_amzn_errortype="ServiceQuotaExceededException"),
}


@pytest.mark.parametrize("fault", THROTTLED)
def test_a_model_that_takes_no_more_is_throttled(endpoint: Proxy, fault: str) -> None:
    with endpoint.failing(THROTTLED[fault]), pytest.raises(Throttled) as refusal:
        embedder_of(endpoint).embed(["tea"], "query")
    assert refusal.value.retry_after >= 1


def refusing(status: int, kind: str) -> Fault:
    return answering(status, b'{"message": "cannot do that with: tea"}', x_amzn_errortype=kind)


def embedding(change: Callable[[list[float]], Any]) -> Fault:
    """The endpoint's vector, changed."""
    return rewritten(lambda body: {**body, "embedding": change(body["embedding"])})


REFUSALS = {
    "access denied": refusing(403, "AccessDeniedException"),
    "unknown token": refusing(403, "UnrecognizedClientException"),
    "no such model": refusing(404, "ResourceNotFoundException"),
    "malformed request": refusing(400, "ValidationException"),
    "the model took too long": refusing(408, "ModelTimeoutException"),
    "the model failed": refusing(424, "ModelErrorException"),
    "the service failed": refusing(500, "InternalServerException"),
    "the service is away": refusing(503, "ServiceUnavailableException"),
    "a gateway": answering(502, b"<html>bad gateway</html>", "text/html"),
}
GARBAGE = {
    "no JSON": answering(200, b"\xff\xfe tea"),
    "nothing": answering(200, b""),
    "another page": answering(200, b"<html>welcome</html>", "text/html"),
    "a list": rewritten(lambda body: [body]),
    "no embedding": rewritten(lambda _: {"message": "ok"}),
    "null": embedding(lambda _: None),
    "an object": embedding(lambda _: {"0": 1.0}),
    "too many dimensions": embedding(lambda vector: [*vector, 0.0]),
    "too few dimensions": embedding(lambda vector: vector[:256]),
    "words for numbers": embedding(lambda vector: ["tea"] * len(vector)),
    "holes": embedding(lambda vector: [None] * len(vector)),
    "no direction": embedding(lambda vector: [0.0] * len(vector)),
    "no numbers": embedding(lambda vector: [float("nan")] * len(vector)),
    "beyond numbers": embedding(lambda vector: [10**400] * len(vector)),
    "half an answer": cut_short,
    "a lost answer": lost_answer,
}


@pytest.mark.parametrize("fault", [*REFUSALS.values(), *GARBAGE.values()], ids=[*REFUSALS, *GARBAGE])
def test_any_other_answer_is_a_model_that_can_not_be_used_and_quotes_nothing(endpoint: Proxy, fault: Fault) -> None:
    with endpoint.failing(fault), pytest.raises(Unavailable) as refusal:
        embedder_of(endpoint).embed(["tea"], "query")
    assert "tea" not in str(refusal.value)


def test_a_batch_of_cohere_that_lacks_a_vector_is_refused(endpoint: Proxy) -> None:
    lacking = rewritten(lambda body: {"embeddings": {"float": body["embeddings"]["float"][1:]}})
    with endpoint.failing(lacking), pytest.raises(Unavailable):
        embedder_of(endpoint, COHERE_V4).embed(["tea", "coffee"], "document")


def test_no_answer_in_time_is_unavailable_after_a_second_attempt(endpoint: Proxy, asked: list[Request]) -> None:
    with endpoint.failing(endpoint.hanging), pytest.raises(Unavailable):
        embedder_of(endpoint).embed(["tea"], "query")
    assert len(asked) == 2


def test_an_endpoint_where_nothing_listens_is_unavailable(endpoint: Proxy) -> None:
    with endpoint.refusing(), pytest.raises(Unavailable):
        embedder_of(endpoint).embed(["tea"], "query")


def test_one_text_that_fails_fails_all_of_them(endpoint: Proxy) -> None:
    fault = only(lambda request: b"coffee" in request.body, refusing(500, "InternalServerException"))
    with endpoint.failing(fault), pytest.raises(Unavailable):
        embedder_of(endpoint).embed(["tea", "coffee", "water"], "document")


def test_a_single_failure_is_tried_again(endpoint: Proxy) -> None:
    with endpoint.failing(first(1, refusing(503, "ServiceUnavailableException"))):
        found = embedder_of(endpoint).embed(["tea"], "query")
    assert like(found, ["tea"]) == pytest.approx([1.0], abs=1e-3)


def test_without_credentials_nothing_is_sent_and_the_message_says_why(
    endpoint: Proxy, asked: list[Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(aws_session, "session", get_session)  # the process's own has found credentials
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    with pytest.raises(Unavailable) as refusal:
        embedder_of(endpoint).embed(["tea"], "query")
    assert "credentials" in str(refusal.value)
    assert asked == []

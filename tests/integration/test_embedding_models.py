"""Which model on Bedrock is called, and by which id."""

from collections.abc import Generator

import pytest

from m4a.adapters.bedrock.models import COHERE_V4, STAND_IN, TITAN_V2, model_called
from m4a.bootstrap import load_embedder
from m4a.bootstrap.embedders import QueryEmbedder
from m4a.local.bedrock_stand_in import BedrockStandIn
from m4a.local.stack import REGION, use_local_credentials
from m4a.settings import Settings, SettingsError
from tests.support.hashed_words import HashedWords
from tests.support.proxy import Proxy

PROFILE = "eu.cohere.embed-v4:0"


@pytest.fixture(scope="module")
def endpoint() -> Generator[Proxy]:
    use_local_credentials()
    with BedrockStandIn(HashedWords()) as stand_in, Proxy(stand_in.address) as proxy:
        yield proxy


def settings_of(endpoint: Proxy, model: str, former: str | None = None) -> Settings:
    fields = {"region": REGION, "bedrock_url": endpoint.address, "table": "memories", "search_url": "https://search"}
    return Settings.model_validate(
        {"profile": "aws", "embedding_model": model, "former_embedding_model": former, **fields}
    )


def called(endpoint: Proxy) -> list[str]:
    return [request.path.split("/")[2] for request in endpoint.asked]


def test_a_model_can_be_called_by_an_inference_profile_and_its_vectors_are_the_models(endpoint: Proxy) -> None:
    endpoint.asked.clear()
    embedder = load_embedder(settings_of(endpoint, PROFILE))
    (embedding,) = embedder.embed(["tea"], "query")
    assert called(endpoint) == ["eu.cohere.embed-v4%3A0"]
    assert embedding.model == embedder.model == COHERE_V4.name == "cohere.embed-v4:0/512"


@pytest.mark.parametrize(
    "invoke_id", ["cohere.embed-v4", "eucohere.embed-v4:0", "EU.cohere.embed-v4:0", ".cohere.embed-v4:0", "x", ""]
)
def test_what_is_neither_a_model_nor_a_profile_of_one_is_not_known(invoke_id: str) -> None:
    assert model_called(invoke_id) is None


@pytest.mark.parametrize("model", [TITAN_V2, COHERE_V4, STAND_IN])
def test_a_model_is_known_by_its_own_id(model: object) -> None:
    assert isinstance(model, type(TITAN_V2)) and model_called(model.model_id) == model


def test_a_model_that_is_not_known_is_refused_by_the_name_of_its_setting(endpoint: Proxy) -> None:
    with pytest.raises(SettingsError, match=r"^M4A_EMBEDDING_MODEL: is not one of amazon"):
        load_embedder(settings_of(endpoint, "meta.llama"))
    with pytest.raises(SettingsError, match=r"^M4A_FORMER_EMBEDDING_MODEL: is not one of amazon"):
        QueryEmbedder(settings_of(endpoint, PROFILE, "meta.llama"), HashedWords(), lambda: TITAN_V2.name)


@pytest.mark.parametrize(
    ("former", "invoked"),
    [(PROFILE, "eu.cohere.embed-v4%3A0"), (None, "cohere.embed-v4%3A0"), (TITAN_V2.model_id, "cohere.embed-v4%3A0")],
)
def test_until_a_reindex_queries_are_embedded_by_the_indexs_model_as_the_former_one_is_called(
    endpoint: Proxy, former: str | None, invoked: str
) -> None:
    endpoint.asked.clear()
    settings = settings_of(endpoint, TITAN_V2.model_id, former)
    ask = QueryEmbedder(settings, load_embedder(settings), lambda: COHERE_V4.name)
    assert {one.model for one in ask().embed(["tea"], "query")} == {COHERE_V4.name}
    assert called(endpoint) == [invoked]


def test_after_it_they_are_embedded_by_the_configured_one_by_whichever_id(endpoint: Proxy) -> None:
    configured = load_embedder(settings_of(endpoint, PROFILE, COHERE_V4.model_id))
    assert QueryEmbedder(settings_of(endpoint, PROFILE), configured, lambda: COHERE_V4.name)() is configured

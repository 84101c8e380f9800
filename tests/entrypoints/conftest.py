"""One running local server for the tests of the HTTPS entry point."""

from collections.abc import Iterator

import httpx
import pytest

from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.service import Limits, Service
from m4a.bootstrap import build_operator
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.settings import Settings
from tests.entrypoints.doubles import TOKENS, Gate


@pytest.fixture(scope="package")
def gate() -> Gate:
    return Gate(OnnxEmbedder.load())


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory, gate: Gate) -> Iterator[Service]:
    path = tmp_path_factory.mktemp("server") / "m4a.db"
    limits = Limits(query_embedding_s=20, document_embedding_s=20)
    made = build_operator(Settings.model_validate({"db": path}), embedder=gate, limits=limits).service
    yield made
    made.close()


@pytest.fixture(scope="package")
def server(service: Service) -> Iterator[LocalServer]:
    with LocalServer(service, Tokens.of(TOKENS)) as running:
        yield running


@pytest.fixture(scope="package")
def ana(server: LocalServer) -> Iterator[httpx.Client]:
    headers = {"authorization": "Bearer t-ana", "content-type": "application/json"}
    with httpx.Client(base_url=server.address, headers=headers, timeout=30) as client:
        yield client

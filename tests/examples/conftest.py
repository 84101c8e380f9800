"""A server for the examples, and the examples as modules."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from uuid import uuid4

import pytest

from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.service import Limits
from m4a.bootstrap import build_operator
from m4a.client import Client
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(path: str) -> ModuleType:
    """The example in that file below ``examples/``."""
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), EXAMPLES / path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    path = tmp_path_factory.mktemp("examples") / "m4a.db"
    limits = Limits(query_embedding_s=20, document_embedding_s=20)
    service = build_operator(Settings.model_validate({"db": path}), embedder=OnnxEmbedder.load(), limits=limits).service
    backend = {"user": "backend", "scope": "memory:delegate"}
    tokens = Tokens.of({"service-token": backend, "langgraph-token": "langgraph", "strands-token": "strands"})
    with LocalServer(service, tokens) as running:
        yield running
    service.close()


@pytest.fixture
def memory(server: LocalServer) -> Iterator[Client]:
    """A client of a user that no other test has."""
    with Client(server.address, "service-token", user=f"user {uuid4()}") as client:
        yield client

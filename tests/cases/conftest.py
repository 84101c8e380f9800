"""The model, loaded once."""

import pytest

from m4a.adapters.onnx import OnnxEmbedder


@pytest.fixture(scope="session")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder.load()

"""The profile in which the runner itself is tested."""

import pytest

from m4a.ports import Embedder
from tests.support.profiles import EmbeddedProfile


@pytest.fixture(scope="session")
def embedded(onnx: Embedder) -> EmbeddedProfile:
    return EmbeddedProfile(onnx)

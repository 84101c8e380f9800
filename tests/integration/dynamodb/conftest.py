"""Adapters against what stands in for their backends on this machine."""

from collections.abc import Generator

import pytest

from tests.contract.building import START, Scribe
from tests.support.doubles import SettableClock
from tests.support.dynamodb import Dynamo, open_dynamo


@pytest.fixture
def dynamo() -> Generator[Dynamo]:
    with open_dynamo(SettableClock(START)) as opened:
        yield opened


@pytest.fixture
def ann(dynamo: Dynamo) -> Scribe:
    """Writes the memories of the owner ``ANN``."""
    return Scribe(dynamo.store)

"""Adapters against what stands in for their backends on this machine."""

from collections.abc import Generator
from typing import Any

import pytest

from m4a.application.service import Service
from m4a.domain.vectors import cosines
from m4a.ports.deadline import LimitedPool
from tests.contract.building import START, Scribe
from tests.integration.dynamodb.sweeping import Model
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


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def service(dynamo: Dynamo, model: Model) -> Generator[Service]:
    none: Any = None
    with LimitedPool(2) as pool:
        yield Service(
            store=dynamo.store,
            outbox=dynamo.outbox,
            log=dynamo.log,
            index=none,
            embedder=model,
            clock=dynamo.clock,
            cosines=cosines,
            pool=pool,
            close=lambda: None,
        )

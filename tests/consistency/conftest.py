"""The backends that all histories share, and a bench for each test."""

from collections.abc import Iterator

import pytest

from tests.consistency.bench import Bench, Place, bench, place


@pytest.fixture(scope="session")
def shared_place(opensearch_address: str) -> Iterator[Place]:
    with place(opensearch_address) as opened:
        yield opened


@pytest.fixture
def quiet_bench(shared_place: Place) -> Iterator[Bench]:
    """A service whose changes are indexed only where a test does it."""
    with bench(shared_place) as opened:
        yield opened

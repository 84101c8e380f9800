"""The product with metrics, and what it logs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from m4a.application.service import Service
from m4a.bootstrap import build_operator
from m4a.domain.owner import Caller, Owner
from m4a.settings import Settings
from m4a.tools import call_tool
from tests.support.doubles import FaultyEmbedder
from tests.support.hashed_words import HashedWords
from tests.telemetry.doors import MARK, NAMESPACE
from tests.telemetry.lines import Lines, everything_logged

CALLER = Caller(Owner("default", f"{MARK}user"), f"{MARK}user", "test", "test")


@pytest.fixture
def embedder() -> FaultyEmbedder:
    return FaultyEmbedder(HashedWords())


@pytest.fixture
def service(tmp_path: Path, embedder: FaultyEmbedder) -> Iterator[Service]:
    settings = Settings.model_validate({"db": tmp_path / "m4a.db", "metrics_namespace": NAMESPACE})
    made = build_operator(settings, embedder=embedder).service
    yield made
    made.close()


@pytest.fixture
def memory_id(service: Service) -> str:
    """Of a memory of the user of the sample events."""
    return remembered(service)


@pytest.fixture
def lines() -> Iterator[Lines]:
    with everything_logged() as logged:
        yield logged


def remembered(service: Service) -> str:
    made = call_tool(service, CALLER, "remember", {"content": f"{MARK}content of a memory"})
    return str(made["memory_id"])

"""Looking for similar memories may go wrong; the write that it follows was made."""

import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest

from m4a.application.remember import Remember, remember
from m4a.application.service import Limits
from m4a.bootstrap import Operator
from m4a.domain.memory import Embedding
from m4a.domain.owner import Caller, Owner


def test_a_memory_is_stored_and_answered_although_looking_for_similar_ones_goes_wrong(
    operator: Operator, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_query: Embedding, _documents: Sequence[Embedding | None]) -> list[float | None]:
        raise ZeroDivisionError("Keeps bees")

    caller = Caller(Owner("default", "alice"), "alice", "test", "req-1")
    service = replace(operator.service, cosines=broken, limits=Limits(similar_s=10.0))
    with caplog.at_level(logging.ERROR):
        made = remember(service, caller, Remember(content="Keeps bees"))

    assert made.created and [one.code for one in made.degraded] == ["similar_unavailable"]
    assert operator.service.store.get(caller.owner, [made.memory.memory_id]) == {made.memory.memory_id: made.memory}
    (line,) = caplog.messages
    assert line.startswith("ZeroDivisionError at test_similar.py:") and "bees" not in line

"""A recall without an index: the newest memories of the table, and what was changed of late."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.application import reading
from m4a.application.forget import Forget, forget
from m4a.application.recall import Recall, Recalled, recall
from m4a.application.remember import Remember, remember
from m4a.application.service import Limits, Service
from m4a.application.update_memory import UpdateMemory, update_memory
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Filters, Memory
from m4a.domain.owner import Caller, Owner
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.domain.vectors import cosines
from m4a.ports.deadline import LimitedPool
from tests.contract.building import ANN
from tests.support.doubles import SettableClock
from tests.support.dynamodb import Dynamo, Step, fail, lose_request, pass_on
from tests.support.hashed_words import HashedWords

CALLER = Caller(ANN, "ann", "test", "r-1")


class Down:
    """An index that does not answer."""

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        raise Unavailable("The search index did not answer.")


@pytest.fixture
def service(dynamo: Dynamo) -> Generator[Service]:
    with LimitedPool(2) as pool:
        yield Service(
            store=dynamo.store,
            outbox=dynamo.outbox,
            log=dynamo.log,
            index=Down(),
            embedder=HashedWords(),
            clock=dynamo.clock,
            cosines=cosines,
            pool=pool,
            close=lambda: None,
            limits=Limits(scan_memories=2),
        )


def stored(service: Service, clock: SettableClock, count: int) -> list[Memory]:
    """Memories that wait for the index no longer."""
    made: list[Memory] = []
    for number in range(count):
        clock.advance(seconds=1)
        made.append(remember(service, CALLER, Remember(content=f"Box {number} holds tools")).memory)
    for entry in service.outbox.pending(ANN, 10):
        service.outbox.settle(ANN, entry)
    return made


def change(service: Service, memory: Memory, content: str) -> Memory:
    changes: dict[str, Any] = {"content": content}
    return update_memory(service, CALLER, UpdateMemory(memory_id=memory.memory_id, changes=changes)).memory


def ask(service: Service) -> Recalled:
    return recall(service, CALLER, Recall(query="zebra", filters=Filters()))


def found(recalled: Recalled) -> list[str]:
    return [one.memory.content for one in recalled.ranked if "zebra" in one.memory.content]


def test_an_old_memory_that_was_changed_just_now_is_found(dynamo: Dynamo, service: Service) -> None:
    old, *_ = stored(service, dynamo.clock, 4)
    change(service, old, "The zebra is lent")
    change(service, old, "The zebra is back")
    recalled = ask(service)
    assert found(recalled) == ["The zebra is back"]
    assert (recalled.candidates.pending, recalled.candidates.read) == (1, 3)
    (degraded,) = recalled.degraded
    assert degraded.code == "search_unavailable"
    assert "the newest 2" in degraded.message and "of the older ones 1 that changed lately" in degraded.message


def test_a_memory_that_is_new_and_pending_is_read_and_counted_once(dynamo: Dynamo, service: Service) -> None:
    stored(service, dynamo.clock, 2)
    remember(service, CALLER, Remember(content="The zebra is back"))
    dynamo.client.sent.clear()
    recalled = ask(service)
    assert found(recalled) == ["The zebra is back"]
    assert (recalled.candidates.read, recalled.candidates.statistics.memories) == (2, 2)
    assert "older ones were not looked at" in recalled.degraded[0].message
    assert dynamo.client.requests("batch_get_item") == []


def test_a_change_to_what_is_gone_brings_nothing_back(dynamo: Dynamo, service: Service) -> None:
    forgotten, expired, *_ = stored(service, dynamo.clock, 4)
    forget(service, CALLER, Forget(memory_id=forgotten.memory_id, reason="sold"))
    soon: dict[str, Any] = {"content": "The zebra is lent", "expires_at": dynamo.clock.now().replace(year=2027)}
    update_memory(service, CALLER, UpdateMemory(memory_id=expired.memory_id, changes=soon))
    assert found(ask(service)) == ["The zebra is lent"]
    dynamo.clock.advance(days=400)
    recalled = ask(service)
    assert found(recalled) == [] and recalled.candidates.read == 2
    assert [one.code for one in recalled.degraded] == ["search_unavailable"]


@pytest.mark.parametrize("step", [fail("ThrottlingException"), lose_request], ids=["throttled", "lost"])
def test_changes_that_can_not_be_read_are_named_and_the_newest_answer(
    dynamo: Dynamo, service: Service, step: Step
) -> None:
    old, *_, newest = stored(service, dynamo.clock, 4)
    change(service, old, "The zebra is lent")
    change(service, newest, "The zebra is back")
    dynamo.client.script("batch_get_item", *[step] * ATTEMPTS)
    recalled = ask(service)
    assert found(recalled) == ["The zebra is back"]
    assert [one.code for one in recalled.degraded] == ["search_unavailable", "memories_unread"]
    assert old.memory_id in recalled.degraded[1].message and newest.memory_id not in recalled.degraded[1].message
    assert "older ones were not looked at" in recalled.degraded[0].message


def test_a_change_is_found_though_the_scan_breaks_off(
    dynamo: Dynamo, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SCAN_PAGE", 1)
    patient = replace(service, limits=Limits(scan_memories=9))
    old, *_ = stored(service, dynamo.clock, 4)
    change(service, old, "The zebra is back")

    dynamo.client.script("query", pass_on, pass_on, lose_request)
    recalled = ask(patient)
    assert found(recalled) == ["The zebra is back"] and recalled.candidates.read == 2

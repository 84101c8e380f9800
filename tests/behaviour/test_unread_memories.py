"""What a recall says when the store can read only some of the candidates."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime

import pytest

from m4a.application.forget import Forget, forget
from m4a.application.recall import Recall, Recalled, recall
from m4a.application.remember import Remember, remember
from m4a.bootstrap import Operator
from m4a.domain.errors import PartlyRead, Unavailable
from m4a.domain.memory import Filters, Memory, Version
from m4a.domain.owner import Caller, Owner
from m4a.domain.records import Change, CommitResult, Page
from m4a.ports import MemoryStore

ALICE = Caller(Owner("default", "alice"), "alice", "test", "r-1")


class PatchyStore:
    """A store that can't read the memories that are named in ``unreadable``."""

    def __init__(self, inner: MemoryStore) -> None:
        self._inner = inner
        self.unreadable: frozenset[str] = frozenset()

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        unread = self.unreadable & set(memory_ids)
        found = self._inner.get(owner, [one for one in memory_ids if one not in unread])
        if unread:
            raise PartlyRead("Not all memories could be read.", found, unread)
        return found

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        return self._inner.commit(owner, change)

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        return self._inner.list(owner, filters, now, cursor, limit)

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        return self._inner.history(owner, memory_id)

    def snapshot(self) -> AbstractContextManager[None]:
        return self._inner.snapshot()


@pytest.fixture
def patchy(operator: Operator) -> tuple[Operator, PatchyStore]:
    store = PatchyStore(operator.service.store)
    return replace(operator, service=replace(operator.service, store=store)), store


def ask(operator: Operator) -> Recalled:
    return recall(operator.service, ALICE, Recall(query="What does Nadia drink?", filters=Filters()))


def test_a_memory_that_can_not_be_read_is_named_and_the_others_are_returned(
    patchy: tuple[Operator, PatchyStore],
) -> None:
    operator, store = patchy
    texts = ("Nadia drinks green tea.", "Nadia drinks water with her lunch.")
    tea, water = (remember(operator.service, ALICE, Remember(content=text)).memory for text in texts)
    store.unreadable = frozenset({tea.memory_id})
    recalled = ask(operator)
    assert [one.memory.memory_id for one in recalled.ranked] == [water.memory_id]
    (degraded,) = recalled.degraded
    assert degraded.code == "memories_unread"
    assert tea.memory_id in degraded.message and water.memory_id not in degraded.message
    store.unreadable = frozenset()
    assert ask(operator).degraded == ()


def test_many_unread_memories_are_named_in_a_short_sentence(patchy: tuple[Operator, PatchyStore]) -> None:
    operator, store = patchy
    texts = [f"Nadia drinks tea number {number}." for number in range(14)]
    store.unreadable = frozenset(
        remember(operator.service, ALICE, Remember(content=text)).memory.memory_id for text in texts
    )
    (degraded,) = ask(operator).degraded
    assert sum(one in degraded.message for one in store.unreadable) == 10
    assert "and 4 more" in degraded.message


def test_a_memory_that_can_not_be_read_is_not_answered_as_unknown(patchy: tuple[Operator, PatchyStore]) -> None:
    operator, store = patchy
    memory = remember(operator.service, ALICE, Remember(content="Nadia drinks green tea.")).memory
    store.unreadable = frozenset({memory.memory_id})
    with pytest.raises(Unavailable):
        forget(operator.service, ALICE, Forget(memory_id=memory.memory_id, reason="no longer true"))

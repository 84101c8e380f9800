"""What a recall says when the store can read only some of the candidates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.store import SqliteStore
from m4a.application.forget import Forget, forget
from m4a.application.recall import Recall, Recalled, recall
from m4a.application.remember import Remember, remember
from m4a.bootstrap import Operator
from m4a.domain.errors import PartlyRead, Unavailable
from m4a.domain.memory import Filters, Memory
from m4a.domain.owner import Caller, Owner

ALICE = Caller(Owner("default", "alice"), "alice", "test", "r-1")


class PatchyStore(SqliteStore):
    """Can't read the memories that are named in ``unreadable``."""

    unreadable: frozenset[str] = frozenset()

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        unread = self.unreadable & set(memory_ids)
        found = super().get(owner, [one for one in memory_ids if one not in unread])
        if unread:
            raise PartlyRead("Not all memories could be read.", found, unread)
        return found


@pytest.fixture
def patchy(operator: Operator, tmp_path: Path) -> Iterator[tuple[Operator, PatchyStore]]:
    database = Database.open(tmp_path / "m4a.db")
    store = PatchyStore(database)
    yield replace(operator, service=replace(operator.service, store=store)), store
    database.close()


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

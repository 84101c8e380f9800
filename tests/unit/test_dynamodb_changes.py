"""A change as a transaction."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from m4a.adapters.dynamodb.actions import Action
from m4a.adapters.dynamodb.changes import actions_of, pending_of
from m4a.adapters.dynamodb.records import Retention
from m4a.domain.ids import new_ulid
from m4a.domain.memory import MAX_HISTORY, Memory, Version
from m4a.domain.records import Change, Pending
from m4a.domain.text import analyse
from tests.contract.building import ANN, START, embedding, erasure, insertion, key_of, replacement

LATER = START + timedelta(minutes=1)


def memory_of(content: str = "Ann rides the bus.", **fields: Any) -> Memory:
    plain = Memory(
        memory_id=new_ulid(START),
        content=content,
        type="fact",
        importance="medium",
        tags=(),
        source=None,
        created_at=START,
        updated_at=START,
        event_time=None,
        expires_at=None,
        version=1,
        rev=1,
        terms=analyse(content),
        embedding=embedding(content),
    )
    return replace(plain, **fields)


def update(before: Memory, **fields: Any) -> Change:
    after = replace(before, version=before.version + 1, rev=before.rev + 1, updated_at=LATER, **fields)
    return replacement(before, after)


def transaction(change: Change, stored: Sequence[int] = ()) -> list[Action]:
    return actions_of(ANN, change, stored, Retention())


def kinds(change: Change, stored: Sequence[int] = ()) -> list[str]:
    """What the transaction does with which kind of item."""
    return sorted(f"{action.kind} {action.item['sk'][0]}" for action in transaction(change, stored))


def test_an_insert_puts_memory_guard_event_and_outbox_entry() -> None:
    assert kinds(insertion(memory_of())) == ["Put A", "Put D", "Put M", "Put P"]


def test_an_insert_with_an_id_from_outside_checks_that_it_was_not_forgotten() -> None:
    change = insertion(memory_of(), keeps_id=True, key=key_of("k"))
    assert kinds(change) == ["ConditionCheck X", "Put A", "Put D", "Put K", "Put M", "Put P"]


def test_an_update_of_the_text_moves_the_guard_and_archives_the_version() -> None:
    change = update(memory_of(), content="Ann walks.")
    assert kinds(change) == ["Delete D", "Put A", "Put D", "Put H", "Put M", "Put P"]


def test_an_update_of_the_type_moves_the_guard_too() -> None:
    assert {"Delete D", "Put D"} <= set(kinds(update(memory_of(), type="event")))


def test_an_update_that_keeps_type_and_text_leaves_the_guard_alone() -> None:
    assert kinds(update(memory_of(), tags=("travel",))) == ["Put A", "Put H", "Put M", "Put P"]


def test_an_erasure_deletes_all_but_records() -> None:
    memory = memory_of(importance="high")
    deleted = ["Delete C", "Delete D", "Delete H", "Delete H", "Delete M"]
    assert kinds(erasure(memory, LATER), stored=[1, 2]) == [*deleted, "Put A", "Put P", "Put X"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"importance": "low"}, {"importance": "high"}, ["Put C"]),
        ({"importance": "high"}, {"importance": "low"}, ["Delete C"]),
        ({"importance": "high"}, {"tags": ("x",)}, []),
        ({"importance": "high", "type": "task"}, {"type": "preference"}, ["Put C"]),
        ({"importance": "high"}, {"type": "event"}, ["Delete C"]),
        ({"importance": "high"}, {"type": "preference"}, ["Put C"]),
    ],
)
def test_the_pointer_of_the_core_block_follows_importance_and_type(
    before: dict[str, Any], after: dict[str, Any], expected: list[str]
) -> None:
    assert [kind for kind in kinds(update(memory_of(**before), **after)) if kind.endswith("C")] == expected


@pytest.mark.parametrize("stored", [range(1, MAX_HISTORY + 1), range(30, 30 + MAX_HISTORY)])
def test_a_full_history_loses_its_oldest_version(stored: range) -> None:
    change = update(memory_of(version=200))
    (lost,) = [one for one in transaction(change, stored) if one.kind == "Delete"]
    assert lost.item["sk"].endswith(f"#{stored[0]:010}")


def test_an_imported_history_that_is_too_long_keeps_its_newest_versions() -> None:
    memory = memory_of(version=70)
    archive = tuple(Version.of(replace(memory, version=number), LATER) for number in range(1, 70))
    puts = [one.item["sk"][-10:] for one in transaction(insertion(memory, archive=archive)) if one.item["sk"][0] == "H"]
    assert sorted(puts) == [f"{number:010}" for number in range(70 - MAX_HISTORY, 70)]


def longest_changes() -> list[tuple[Change, Sequence[int]]]:
    memory = memory_of(importance="high", version=99)
    archive = tuple(Version.of(replace(memory, version=number), LATER) for number in range(49, 99))
    return [
        (insertion(memory, archive=archive, key=key_of("k"), keeps_id=True), ()),
        (erasure(memory, LATER), range(49, 99)),
        (replace(update(memory, content="Other."), archive=archive, key=key_of("k")), range(1, 51)),
    ]


@pytest.mark.parametrize(("change", "stored"), longest_changes()[:2], ids=["import", "forget"])
def test_a_transaction_stays_below_a_hundred_actions(change: Change, stored: Sequence[int]) -> None:
    assert 50 < len(transaction(change, stored)) < 100


@pytest.mark.parametrize(("change", "stored"), longest_changes(), ids=["import", "forget", "update"])
def test_no_two_actions_touch_one_item(change: Change, stored: Sequence[int]) -> None:
    keys = [action.item["sk"] for action in transaction(change, stored)]
    assert len(keys) == len(set(keys))


def test_a_change_waits_in_the_outbox_under_the_rev_it_makes() -> None:
    memory = memory_of(rev=4)
    for change, rev in ((insertion(memory), 4), (update(memory), 5), (erasure(memory, LATER), 5)):
        assert pending_of(change) == Pending(change.change_id, memory.memory_id, rev)

"""The checker on histories written by hand: each anomaly is seen, and what may happen side by side is let pass."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from m4a.domain.times import format_instant
from tests.consistency.checker import check
from tests.consistency.history import Operation, instant

ONE = "01KTESTMEMORY0000000000001"
TWO = "01KTESTMEMORY0000000000002"
TEA: dict[str, Any] = {"content": "ledger tea", "type": "fact", "importance": "low", "tags": ["home"]}
MILK: dict[str, Any] = {**TEA, "content": "ledger milk"}


def remembered(
    start: float, end: float, fields: Mapping[str, Any] = TEA, *, id: str = ONE, user: str = "ann", **more: Any
) -> Operation:
    answer = {"memory_id": id, "version": 1, "expires_at": None, "created": True, **fields, **more}
    return Operation(owner=user, tool="remember", arguments=fields, start=start, end=end, answer=answer)


def updated(start: float, end: float, version: int, before: Mapping[str, Any] = TEA, **changes: Any) -> Operation:
    answer = {"memory_id": ONE, "version": version, "expires_at": None, "updated": True, **before, **changes}
    arguments = {"memory_id": ONE, **changes}
    return Operation(owner="ann", tool="update_memory", arguments=arguments, start=start, end=end, answer=answer)


def forgotten(start: float, end: float, version: int = 1) -> Operation:
    answer = {"memory_id": ONE, "version": version}
    arguments = {"memory_id": ONE, "reason": "it is time"}
    return Operation(owner="ann", tool="forget", arguments=arguments, start=start, end=end, answer=answer)


def recalled(
    start: float, end: float, *rows: Mapping[str, Any], user: str = "ann", degraded: str | None = None, **asked: Any
) -> Operation:
    arguments = {"query": "ledger any", "limit": 50, **asked}
    answer: dict[str, Any] = {"memories": rows}
    if degraded:
        answer["degraded"] = [{"code": degraded, "message": ""}]
    return Operation(owner=user, tool="recall", arguments=arguments, start=start, end=end, answer=answer)


def row(fields: Mapping[str, Any] = TEA, version: int = 1, id: str = ONE) -> Mapping[str, Any]:
    return {"memory_id": id, "version": version, **fields}


def refused(start: float, end: float, error: str, tool: str = "update_memory", **arguments: Any) -> Operation:
    return Operation(
        owner="ann", tool=tool, arguments={"memory_id": ONE, **arguments}, start=start, end=end, answer={}, error=error
    )


def kinds(*history: Operation) -> list[str]:
    return [one.kind for one in check(history).anomalies]


WRITE = remembered(0, 1)
CHANGE = updated(2, 3, 2, content="ledger milk")

WRONG: Mapping[str, tuple[str, Sequence[Operation]]] = {
    "an answered memory is missing": ("lost_write", [WRITE, recalled(2, 3)]),
    "it is missing where its own word is asked for": (
        "lost_write",
        [WRITE, remembered(0, 1, MILK, id=TWO), recalled(2, 3, row(MILK, id=TWO), query="ledger tea", limit=1)],
    ),
    "an updated memory is missing": ("lost_write", [WRITE, CHANGE, recalled(4, 5)]),
    "an update made it match, and it is missing": (
        "lost_write",
        [WRITE, updated(2, 3, 2, tags=["work"]), recalled(4, 5, tags=["work"])],
    ),
    "the old text is returned": ("stale", [WRITE, CHANGE, recalled(4, 5, row())]),
    "the old text is returned under the new version": ("stale", [WRITE, CHANGE, recalled(4, 5, row(version=2))]),
    "the filters were those of the old version": (
        "filtered",
        [WRITE, updated(2, 3, 2, tags=["work"]), recalled(4, 5, row({**TEA, "tags": ["work"]}, 2), tags=["home"])],
    ),
    "an answer goes behind one that was given before": (
        "stale",
        [WRITE, updated(2, 9, 2, content="ledger milk"), recalled(3, 4, row(MILK, 2)), recalled(5, 6, row())],
    ),
    "a forgotten memory is returned": ("resurrected", [WRITE, forgotten(2, 3), recalled(4, 5, row())]),
    "a forgotten memory is a neighbour": (
        "resurrected",
        [WRITE, forgotten(2, 3), remembered(4, 5, MILK, id=TWO, similar=[row()])],
    ),
    "a forgotten memory is updated": ("resurrected", [WRITE, forgotten(2, 3), updated(4, 5, 2, importance="high")]),
    "an expired memory is returned": (
        "expired",
        [remembered(0, 1, expires_at=format_instant(instant(2))), recalled(3, 4, row())],
    ),
    "another owner's memory is returned": ("foreign", [WRITE, recalled(2, 3, row(), user="bob")]),
    "a memory that nobody stored is returned": ("phantom", [recalled(2, 3, row())]),
    "a memory is returned before it was sent": ("phantom", [remembered(5, 6), recalled(2, 3, row())]),
    "a version that nobody wrote is returned": ("phantom", [WRITE, recalled(2, 3, row(version=2))]),
    "a memory takes two places": ("twice", [WRITE, recalled(2, 3, row(), row())]),
    "two updates are answered the same version": (
        "lost_write",
        [WRITE, updated(2, 3, 2, importance="high"), updated(2, 3, 2, tags=[])],
    ),
    "an update undoes another one's field": (
        "lost_write",
        [WRITE, updated(2, 3, 2, importance="high"), updated(4, 5, 3, content="ledger milk")],
    ),
    "a version is left out": ("lost_write", [WRITE, updated(2, 3, 3, importance="high")]),
    "a receipt names a version before the last": ("lost_write", [WRITE, CHANGE, forgotten(4, 5, version=1)]),
    "a living memory is not found": ("lost_write", [WRITE, refused(2, 3, "not_found")]),
}

RIGHT: Mapping[str, Sequence[Operation]] = {
    "a recall beside a write sees it": [remembered(0, 3), recalled(1, 2, row())],
    "a recall beside a write does not see it": [remembered(0, 3), recalled(1, 2)],
    "a recall beside an update sees the old": [WRITE, CHANGE, recalled(2.5, 5, row())],
    "a recall beside an update sees the new": [WRITE, CHANGE, recalled(2.5, 5, row(MILK, 2))],
    "a recall beside an update may judge by either tags": [
        WRITE,
        updated(2, 4, 2, tags=["work"]),
        recalled(3, 5, tags=["work"]),
    ],
    "a recall beside a forget sees it": [WRITE, forgotten(2, 4), recalled(3, 5, row())],
    "a recall beside a forget does not see it": [WRITE, forgotten(2, 4), recalled(3, 5)],
    "a memory expires during a recall": [remembered(0, 1, expires_at=format_instant(instant(3))), recalled(2, 4)],
    "a memory lives until it expires": [remembered(0, 1, expires_at=format_instant(instant(9))), recalled(2, 4, row())],
    "the filters leave it out": [WRITE, recalled(2, 3, type="event")],
    "the limit leaves no room": [WRITE, remembered(0, 1, MILK, id=TWO), recalled(2, 3, row(), limit=1)],
    "the answer says that memories may be missing": [WRITE, recalled(2, 3, degraded="memories_unread")],
    "nobody knows whether the update took place": [
        WRITE,
        refused(2, 3, "unavailable", content="ledger milk"),
        recalled(4, 5, row(MILK, 2)),
    ],
    "nobody knows whether the memory was stored": [
        refused(0, 1, "unavailable", "remember", **TEA),
        recalled(2, 3, row()),
    ],
}


@pytest.mark.parametrize("name", WRONG)
def test_a_contradiction_is_seen(name: str) -> None:
    kind, history = WRONG[name]
    assert kind in kinds(*history)


@pytest.mark.parametrize("name", RIGHT)
def test_what_may_happen_side_by_side_is_let_pass(name: str) -> None:
    assert not kinds(*RIGHT[name])


def test_a_degraded_answer_is_judged_unless_it_says_that_memories_may_be_missing() -> None:
    assert kinds(WRITE, recalled(2, 3, degraded="search_unavailable")) == ["lost_write"]


def test_the_verdict_counts_what_was_judged_and_what_was_not() -> None:
    verdict = check([WRITE, recalled(2, 3, row(), degraded="search_unavailable"), refused(4, 5, "unavailable")])
    assert (verdict.operations, verdict.unanswered, dict(verdict.degraded)) == (3, 1, {"search_unavailable": 1})

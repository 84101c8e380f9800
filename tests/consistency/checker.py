"""Judges a recorded history: does every answer fit what was answered before it began?

A recall may show any state that a memory had at some moment between the recall's start and its end. So it must reflect
each write that was answered before it started, and may or may not reflect those that ran beside it. It may not show

- ``stale``: a version older than one that had been answered before, or judged by the filters of such a version,
- ``lost_write``: no longer a memory that had been answered, matches, is not forgotten, and for which there is room,
- ``resurrected``: a memory whose forget had been answered; ``expired``: one whose time was over,
- ``foreign``: another owner's memory; ``phantom``: one, or a version, that no write made; ``twice``: one in two places,
- ``filtered``: a memory that the recall's own filters leave out.

Writes are judged too: two never answer the same version, each builds on the one before, a refusal as not found must be
true, and none reaches another owner's memory. That a memory is missing can be told where the limit leaves room for
all that may match, or where the query holds a word of this memory alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.consistency.history import Operation
from tests.consistency.timeline import State, Timeline, shown

Row = Mapping[str, Any]
MAY_MISS = frozenset({"index_behind", "memories_unread", "word_search_unavailable"})
"""Degradations that say that memories may be missing. All others leave every memory that shares a word findable."""


@dataclass(frozen=True, slots=True)
class Anomaly:
    """An answer that contradicts an earlier one."""

    kind: str
    operation: Operation
    memory_id: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """``degraded`` counts the recalls by code; ``unanswered`` the operations of which nothing is known."""

    operations: int
    anomalies: tuple[Anomaly, ...]
    degraded: Mapping[str, int]
    unanswered: int


def check(history: Sequence[Operation]) -> Verdict:
    """Pure: the same history has the same verdict, in whatever order it was recorded."""
    judge = _Judge(history)
    degraded = Counter(code for one in history if one.tool == "recall" and not one.error for code in codes(one))
    unanswered = sum(one.error == "unavailable" for one in history)
    return Verdict(len(history), tuple(judge.anomalies()), degraded, unanswered)


def codes(operation: Operation) -> list[str]:
    """The degradations that an answer names."""
    return [one["code"] for one in operation.answer.get("degraded", ())]


class _Judge:
    def __init__(self, history: Sequence[Operation]) -> None:
        self._history = history
        self._timelines: dict[str, Timeline] = {}
        self._of_owner: dict[str, list[Timeline]] = defaultdict(list)
        self._unknown_texts = {one.arguments.get("content") for one in history if one.error == "unavailable"}
        self._found: list[Anomaly] = []
        for one in history:
            if one.tool == "remember" and not one.error and one.answer["created"]:
                timeline = Timeline(one.answer["memory_id"], one.owner)
                self._timelines[timeline.memory_id] = timeline
                self._of_owner[one.owner].append(timeline)
        for one in history:
            self._learn(one)
        for timeline in self._timelines.values():
            timeline.settle()

    def anomalies(self) -> Iterator[Anomaly]:
        yield from self._found
        for timeline in self._timelines.values():
            for kind, write in timeline.flaws():
                yield Anomaly(kind, write, timeline.memory_id)
        for operation in self._history:
            for kind, memory_id in self._judge(operation):
                yield Anomaly(kind, operation, memory_id)

    def _learn(self, one: Operation) -> None:
        """Notes what the operation made or showed."""
        for row in _rows(one):
            if row["memory_id"] in self._timelines:
                self._timelines[row["memory_id"]].see(one.end, row["version"])
        timeline = self._timelines.get(str(one.answer.get("memory_id") or one.arguments.get("memory_id")))
        if timeline is None:
            return
        if one.error == "unavailable":
            timeline.unknown_from = min(timeline.unknown_from, one.start)
        elif not one.error and one.tool == "forget":
            timeline.forget(one)
        elif not one.error and (one.answer.get("created") or one.answer.get("updated")):
            state = State.of(one.answer, one)
            if state.version in timeline.states:
                self._found.append(Anomaly("lost_write", one, timeline.memory_id))
            timeline.states[state.version] = state

    def _judge(self, one: Operation) -> Iterator[tuple[str, str]]:
        if one.error == "not_found":
            timeline = self._timelines.get(one.arguments["memory_id"])
            if timeline and timeline.owner == one.owner and not timeline.may_be_absent(one):
                yield "lost_write", timeline.memory_id
        if one.error:
            return
        yield from self._judge_rows(one, _rows(one), _judge_memory)
        yield from self._judge_rows(one, one.answer.get("similar", ()), _judge_similar)
        if one.tool == "forget":
            yield from self._judge_rows(one, [one.answer], _judge_receipt)
        if one.tool == "recall":
            yield from self._judge_absences(one)

    def _judge_rows(
        self, one: Operation, rows: Sequence[Row], judge: Callable[[Timeline, Operation, Row], Iterator[str]]
    ) -> Iterator[tuple[str, str]]:
        for row in rows:
            memory_id = row["memory_id"]
            timeline = self._timelines.get(memory_id)
            if timeline and timeline.owner == one.owner:
                yield from ((kind, memory_id) for kind in judge(timeline, one, row))
            elif timeline or row.get("content") not in self._unknown_texts:
                yield "foreign" if timeline else "phantom", memory_id

    def _judge_absences(self, one: Operation) -> Iterator[tuple[str, str]]:
        returned = Counter(row["memory_id"] for row in one.answer["memories"])
        yield from (("twice", memory_id) for memory_id, times in returned.items() if times > 1)
        if MAY_MISS.intersection(codes(one)):
            return
        rivals = [timeline for timeline in self._of_owner[one.owner] if _may_match(timeline, one)]
        named = [timeline for timeline in rivals if any(_is_named(state, one) for state in timeline.possible(one))]
        limit = one.arguments["limit"]
        for timeline in rivals:
            if timeline.memory_id in returned or timeline.may_be_absent(one):
                continue
            states = timeline.possible(one)
            has_room = len(rivals) <= limit or (len(named) <= limit and all(_is_named(state, one) for state in states))
            if has_room and all(state.matches(one.arguments) for state in states):
                yield "lost_write", timeline.memory_id


def _rows(one: Operation) -> Sequence[Row]:
    """The memories that an answer shows whole."""
    if one.error or one.tool == "forget":
        return ()
    return one.answer["memories"] if one.tool == "recall" else (one.answer,)


def _judge_memory(timeline: Timeline, one: Operation, row: Row) -> Iterator[str]:
    """One memory that an answer shows with its version."""
    if timeline.forgotten_by < one.start:
        yield "resurrected"
    state = timeline.states.get(row["version"])
    if state is None or state.write.start >= one.end:
        if timeline.unknown_from >= one.end:
            yield "phantom"
        return
    if state.version < timeline.floor(one.start) or shown(row) != state.fields:
        yield "stale"
    if not state.may_live(one):
        yield "expired"
    if one.tool == "recall" and not state.matches(one.arguments):
        yield "filtered"


def _judge_similar(timeline: Timeline, one: Operation, row: Row) -> Iterator[str]:
    """One neighbour, which is shown without its version."""
    if timeline.forgotten_by < one.start:
        yield "resurrected"
    texts = {state.fields["content"] for state in timeline.possible(one)}
    if row["content"] not in texts and timeline.unknown_from >= one.end:
        yield "stale"


def _judge_receipt(timeline: Timeline, one: Operation, row: Row) -> Iterator[str]:
    """A memory is forgotten in its last version."""
    if row["version"] < max(timeline.states):
        yield "lost_write"


def _may_match(timeline: Timeline, one: Operation) -> bool:
    if timeline.forgotten_by < one.start:
        return False
    return any(state.matches(one.arguments) and state.may_live(one) for state in timeline.possible(one))


def _is_named(state: State, one: Operation) -> bool:
    """Whether the last word of the query stands in the text."""
    return one.arguments["query"].split()[-1] in state.fields["content"].split()

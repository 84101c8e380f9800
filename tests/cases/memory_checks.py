"""Checks of the memories in a reply: which, how many, in which order, with which texts, tags and scores."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tests.cases.judging import CheckFailed, require
from tests.cases.reply import Reply
from tests.cases.run import Run


def ids_include(reply: Reply, expected: Sequence[str], run: Run) -> None:
    found = _ids(reply)
    missing = [name for name in expected if _saved(name, run) not in found]
    require(not missing, f"{missing} not found: {reply}")


def ids_exclude(reply: Reply, expected: Sequence[str], run: Run) -> None:
    """A memory that was never made can't be found either."""
    found = _ids(reply)
    undeclared = [name for name in expected if name not in run.names]
    require(not undeclared, f"no step saves {undeclared}")
    present = [name for name in expected if run.ids.get(name) in found]
    require(not present, f"{present} found: {reply}")


def ids_exactly(reply: Reply, expected: Sequence[str], run: Run) -> None:
    """These and no others, each once, in any order."""
    _require_memories(reply)
    wanted = [_saved(name, run) for name in expected]
    require(sorted(_ids(reply)) == sorted(wanted), f"not exactly {list(expected)}: {reply}")


def first_id(reply: Reply, expected: str, run: Run) -> None:
    require(_ids(reply)[:1] == [_saved(expected, run)], f"{expected} is not first: {reply}")


def id_occurs(reply: Reply, expected: Mapping[str, int], run: Run) -> None:
    for name, times in expected.items():
        found = _ids(reply).count(_saved(name, run))
        require(found == times, f"{name} occurs {found} times")


def same_id_as(reply: Reply, expected: str, run: Run) -> None:
    require(reply.memory_id == _saved(expected, run), f"not {expected}: {reply}")


def id_differs_from(reply: Reply, expected: str, run: Run) -> None:
    require(reply.memory_id, f"no memory: {reply}")
    require(reply.memory_id != _saved(expected, run), f"the same as {expected}")


def count(reply: Reply, expected: int, _run: Run) -> None:
    require(_count(reply) == expected, f"{_count(reply)} memories: {reply}")


def count_max(reply: Reply, expected: int, _run: Run) -> None:
    require(_count(reply) <= expected, f"{_count(reply)} memories")


def count_min(reply: Reply, expected: int, _run: Run) -> None:
    require(_count(reply) >= expected, f"{_count(reply)} memories: {reply}")


def tags(reply: Reply, expected: Sequence[str], _run: Run) -> None:
    found = _only(reply).get("tags")
    require(found == expected, f"the tags are {found}")


def tag_count(reply: Reply, expected: int, _run: Run) -> None:
    found: list[str] = _only(reply).get("tags", [])
    require(len(set(found)) == len(found) == expected, f"the tags are {found}")


def content_equals(reply: Reply, expected: Mapping[str, str], run: Run) -> None:
    for name, text in expected.items():
        found = _contents(reply, name, run)
        require(found == [text], f"{name} has {found}")


def content_in(reply: Reply, expected: Mapping[str, Sequence[str]], run: Run) -> None:
    for name, texts in expected.items():
        found = _contents(reply, name, run)
        require(len(found) == 1 and found[0] in texts, f"{name} has {found}")


def scores(reply: Reply, expected: str, _run: Run) -> None:
    require(expected == "finite_0_1_descending", f"unknown form of scores: {expected}")
    found = _scores(reply)
    numbers = all(type(one) in (int, float) and math.isfinite(one) and 0 <= one <= 1 for one in found)
    require(found and numbers and found == sorted(found, reverse=True), f"the scores are {found}")


def scores_all_equal(reply: Reply, expected: bool, _run: Run) -> None:
    found = _scores(reply)
    require(found and (len(set(found)) == 1) is expected, f"the scores are {found}")


def score_lower_than(reply: Reply, expected: Mapping[str, Mapping[str, int]], run: Run) -> None:
    """Lower than the same memory's score in another step; a memory that is not found here counts as lower."""
    for name, other in expected.items():
        here = _score_of(reply, name, run)
        there = [_score_of(one, name, run) for one in run.replies[other["step"] - 1]]
        for score in there:
            require(score is not None, f"step {other['step']} has no {name}")
            require(here is None or (score is not None and here < score), f"{name} has {here}, and {score} there")


def _saved(name: str, run: Run) -> str:
    require(name in run.names, f"no step saves {name}")
    require(name in run.ids, f"{name} was not saved: its step made no memory")
    return run.ids[name]


def _ids(reply: Reply) -> list[str]:
    return [row["memory_id"] for row in reply.memories]


def _require_memories(reply: Reply) -> None:
    if reply.outcome != "ok" or "memories" not in (reply.value or {}):
        raise CheckFailed(f"no list of memories: {reply}")


def _count(reply: Reply) -> int:
    _require_memories(reply)
    return len(reply.memories)


def _only(reply: Reply) -> dict[str, Any]:
    require(len(reply.memories) == 1, f"not one memory: {reply}")
    return reply.memories[0]


def _contents(reply: Reply, name: str, run: Run) -> list[str]:
    return [row["content"] for row in reply.memories if row["memory_id"] == _saved(name, run)]


def _scores(reply: Reply) -> list[Any]:
    return [row.get("score") for row in reply.memories]


def _score_of(reply: Reply, name: str, run: Run) -> float | None:
    wanted = _saved(name, run)
    return next((row["score"] for row in reply.memories if row["memory_id"] == wanted), None)

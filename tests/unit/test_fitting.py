"""How an answer is made to fit: what goes first, what stays, and what it says of itself."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4a.domain.errors import TooLarge
from m4a.entrypoints.action_group.fitting import Fits, fitted


def within(limit: int) -> Fits:
    return lambda document: size(document) <= limit


def size(document: Mapping[str, Any]) -> int:
    return len(json.dumps(document, ensure_ascii=False).encode())


def memory(number: int, content: str = "some text") -> dict[str, Any]:
    return {"memory_id": f"m{number}", "content": content, "tags": ["a"]}


def test_what_fits_is_left_as_it_is() -> None:
    document = {"memories": [memory(1)]}
    assert fitted(document, within(1_000)) is document


def test_memories_are_left_out_from_the_end_and_counted() -> None:
    document = {"recall_id": "r1", "memories": [memory(number, "x" * 100) for number in range(10)]}
    shorter = fitted(document, within(600))
    kept = shorter["memories"]
    assert kept == document["memories"][: len(kept)] and 0 < len(kept) < 10
    assert (shorter["recall_id"], shorter["omitted"], shorter["truncated"]) == ("r1", 10 - len(kept), True)
    one_more = {**shorter, "memories": document["memories"][: len(kept) + 1], "omitted": 10 - len(kept) - 1}
    assert size(one_more) > 600


def test_if_not_even_the_first_fits_its_text_is_cut_at_a_character_and_marked() -> None:
    document = {"memories": [memory(1, "議" * 500), memory(2, "x")]}
    shorter = fitted(document, within(600))
    (first,) = shorter["memories"]
    assert first["truncated"] is True and shorter["omitted"] == 1
    assert 100 < len(first["content"]) < 500 and first["content"] == "議" * len(first["content"])
    assert first["memory_id"] == "m1"


def test_one_memory_alone_is_cut_and_nothing_is_omitted() -> None:
    shorter = fitted({"memories": [memory(1, "x" * 5_000)]}, within(600))
    assert shorter["memories"][0]["truncated"] is True and "omitted" not in shorter


def test_near_neighbours_go_before_the_text_of_the_new_memory_is_cut() -> None:
    document = {**memory(1, "x" * 300), "similar": [memory(2, "y" * 200), memory(3, "z" * 200)]}
    without = fitted(document, within(500))
    assert (without["content"], without["similar"], without["omitted"]) == ("x" * 300, [], 2)
    cut = fitted(document, within(250))
    assert cut["truncated"] is True and 0 < len(cut["content"]) < 300


def test_the_current_memory_of_a_conflict_is_cut() -> None:
    document = {"code": "conflict", "reason": "version", "current": memory(1, "x" * 5_000)}
    shorter = fitted(document, within(600))
    assert (shorter["code"], shorter["current"]["truncated"]) == ("conflict", True)
    assert 0 < len(shorter["current"]["content"]) < 600


@pytest.mark.parametrize(
    "document",
    [{"errors": ["x" * 900]}, {"memories": [], "explain": "x" * 900}, {"memories": [memory(1, "x")], "e": "x" * 900}],
)
def test_what_can_not_be_shortened_is_too_large(document: dict[str, Any]) -> None:
    with pytest.raises(TooLarge):
        fitted(document, within(600))


@given(
    contents=st.lists(st.text(max_size=300), max_size=8),
    limit=st.integers(min_value=300, max_value=3_000),
)
def test_the_outcome_always_fits_and_is_a_beginning_of_the_answer(contents: list[str], limit: int) -> None:
    document = {"memories": [memory(number, text) for number, text in enumerate(contents)]}
    shorter = fitted(document, lambda one: len(json.dumps(one).encode()) <= limit)
    assert len(json.dumps(shorter).encode()) <= limit
    kept = shorter["memories"]
    assert len(kept) >= min(1, len(contents)) and len(kept) + shorter.get("omitted", 0) == len(contents)
    assert all(contents[number].startswith(one["content"]) for number, one in enumerate(kept))
    assert [one["content"] for one in kept[1:]] == contents[1 : len(kept)]

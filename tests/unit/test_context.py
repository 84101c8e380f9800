from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from m4a.application.context import arrange, estimate
from m4a.domain.memory import Memory, Terms

START = datetime(2026, 6, 1, tzinfo=UTC)


def memory(number: int, content: str) -> Memory:
    made = START + timedelta(days=number)
    return Memory(
        memory_id=f"01{number}",
        content=content,
        type="fact",
        importance="high",
        tags=(),
        source=None,
        created_at=made,
        updated_at=made,
        event_time=None,
        expires_at=None,
        version=1,
        rev=1,
        terms=Terms({}, 0, 0),
        embedding=None,
    )


THREE = [memory(number, f"Statement number {number} of {'several ' * 10}") for number in range(3)]


def ids(memories: tuple[Memory, ...]) -> list[str]:
    return [one.memory_id for one in memories]


def test_the_block_is_oldest_first_whatever_the_order_of_the_listing() -> None:
    blocks = {arrange(order, 1_000).text for order in (THREE, THREE[::-1], [THREE[1], THREE[0], THREE[2]])}
    (text,) = blocks
    assert [line[2:25] for line in text.splitlines()[1:]] == [f"[fact] Statement number {n}"[:23] for n in range(3)]


def test_memories_of_the_same_moment_are_in_the_order_of_their_ids() -> None:
    twins = [replace(memory(0, "One"), memory_id="01B"), replace(memory(0, "Two"), memory_id="01A")]
    assert ids(arrange(twins, 1_000).included) == ["01A", "01B"]


def test_nothing_of_high_importance_is_an_empty_text() -> None:
    block = arrange([], 1_000)
    assert (block.text, block.tokens, block.included, block.left_out) == ("", 0, (), ())


@pytest.mark.parametrize("budget", range(1, 120))
def test_the_block_never_exceeds_its_budget_and_accounts_for_every_memory(budget: int) -> None:
    block = arrange(THREE, budget)
    assert block.tokens == estimate(block.text) <= budget
    assert sorted(ids(block.included) + ids(block.left_out)) == ids(tuple(THREE))
    for one in THREE:
        assert (one.content.strip() in block.text) is (one in block.included)


def test_where_not_all_fit_the_newest_stay_and_the_text_says_how_many_do_not() -> None:
    block = arrange(THREE, 85)
    assert (ids(block.included), ids(block.left_out)) == (["011", "012"], ["010"])
    assert block.text.splitlines()[-1] == "(1 more did not fit here: recall finds them.)"


def test_a_memory_too_large_for_the_budget_keeps_no_other_out() -> None:
    block = arrange([memory(0, "Short"), memory(1, "long " * 1_000)], 100)
    assert (ids(block.included), ids(block.left_out)) == (["010"], ["011"])


def test_a_memory_is_one_line() -> None:
    assert "- [fact] One two three" in arrange([memory(0, "One\ntwo\r\n\tthree")], 100).text.splitlines()

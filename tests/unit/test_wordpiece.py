from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4a.adapters.wordpiece import OVERLAP, WINDOW, WordPieceWindows

VOCABULARY = ["[UNK]", "[CLS]", "[SEP]", "[", "]", "sep", *(f"n{number}" for number in range(1000)), "a", "##a", "b"]
WINDOWS = WordPieceWindows(VOCABULARY)


def tokens(text: str) -> list[list[str]]:
    return [[VOCABULARY[number] for number in window.ids] for window in WINDOWS.split(text)]


@pytest.mark.parametrize("count", [0, 1, WINDOW, WINDOW + 1, 2 * WINDOW - OVERLAP, 2 * WINDOW - OVERLAP + 1, 1000])
def test_windows_cover_every_token_in_order_and_share_the_overlap(count: int) -> None:
    words = [f"n{number}" for number in range(count)]
    windows = [window[1:-1] for window in tokens(" ".join(words))]
    assert [word for at, window in enumerate(windows) for word in window[OVERLAP if at else 0 :]] == words
    assert all(one[-OVERLAP:] == other[:OVERLAP] for one, other in pairwise(windows))


@pytest.mark.parametrize(("count", "expected"), [(WINDOW, 1), (WINDOW + 1, 2), (2 * WINDOW - OVERLAP, 2)])
def test_there_are_no_more_windows_than_needed(count: int, expected: int) -> None:
    assert len(WINDOWS.split("n1 " * count)) == expected


def test_each_window_is_framed_and_counts_its_content() -> None:
    for window in WINDOWS.split("n7 " * 600):
        assert (VOCABULARY[window.ids[0]], VOCABULARY[window.ids[-1]]) == ("[CLS]", "[SEP]")
        assert window.content == len(window.ids) - 2 <= WINDOW


def test_the_name_of_a_special_token_in_a_text_is_ordinary_text() -> None:
    assert tokens("[SEP]") == [["[CLS]", "[", "sep", "]", "[SEP]"]]


def test_a_nul_parts_words() -> None:
    assert tokens("n1\0n2") == [["[CLS]", "n1", "n2", "[SEP]"]]


def test_a_word_of_hundreds_of_letters_is_read_to_its_end() -> None:
    (window,) = tokens("a" * 150 + "b")
    assert "[UNK]" in window  # the vocabulary has no "##b"
    (window,) = tokens("a" * 150)
    assert "[UNK]" not in window
    assert len(window) == 152


@given(st.text(st.characters(), max_size=400))
def test_any_text_gives_framed_windows(text: str) -> None:
    windows = WINDOWS.split(text)
    assert windows
    assert all(len(window.ids) == window.content + 2 <= WINDOW + 2 for window in windows)

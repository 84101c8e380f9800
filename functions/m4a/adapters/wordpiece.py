"""Texts to WordPiece token ids, in windows that a BERT model with 256 positions can read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers import Regex, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, PreTokenizer, Split
from tokenizers.pre_tokenizers import Sequence as Steps

WINDOW = 254
"""Content tokens of a window; [CLS] and [SEP] fill it up to the 256 positions that the model was trained on."""
OVERLAP = 32
"""Tokens that a window shares with the next, so that a phrase on the border is whole in one of them."""

_LONGEST_WORD = 100
_UNREADABLE = re.compile("[\0\ufffd]")


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids with [CLS] and [SEP] around them, and how many of them are content."""

    ids: tuple[int, ...]
    content: int


class WordPieceWindows:
    """Cuts texts into overlapping windows of token ids. Safe to share between threads."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """``vocabulary``: the tokens in order of their ids, [CLS], [SEP] and [UNK] among them."""
        ids = {token: number for number, token in enumerate(vocabulary)}
        self._start, self._end = ids["[CLS]"], ids["[SEP]"]
        # Special tokens are not registered, so "[SEP]" in a text is three ordinary tokens.
        self._tokenizer = Tokenizer(WordPiece(ids, unk_token="[UNK]", max_input_chars_per_word=_LONGEST_WORD))  # noqa: S106
        self._tokenizer.normalizer = BertNormalizer(lowercase=True)
        self._tokenizer.pre_tokenizer = _words_of_bounded_length()

    def split(self, text: str) -> list[Window]:
        """All of the text in at least one window; a text without tokens gives [CLS][SEP]."""
        ids = self._tokenizer.encode(_readable(text)).ids
        starts = range(0, max(1, len(ids) - OVERLAP), WINDOW - OVERLAP)
        return [self._window(ids[start : start + WINDOW]) for start in starts]

    def _window(self, content: Sequence[int]) -> Window:
        return Window((self._start, *content, self._end), len(content))


def _words_of_bounded_length() -> PreTokenizer:
    """WordPiece knows a longer word only as [UNK], which would lose it: it goes in as several words."""
    bounded = Split(Regex(f".{{1,{_LONGEST_WORD}}}"), behavior="isolated")
    return Steps([BertPreTokenizer(), bounded])  # pyright: ignore[reportReturnType]


def _readable(text: str) -> str:
    """Lone surrogates, which no UTF-8 holds, and characters that the normalizer would drop part words like a space."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _UNREADABLE.sub(" ", whole)

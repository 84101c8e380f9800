"""One tokenizer for texts and queries, in both profiles.

A token is a run of letters, marks and digits with at most one apostrophe part, case-folded after NFKC, not a stop word,
stemmed by Snowball English. Scripts written without spaces give bigrams. An identifier (``PN-88417-QX``, ``r2.32``,
``lot_no``, ``bob@example.com``) gives its parts and, as an extra term, its whole.

``RULES`` names these rules; whoever stores terms stores it beside them, and terms of other rules are not compared.
"""

import re
import sys
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from m4a.domain.memory import Terms
from m4a.domain.times import EventTime
from m4a.domain.words import IRREGULAR, STOP_WORDS

RULES = f"1/snowball-{Stemmer.version()}"
MAX_QUERY_TERMS = 64
"""Distinct terms of a query that count: the first ones."""
_MAX_IDENTIFIER_CHARS = 128

_MONTHS = "January February March April May June July August September October November December".split()
_SPELLINGS = {
    "\u2019": "'",
    "\u02bc": "'",
    "\u200b": " ",
    "\u00ad": None,
    "\u200c": None,
    "\u200d": None,
    "\u2060": None,
}
_VARIATION_SELECTORS = dict.fromkeys(range(0xFE00, 0xFE10))  # they ask for a form of the sign before, as in emoji
_TRANSLATION = str.maketrans({**_SPELLINGS, "\ufeff": None, **_VARIATION_SELECTORS})
_JOINERS = r"[-._/:@#+~\\]"
# A hyphen or a colon alone joins ordinary words too; these, or a digit, make an identifier of it.
_IDENTIFYING = re.compile(r"[._/@#~\\\d]")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")  # "May 8th" is to find an event of "8 May"
# Thai and Lao, Myanmar, Hangul Jamo, Khmer, kana, CJK ideographs, Hangul syllables.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"([{_UNSPACED}]+)")


def analyse(content: str, event_time: EventTime | None = None) -> Terms:
    """The terms of a memory: its text, and its event date as the words "8 May 2023"."""
    folded = _fold(content)
    text = list(_words(folded))
    dates = list(_words(_fold(_date_words(event_time)))) if event_time else []
    counts = Counter(text)
    distinct = len(counts)
    counts.update(dates)
    counts.update(_identifiers(folded))
    return Terms(counts=dict(counts), length=len(text) + len(dates), distinct=distinct)


def query_terms(query: str) -> tuple[str, ...]:
    """The distinct terms of a query in order, at most ``MAX_QUERY_TERMS``."""
    folded = _fold(query)
    found = dict.fromkeys([*_words(folded), *_identifiers(folded)])
    return tuple(found)[:MAX_QUERY_TERMS]


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold().translate(_TRANSLATION))


def _date_words(when: EventTime) -> str:
    return f"{when.start.day} {_MONTHS[when.start.month - 1]} {when.start.year}"


def _words(folded: str) -> Iterator[str]:
    for token in _patterns(folded.isascii())[0].findall(folded):
        if token.isascii():
            if token not in STOP_WORDS:
                yield _stem(token)
        else:
            yield from _split_unspaced(token)


def _split_unspaced(token: str) -> Iterator[str]:
    for run in _UNSPACED_RUN.split(token):
        if _UNSPACED_RUN.fullmatch(run) and len(run) > 1:
            yield from (run[at : at + 2] for at in range(len(run) - 1))
        elif run and run not in STOP_WORDS:
            yield _stem(run)


def _identifiers(folded: str) -> Iterator[str]:
    for match in _patterns(folded.isascii())[1].finditer(folded):
        whole = match.group()
        if len(whole) <= _MAX_IDENTIFIER_CHARS and _IDENTIFYING.search(whole):
            yield whole


@lru_cache(2)
def _patterns(ascii_only: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a word and of an identifier. ``\\w`` leaves out combining marks, which most scripts of India need.

    The identifier's lookbehind and atomic groups keep one very long run from costing the square of its length.
    """
    letter = r"[^\W_]"
    marks = "" if ascii_only else f"[{_combining_marks()}]"
    run = rf"{letter}+" if ascii_only else rf"{letter}(?:{letter}|{marks})*"
    start = rf"(?<!{letter})" if ascii_only else rf"(?<!{letter})(?<!{marks})"
    return re.compile(rf"{run}(?:'{run})?"), re.compile(rf"{start}(?>{run})(?:{_JOINERS}+(?>{run}))+")


def _combining_marks() -> str:
    marks = [code for code in range(0x300, 0x1_0000) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    starts = [code for code, before in zip(marks, [-1, *marks], strict=False) if before != code - 1]
    ends = [code for code, after in zip(marks, [*marks[1:], sys.maxunicode], strict=True) if after != code + 1]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


class _Stemmers(threading.local):
    """A Snowball stemmer is not safe to share between threads."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english")


_stemmers = _Stemmers()


@lru_cache(50_000)
def _stem(token: str) -> str:
    if ordinal := _ORDINAL.fullmatch(token):
        return ordinal[1]
    return _stemmers.english.stemWord(IRREGULAR.get(token, token))

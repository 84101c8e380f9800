"""Identifiers: ULIDs, which sort by time of creation (https://github.com/ulid/spec)."""

import re
import secrets
from datetime import datetime

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
ULID_TIME_CHARS = 10
"""A ULID's first characters tell its millisecond."""
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def new_ulid(now: datetime) -> str:
    """A fresh ULID: 48 bits of milliseconds, then 80 random bits, as 26 characters of Crockford's base 32.

    A moment before 1970, which no ULID can hold, counts as its first millisecond.
    """
    number = (max(0, round(now.timestamp() * 1000)) << 80) | secrets.randbits(80)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def is_ulid(text: str) -> bool:
    """Whether the text is a ULID in canonical (upper) case."""
    return _ULID.fullmatch(text) is not None

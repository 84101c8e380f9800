"""Opaque positions in a listing, bound to one store, one owner and one kind of listing."""

import base64
import binascii
import hashlib
import hmac
import re

from m4a.domain.errors import InvalidInput
from m4a.domain.owner import Owner

_MAC_BYTES = 12
_CURSOR = re.compile(r"[A-Za-z0-9_-]+")


def write_cursor(key: bytes, kind: str, owner: Owner, position: str) -> str:
    """The cursor for a position, as base64url without padding."""
    body = _mac(key, kind, owner, position) + position.encode()
    return base64.urlsafe_b64encode(body).rstrip(b"=").decode()


def read_cursor(key: bytes, kind: str, owner: Owner, cursor: str) -> str:
    """The position in a cursor. Raises InvalidInput for one that was not made for this owner and kind of listing."""
    try:
        if not _CURSOR.fullmatch(cursor):
            raise _invalid()
        body = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        mac, position = body[:_MAC_BYTES], body[_MAC_BYTES:].decode()
    except (UnicodeError, binascii.Error) as error:
        raise _invalid() from error
    if not hmac.compare_digest(mac, _mac(key, kind, owner, position)):
        raise _invalid()
    return position


def _mac(key: bytes, kind: str, owner: Owner, position: str) -> bytes:
    message = f"{kind} {owner.key} {position}".encode()
    return hashlib.blake2b(message, key=key, person=b"cursor", digest_size=_MAC_BYTES).digest()


def _invalid() -> InvalidInput:
    return InvalidInput.of("cursor", "is not a cursor of this listing", "the `next` of an earlier page, unchanged")

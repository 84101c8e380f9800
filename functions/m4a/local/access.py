"""Who may call the local server: one default user, or the holders of bearer tokens."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from m4a.domain.errors import InvalidInput, M4AError, Unauthenticated
from m4a.domain.strict_json import read_object
from m4a.entrypoints.identity import caller_of

_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")
_MEMBERS = {"user", "tenant", "scope"}


class CannotStart(Exception):
    """The server can't start as asked; the message says why and what to do."""


class Tokens:
    """Bearer tokens, kept as digests, and the claims that each stands for."""

    def __init__(self, claims: Mapping[str, Mapping[str, str]]) -> None:
        self._claims = [(_digest(token), row) for token, row in claims.items()]

    @classmethod
    def load(cls, path: Path, tenant_claim: str | None) -> "Tokens":
        """Reads a file of ``{"<token>": "user"}`` or ``{"<token>": {"user": …, "tenant": …, "scope": …}}``.

        Raises CannotStart, with no token in its message.
        """
        try:
            entries = read_object(path.read_bytes())
        except OSError as error:
            raise CannotStart(f"The tokens file {path} can't be read.") from error
        except InvalidInput as error:
            raise CannotStart(f"The tokens file {path} can't be read: {error.problems[0].message}.") from None
        if not entries:
            raise CannotStart(f'The tokens file {path} must hold a JSON object such as {{"<token>": "<user>"}}.')
        return cls.of(entries, tenant_claim)

    @classmethod
    def of(cls, entries: Mapping[str, object], tenant_claim: str | None = None) -> "Tokens":
        """The same from what such a file holds."""
        rows = enumerate(entries.items(), start=1)
        return cls({token: _claims_of(number, token, entry, tenant_claim) for number, (token, entry) in rows})

    def claims(self, authorization: str | None) -> Mapping[str, str]:
        """The claims of the token in an Authorization header. Raises Unauthenticated."""
        scheme, _, token = (authorization or "").partition(" ")
        sent = _digest(token.strip())
        found = [claims for digest, claims in self._claims if hmac.compare_digest(digest, sent)]
        if scheme.lower() != "bearer" or not found:
            raise Unauthenticated("A known bearer token is needed in the header Authorization.")
        return found[0]


def _claims_of(number: int, token: str, entry: object, tenant_claim: str | None) -> dict[str, str]:
    row = cast("dict[str, object]", entry if isinstance(entry, dict) else {"user": entry})
    if not _TOKEN.fullmatch(token):
        raise CannotStart(f"Token {number} has characters that no bearer token may have.")
    if not row.keys() <= _MEMBERS or not all(isinstance(value, str) for value in row.values()):
        raise CannotStart(f"Token {number} must name a user, or an object of the texts user, tenant and scope.")
    if "tenant" in row and tenant_claim is None:
        raise CannotStart(f"Token {number} names a tenant, but M4A_TENANT_CLAIM is not set.")
    names = {"user": "sub", "tenant": tenant_claim or "", "scope": "scope"}
    claims = {names[member]: str(value) for member, value in row.items()}
    try:
        caller_of(claims, None, tenant_claim=tenant_claim, entry_point="", request_id="")
    except M4AError as error:
        raise CannotStart(f"Token {number} names nobody that could call: {error.message}") from error
    return claims


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()

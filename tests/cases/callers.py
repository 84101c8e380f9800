"""Callers of a case: a user, or an object of ``user``, ``tenant`` and ``scope``; with or without a token for them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from m4a.local.access import CannotStart, Tokens

TENANT = "tenant_id"
"""The claim that holds a tenant where the deployment names none."""
_SPELLINGS = {"user_id": "user", "sub": "user", TENANT: "tenant"}


class Signed:
    """Tokens for those callers that a tokens file takes; another one is tried by the claims of an event."""

    def __init__(self, callers: Iterable[Any], tenant_claim: str | None) -> None:
        entries = {_key(caller): _entry(caller) for caller in callers if caller is not None}
        taken = [(key, entry) for key, entry in entries.items() if _is_taken(entry, tenant_claim)]
        self._token_of = {key: f"token-{at}" for at, (key, _) in enumerate(taken)}
        self._tenant_claim = tenant_claim
        self.tokens = Tokens.of({self._token_of[key]: entry for key, entry in taken}, tenant_claim)

    def token(self, caller: Any) -> str | None:
        """The caller's token, if there is one."""
        return self._token_of.get(_key(caller))

    def claims(self, caller: Any) -> dict[str, Any]:
        """What the caller's token would say, good or bad."""
        entry = _entry(caller)
        if not isinstance(entry, dict) or "user" not in entry:
            return {"sub": caller}
        claims = cast("dict[str, Any]", entry)
        names = {"user": "sub", "tenant": self._tenant_claim or TENANT}
        return {names.get(name, name): value for name, value in claims.items()}


def session_of(caller: Any) -> dict[str, Any]:
    """The caller as the attributes of an agent's session."""
    entry = _entry(caller)
    if not isinstance(entry, dict):
        return {"user_id": caller}
    names = {"user": "user_id", "tenant": TENANT}
    return {names.get(name, name): value for name, value in cast("dict[str, Any]", entry).items()}


def _entry(caller: Any) -> object:
    """The caller as a tokens file has it."""
    if not isinstance(caller, dict):
        return caller
    members = cast("Mapping[str, Any]", caller)
    return {_SPELLINGS.get(name, name): value for name, value in members.items()}


def _is_taken(entry: object, tenant_claim: str | None) -> bool:
    try:
        Tokens.of({"token": entry}, tenant_claim)
    except CannotStart:
        return False
    return True


def _key(caller: Any) -> str:
    return json.dumps(caller, sort_keys=True)

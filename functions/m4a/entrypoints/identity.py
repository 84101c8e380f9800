"""Who calls: from what was verified only, never from arguments, bodies or bare headers."""

import re
from collections.abc import Mapping
from typing import cast

from m4a.domain.errors import Forbidden, Unauthenticated
from m4a.domain.memory import is_blank
from m4a.domain.owner import DEFAULT_TENANT, MAX_USER_CHARS, TENANT_PATTERN, Caller, Owner

DELEGATE_SCOPE = "memory:delegate"
DELEGATE_SCOPES = frozenset({DELEGATE_SCOPE, f"m4a/{DELEGATE_SCOPE}"})
"""The second is how Cognito writes it: after the identifier of the resource server, which infra/auth.yaml calls m4a."""
ON_BEHALF_OF = "m4a-on-behalf-of"
SENT_TENANT_CLAIMS = ("tenant_id", "custom:tenant_id")
"""Names under which a tenant counts as sent although no tenant claim is configured."""

_UNUSABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def caller_of(
    claims: Mapping[str, object],
    on_behalf_of: str | None,
    *,
    tenant_claim: str | None,
    entry_point: str,
    request_id: str,
) -> Caller:
    """The caller that the authorizer's JWT claims name.

    ``on_behalf_of`` is the value of the header M4A-On-Behalf-Of: the user that a caller with the scope memory:delegate
    acts for, within its own tenant. Raises Unauthenticated for a missing, blank or malformed identity or tenant, and
    Forbidden for the header without the scope.
    """
    actor = user_id(claims.get("sub"), "The claim sub")
    tenant = _tenant(claims, tenant_claim)
    user = actor
    if on_behalf_of is not None:
        if DELEGATE_SCOPES.isdisjoint(_scopes(claims)):
            raise Forbidden(f"The header M4A-On-Behalf-Of needs the scope {DELEGATE_SCOPE}.")
        user = user_id(on_behalf_of, "The header M4A-On-Behalf-Of")
    return Caller(owner=Owner(tenant, user), actor=actor, entry_point=entry_point, request_id=request_id)


def session_caller(
    attributes: Mapping[str, object], *, tenant_claim: str | None, entry_point: str, request_id: str
) -> Caller:
    """The caller that the session attributes of a Bedrock agent name: ``user_id``, and ``tenant_id``.

    The backend that invokes the agent sets them, and the model does not see them. ``tenant_id`` is required where a
    tenant claim is configured, and refused where none is. Raises Unauthenticated.
    """
    user = user_id(attributes.get("user_id"), "The session attribute user_id")
    tenant = DEFAULT_TENANT
    if tenant_claim is not None:
        tenant = tenant_id(attributes.get("tenant_id"), "The session attribute tenant_id")
    elif "tenant_id" in attributes:
        raise Unauthenticated("The session names a tenant, but this deployment has no tenant claim configured.")
    return Caller(owner=Owner(tenant, user), actor=user, entry_point=entry_point, request_id=request_id)


def user_id(value: object, source: str) -> str:
    """The value as a user id: any text that is not blank, up to 256 characters, no control characters; kept exactly.

    Raises Unauthenticated, naming the source.
    """
    if not isinstance(value, str) or is_blank(value):
        raise Unauthenticated(f"{source} is missing or blank: the caller is not known.")
    if len(value) > MAX_USER_CHARS or _UNUSABLE.search(value):
        raise Unauthenticated(f"{source} is not a user id: at most {MAX_USER_CHARS} characters, no control characters.")
    return value


def tenant_id(value: object, source: str) -> str:
    """The value as a tenant. Raises Unauthenticated, naming the source."""
    if not isinstance(value, str) or not TENANT_PATTERN.fullmatch(value):
        message = f"{source} must hold one tenant: 1 to 128 of the characters A-Z a-z 0-9 . _ : @ | -"
        raise Unauthenticated(message)
    return value


def _tenant(claims: Mapping[str, object], claim: str | None) -> str:
    if claim is None:
        if any(name in claims for name in SENT_TENANT_CLAIMS):
            raise Unauthenticated("The token names a tenant, but this deployment has no tenant claim configured.")
        return DEFAULT_TENANT
    return tenant_id(claims.get(claim), f"The claim {claim}")


def _scopes(claims: Mapping[str, object]) -> set[str]:
    """Scopes as RFC 8693 writes them ("a b"), as a list, or as an HTTP API flattens a list ("[a b]")."""
    value = claims.get("scope")
    if isinstance(value, list):
        value = " ".join(one for one in cast("list[object]", value) if isinstance(one, str))
    if not isinstance(value, str):
        return set()
    if value.startswith("[") and value.endswith("]"):
        value = value[1:-1]
    return set(value.split(" "))

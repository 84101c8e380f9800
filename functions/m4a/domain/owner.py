"""Whose memories: the pair (tenant, user), and who acted."""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

DEFAULT_TENANT = "default"
MAX_TENANT_CHARS = 128
TENANT_PATTERN = re.compile(rf"[A-Za-z0-9._:@|-]{{1,{MAX_TENANT_CHARS}}}")
MAX_USER_CHARS = 256


@dataclass(frozen=True)
class Owner:
    """A tenant and a user; both are compared exactly, with no folding and no wildcards."""

    tenant: str
    user: str

    @cached_property
    def key(self) -> str:
        """The partition of this owner: a SHA-256 over length-prefixed parts (64 hex digits).

        The prefixes make the encoding injective, so no choice of separator inside an id can join two owners.
        """
        parts = (part.encode("utf-8", "surrogatepass") for part in (self.tenant, self.user))
        return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()


@dataclass(frozen=True)
class Caller:
    """The verified caller of one request.

    ``actor`` is who authenticated; it differs from the owner's user when a backend acts on behalf of a user, or when an
    operator or the sweep acts.
    """

    owner: Owner
    actor: str
    entry_point: str
    request_id: str

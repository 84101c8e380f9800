"""A client of the HTTP API: ``Client``, and ``AsyncClient`` with the same methods. Needs the extra ``client``.

    with Client("https://memory.example", token) as memory:
        memory.remember("Takes the coffee black.", type="preference")
        best = memory.recall("How do I like my coffee?").memories[0]

Every error is an ``M4AError``. What a crowd or an outage refused is tried again; after a lost answer, all but
an update.
"""

from m4a.client.asynchronous import AsyncClient
from m4a.client.retrying import Retries
from m4a.client.synchronous import Client
from m4a.domain.errors import (
    Conflict,
    Forbidden,
    Internal,
    InvalidInput,
    M4AError,
    NotFound,
    Throttled,
    TooLarge,
    Unauthenticated,
    Unavailable,
)

__all__ = [
    "AsyncClient",
    "Client",
    "Conflict",
    "Forbidden",
    "Internal",
    "InvalidInput",
    "M4AError",
    "NotFound",
    "Retries",
    "Throttled",
    "TooLarge",
    "Unauthenticated",
    "Unavailable",
]

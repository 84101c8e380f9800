"""Arguments that may be left out, by method. Times are ISO 8601 text or Python's; one without a zone is in UTC."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypedDict

from m4a.domain.memory import Importance, MemoryType

Time = str | date
"""A datetime is a date too."""


class RememberFields(TypedDict, total=False):
    """Of ``remember``. Without an idempotency key the client makes one, so that its own retries store nothing twice."""

    type: MemoryType
    importance: Importance
    tags: Sequence[str]
    event_time: Time
    expires_at: Time
    source: str
    idempotency_key: str


class Filters(TypedDict, total=False):
    """Of ``memories``. ``tags``: all must be carried; ``time_range`` is ``start/end``, either side may be empty."""

    type: MemoryType
    importance: Importance
    tags: Sequence[str]
    time_range: str


class RecallFields(Filters, total=False):
    """Of ``recall``."""

    limit: int
    explain: bool


class Changes(TypedDict, total=False):
    """Of ``update_memory``: at least one. A time is cleared by the text ``clear``."""

    content: str
    importance: Importance
    tags: Sequence[str]
    type: MemoryType
    event_time: Time
    expires_at: Time


Arguments = Mapping[str, object] | str
"""A tool's arguments as a model gave them: an object, or its JSON text."""

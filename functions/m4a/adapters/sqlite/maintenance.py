"""Work across owners on the store's file."""

from collections.abc import Iterator
from datetime import datetime

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.rows import to_millis
from m4a.domain.memory import Memory
from m4a.domain.owner import Owner
from m4a.domain.records import Due

_DUE = """
SELECT tenant, user, memory_id, reason FROM (
    SELECT owner_no, memory_id, 'expired' AS reason, expires_at, updated_at FROM memories WHERE expires_at <= :now
    UNION ALL
    SELECT owner_no, memory_id, 'embed', expires_at, updated_at FROM memories
    WHERE vector IS NULL AND (expires_at IS NULL OR expires_at > :now)
) JOIN owners ON owners.no = owner_no ORDER BY reason = 'embed', expires_at IS NULL, expires_at, updated_at
"""
_OLDEST = """
SELECT min(since) FROM (
    SELECT expires_at AS since FROM memories WHERE expires_at <= :now
    UNION ALL
    SELECT updated_at FROM memories WHERE vector IS NULL AND (expires_at IS NULL OR expires_at > :now)
)
"""


class SqliteMaintenance:
    """Implements ``Maintenance``, and keeps the marker of the token rules."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def due(self, now: datetime) -> Iterator[Due]:
        with self._database.reading() as connection:
            rows = connection.execute(_DUE, {"now": to_millis(now)}).fetchall()
        return (Due(Owner(tenant, user), memory_id, reason) for tenant, user, memory_id, reason in rows)

    def put_off(self, owner: Owner, memory: Memory, until: datetime) -> None:
        """Nothing: the embedded model refuses no text."""

    def due_age(self, now: datetime) -> float:
        with self._database.reading() as connection:
            oldest = connection.execute(_OLDEST, {"now": to_millis(now)}).get
        return 0.0 if oldest is None else (to_millis(now) - oldest) / 1000

    def owners(self) -> Iterator[Owner]:
        with self._database.reading() as connection:
            rows = connection.execute("SELECT tenant, user FROM owners WHERE revision > 0 ORDER BY no").fetchall()
        return (Owner(tenant, user) for tenant, user in rows)

    def token_rules(self) -> str:
        """The token rules (``domain.text.RULES``) that the stored terms were made by."""
        with self._database.reading() as connection:
            return connection.execute("SELECT value FROM meta WHERE name = 'token_rules'").get

    def set_token_rules(self, rules: str) -> None:
        """Says that all stored terms are now made by these rules."""
        with self._database.writing() as connection:
            connection.execute("UPDATE meta SET value = ? WHERE name = 'token_rules'", (rules,))

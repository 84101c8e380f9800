"""Owners as rows."""

from m4a.adapters.sqlite.connection import Connection
from m4a.domain.owner import Owner

OWNER_NO = "(SELECT no FROM owners WHERE key = ?)"
"""SQL for an owner's number, from the owner's key; null for an owner without data."""


def owner_no(connection: Connection, owner: Owner) -> int | None:
    """The owner's number; None for an owner without data."""
    return connection.execute("SELECT no FROM owners WHERE key = ?", (owner.key,)).get


def ensure_owner(connection: Connection, owner: Owner) -> int:
    """The owner's number, made if need be."""
    number = owner_no(connection, owner)
    if number is not None:
        return number
    sql = "INSERT INTO owners (key, tenant, user, revision) VALUES (?, ?, ?, 0) RETURNING no"
    return connection.execute(sql, (owner.key, owner.tenant, owner.user)).get


def raise_revision(connection: Connection, number: int) -> int:
    """The owner's next revision: a number for each commit, by which caches know what they have not seen."""
    sql = "UPDATE owners SET revision = revision + 1 WHERE no = ? RETURNING revision"
    return connection.execute(sql, (number,)).get

"""Whether a SQLite store holds changes in part: what one commit writes must be there whole, or not at all."""

from collections import Counter
from collections.abc import Mapping

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.postings import token_of
from m4a.adapters.sqlite.rows import posted_counts

_NONE_OF: Mapping[str, str] = {
    "a receipt beside its memory": "SELECT memory_id FROM receipts JOIN memories USING (owner_no, memory_id)",
    "a receipt beside a history": "SELECT memory_id FROM receipts JOIN history USING (owner_no, memory_id)",
    "a history without its memory": """SELECT memory_id FROM history WHERE NOT EXISTS (
        SELECT 1 FROM memories WHERE owner_no = history.owner_no AND memory_id = history.memory_id)""",
    "a memory without its event": """SELECT memory_id FROM memories WHERE NOT EXISTS (
        SELECT 1 FROM audit WHERE owner_no = memories.owner_no AND memory_id = memories.memory_id)""",
    "a receipt without its event": """SELECT memory_id FROM receipts WHERE NOT EXISTS (
        SELECT 1 FROM audit WHERE owner_no = receipts.owner_no AND change_id = receipts.change_id)""",
    "an event of a change without its memory or receipt": """SELECT memory_id FROM audit WHERE memory_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM memories WHERE owner_no = audit.owner_no AND memory_id = audit.memory_id)
        AND NOT EXISTS (SELECT 1 FROM receipts WHERE owner_no = audit.owner_no AND memory_id = audit.memory_id)""",
    "a key without its event": """SELECT memory_id FROM keys WHERE NOT EXISTS (
        SELECT 1 FROM audit WHERE owner_no = keys.owner_no AND memory_id = keys.memory_id)""",
    "a change beyond the owner's revision": """SELECT memory_id FROM memories JOIN owners ON owners.no = owner_no
        WHERE seq > revision""",
}


def half_written(database: Database) -> list[str]:
    """What is wrong, a sentence each; empty for a sound store."""
    with database.newest() as connection:
        found = [name for name, sql in _NONE_OF.items() if connection.execute(sql).fetchall()]
        damage = connection.execute("PRAGMA integrity_check(1)").get
        return [
            *found,
            *([] if damage == "ok" else [f"a damaged file: {damage}"]),
            *_wrong_postings(connection, database.key),
            *_wrong_cells(connection),
        ]


def _wrong_postings(connection: Connection, key: bytes) -> list[str]:
    """The postings of each memory have to be those of its statement."""
    sql = "SELECT memories.no, owner_no, body FROM memories JOIN cells ON cells.no = statement"
    wanted = {
        (owner_no, token_of(key, term), no, count)
        for no, owner_no, body in connection.execute(sql)
        for term, count in posted_counts(body).items()
    }
    stored = {tuple(row) for row in connection.execute("SELECT owner_no, token, memory, count FROM postings")}
    return [] if wanted == stored else [f"postings: {len(wanted - stored)} missing, {len(stored - wanted)} too many"]


def _wrong_cells(connection: Connection) -> list[str]:
    """Each cell has to be used once, or be free once."""
    used = connection.execute(
        "SELECT statement FROM memories UNION ALL SELECT vector FROM memories WHERE vector IS NOT NULL "
        "UNION ALL SELECT statement FROM history UNION ALL SELECT cell FROM free_cells"
    )
    cells = Counter(no for (no,) in connection.execute("SELECT no FROM cells"))
    return [] if Counter(no for (no,) in used) == cells else ["cells that are used twice, or not and yet not free"]

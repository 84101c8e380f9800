"""The tables of the store, and the steps that lead to them.

What can be told from a memory's words (text, tags, source, terms, vector) stands in ``cells`` alone, where every row
stays where it was first written: see ``cells.py``. All other tables and indexes hold ids, digests, integers and words
of fixed lists; a posting holds a keyed digest of its term. SQLite moves their rows about, and what it moves leaves
copies behind that a forget could not reach.
"""

import secrets
from collections.abc import Callable

from m4a.adapters.sqlite.connection import Connection
from m4a.domain.text import RULES

APPLICATION_ID = 0x4D344131
"""``M4A1``, in the header of every store."""

Step = Callable[[Connection], object]
"""Lifts a store from one schema version to the next, inside a transaction."""

_TABLES = """
CREATE TABLE meta (name TEXT NOT NULL UNIQUE, value ANY NOT NULL) STRICT;

CREATE TABLE owners (
    no INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, user TEXT NOT NULL,
    revision INTEGER NOT NULL
) STRICT;

CREATE TABLE cells (no INTEGER PRIMARY KEY, mark BLOB NOT NULL, body BLOB NOT NULL) STRICT;
CREATE TABLE free_cells (size INTEGER NOT NULL, cell INTEGER NOT NULL, PRIMARY KEY (size, cell)) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
    no INTEGER PRIMARY KEY, owner_no INTEGER NOT NULL, memory_id TEXT NOT NULL,
    seq INTEGER NOT NULL, rev INTEGER NOT NULL, version INTEGER NOT NULL, guard BLOB NOT NULL,
    type TEXT NOT NULL, importance TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, expires_at INTEGER,
    begins_at INTEGER NOT NULL, ends_at INTEGER NOT NULL, length INTEGER NOT NULL, distinct_terms INTEGER NOT NULL,
    statement INTEGER NOT NULL REFERENCES cells, model TEXT, vector INTEGER REFERENCES cells,
    UNIQUE (owner_no, memory_id), UNIQUE (owner_no, guard)
) STRICT;
CREATE INDEX memories_seq ON memories (owner_no, seq);
CREATE INDEX memories_expiring ON memories (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memories_not_embedded ON memories (updated_at) WHERE vector IS NULL;

CREATE TABLE history (
    no INTEGER PRIMARY KEY, owner_no INTEGER NOT NULL, memory_id TEXT NOT NULL, version INTEGER NOT NULL,
    type TEXT NOT NULL, importance TEXT NOT NULL, updated_at INTEGER NOT NULL, replaced_at INTEGER NOT NULL,
    expires_at INTEGER, statement INTEGER NOT NULL REFERENCES cells, UNIQUE (owner_no, memory_id, version)
) STRICT;

CREATE TABLE postings (
    owner_no INTEGER NOT NULL, token INTEGER NOT NULL, memory INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (owner_no, token, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX postings_memory ON postings (memory);

CREATE TABLE keys (
    no INTEGER PRIMARY KEY, owner_no INTEGER NOT NULL, digest BLOB NOT NULL, fingerprint BLOB NOT NULL,
    memory_id TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE (owner_no, digest)
) STRICT;
CREATE INDEX keys_at ON keys (at);

CREATE TABLE receipts (
    no INTEGER PRIMARY KEY, owner_no INTEGER NOT NULL, memory_id TEXT NOT NULL, seq INTEGER NOT NULL,
    change_id TEXT NOT NULL, forgotten_at INTEGER NOT NULL, reason TEXT NOT NULL, actor TEXT NOT NULL,
    version INTEGER NOT NULL, versions_erased INTEGER NOT NULL, mark TEXT NOT NULL, UNIQUE (owner_no, memory_id)
) STRICT;
CREATE INDEX receipts_seq ON receipts (owner_no, seq);

CREATE TABLE residue (
    no INTEGER PRIMARY KEY AUTOINCREMENT, owner_no INTEGER NOT NULL, memory_id TEXT NOT NULL,
    UNIQUE (owner_no, memory_id)
) STRICT;

CREATE TABLE audit (
    no INTEGER PRIMARY KEY, owner_no INTEGER NOT NULL, change_id TEXT NOT NULL, at INTEGER NOT NULL,
    operation TEXT NOT NULL, outcome TEXT NOT NULL, actor TEXT NOT NULL, entry_point TEXT NOT NULL,
    request_id TEXT NOT NULL, memory_id TEXT, version INTEGER, reason TEXT, recall_id TEXT,
    UNIQUE (owner_no, change_id)
) STRICT;
CREATE INDEX audit_newest ON audit (owner_no, no);
CREATE INDEX audit_at ON audit (at);

CREATE TABLE traces (
    no INTEGER PRIMARY KEY, owner_no INTEGER NOT NULL, recall_id TEXT NOT NULL, at INTEGER NOT NULL,
    body TEXT NOT NULL, UNIQUE (owner_no, recall_id)
) STRICT;
CREATE INDEX traces_at ON traces (at);

CREATE TABLE asked (trace INTEGER PRIMARY KEY, at INTEGER NOT NULL, question TEXT NOT NULL) STRICT;
CREATE INDEX asked_at ON asked (at);
"""


def _first_tables(connection: Connection) -> None:
    connection.execute(_TABLES)
    connection.execute("INSERT INTO meta VALUES ('key', ?), ('token_rules', ?)", (secrets.token_bytes(32), RULES))


STEPS: tuple[Step, ...] = (_first_tables,)
"""Step n makes schema version n. Never change one that was released: add another."""

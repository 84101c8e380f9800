"""The search index of the SQLite store: exact, in memory, kept current by the store's revisions."""

from m4a.adapters.sqlite.index.search import SqliteIndex

__all__ = ["SqliteIndex"]

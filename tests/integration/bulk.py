"""Many changes in one transaction, for tests that need many memories and not their durability."""

from collections.abc import Iterable

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.transaction import apply_change
from m4a.domain.owner import Owner
from m4a.domain.records import Change, Committed


def commit_all(database: Database, owner: Owner, changes: Iterable[Change]) -> None:
    with database.writing(durable=False) as connection:
        for change in changes:
            assert isinstance(apply_change(connection, database.key, owner, change), Committed)

"""What was forgotten, across owners, in the store's file."""

from collections.abc import Collection, Iterator
from contextlib import closing

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.events import EVENT_COLUMNS, event_of
from m4a.adapters.sqlite.receipts import RECEIPT_COLUMNS, receipt_of
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Receipt

_RECEIPTS = (
    f"SELECT tenant, user, {RECEIPT_COLUMNS} FROM receipts JOIN owners ON owners.no = receipts.owner_no "
    "ORDER BY receipts.owner_no"
)
_ERASURES = (
    f"SELECT tenant, user, {EVENT_COLUMNS} FROM audit JOIN owners ON owners.no = audit.owner_no "
    "WHERE operation = 'erase'"
)


class SqliteForgotten:
    """Implements ``Forgotten``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def records(self) -> Iterator[tuple[Owner, Receipt | AuditEvent]]:
        """As they are when the first one is read."""
        with self._database.newest() as connection:
            for sql, record_of in ((_RECEIPTS, receipt_of), (_ERASURES, event_of)):
                with closing(connection.execute(sql)) as rows:
                    for tenant, user, *row in rows:
                        yield Owner(tenant, user), record_of(row)

    def clear_strays(self, owner: Owner, memory_ids: Collection[str]) -> int:  # noqa: ARG002
        """A copy of a file is of one moment, and a memory goes with all that belongs to it: there are none."""
        return 0

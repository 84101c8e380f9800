"""What was forgotten, across owners, on the table."""

from collections.abc import Collection, Iterator

from m4a.adapters.dynamodb.actions import Action, Condition
from m4a.adapters.dynamodb.errors import OVERRUN
from m4a.adapters.dynamodb.keys import AUDIT, CORE, GUARD, HISTORY, RECEIPT, read_version_key
from m4a.adapters.dynamodb.records import event_of, owner_of, receipt_of
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.adapters.dynamodb.table import Table
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Receipt

_RECEIPT_NAMES = ("pk", "sk", "tenant", "user", "change_id", "at", "reason", "actor", "version", "versions_erased")
_EVENT_NAMES = ("operation", "outcome", "entry_point", "request_id", "ttl")


class DynamoForgotten:
    """Implements ``Forgotten``."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def records(self) -> Iterator[tuple[Owner, Receipt | AuditEvent]]:
        for item in self._table.scan(*_RECEIPT_NAMES, *_EVENT_NAMES):
            if item["sk"].startswith(RECEIPT):
                yield owner_of(item), receipt_of(item)
            elif item["sk"].startswith(AUDIT) and item["operation"] == "erase":
                yield owner_of(item), event_of(item)

    def clear_strays(self, owner: Owner, memory_ids: Collection[str]) -> int:
        return sum(self._delete(owner, action) for action in self._strays(owner, memory_ids))

    def _delete(self, owner: Owner, action: Action) -> bool:
        """False if its condition does not hold."""
        failure: Throttled | Unavailable = Throttled(OVERRUN)
        for _ in self._table.attempts(ATTEMPTS):
            try:
                reasons = self._table.transact(owner.key, [action])
            except (Throttled, Unavailable) as error:
                failure = error
                continue
            if all(reason.code != "collision" for reason in reasons):
                return not reasons
        raise failure

    def _strays(self, owner: Owner, memory_ids: Collection[str]) -> Iterator[Action]:
        for row in self._table.query(owner.key, HISTORY, keys_only=True):
            if read_version_key(row["sk"])[0] in memory_ids:
                yield Action("Delete", {"sk": row["sk"]})
        for row in self._table.query(owner.key, CORE, keys_only=True):
            if row["sk"].removeprefix(CORE) in memory_ids:
                yield Action("Delete", {"sk": row["sk"]})
        for row in self._table.query(owner.key, GUARD):
            if row["memory_id"] in memory_ids:  # meanwhile it may have become another memory's
                same = Condition("memory_id = :memory", {":memory": row["memory_id"]})
                yield Action("Delete", {"sk": row["sk"]}, condition=same)

"""Receipts as rows."""

import json
from collections.abc import Mapping, Sequence

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.owners import OWNER_NO
from m4a.adapters.sqlite.rows import from_millis, to_millis
from m4a.domain.owner import Owner
from m4a.domain.records import Receipt

_SELECT = f"""
SELECT memory_id, change_id, forgotten_at, reason, actor, version, versions_erased,
    NOT EXISTS (SELECT 1 FROM residue WHERE owner_no = receipts.owner_no AND memory_id = receipts.memory_id)
FROM receipts WHERE owner_no = {OWNER_NO} AND memory_id IN (SELECT value FROM json_each(?))
"""


def read_receipts(connection: Connection, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
    """The receipts of those of the memories that were forgotten."""
    rows = connection.execute(_SELECT, (owner.key, json.dumps(list(memory_ids))))
    return {
        memory_id: Receipt(
            memory_id=memory_id,
            change_id=change_id,
            forgotten_at=from_millis(forgotten_at),
            reason=reason,
            actor=actor,
            version=version,
            versions_erased=versions_erased,
            residue_cleared=bool(cleared),
        )
        for memory_id, change_id, forgotten_at, reason, actor, version, versions_erased, cleared in rows
    }


def insert_receipt(connection: Connection, owner_no: int, seq: int, receipt: Receipt, mark: bytes) -> None:
    """Stores a receipt, and notes that the log still holds the erased text."""
    connection.execute(
        "INSERT INTO receipts (owner_no, memory_id, seq, change_id, forgotten_at, reason, actor, version, "
        "versions_erased, mark) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            owner_no,
            receipt.memory_id,
            seq,
            receipt.change_id,
            to_millis(receipt.forgotten_at),
            receipt.reason,
            receipt.actor,
            receipt.version,
            receipt.versions_erased,
            mark.hex(),
        ),
    )
    connection.execute("INSERT INTO residue (owner_no, memory_id) VALUES (?, ?)", (owner_no, receipt.memory_id))

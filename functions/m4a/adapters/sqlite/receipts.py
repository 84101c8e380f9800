"""Receipts as rows."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.owners import OWNER_NO
from m4a.adapters.sqlite.rows import from_millis, to_millis
from m4a.domain.owner import Owner
from m4a.domain.records import Receipt

RECEIPT_COLUMNS = """receipts.memory_id, change_id, forgotten_at, reason, actor, version, versions_erased,
    NOT EXISTS (SELECT 1 FROM residue
        WHERE residue.owner_no = receipts.owner_no AND residue.memory_id = receipts.memory_id)"""
_SELECT = f"""
SELECT {RECEIPT_COLUMNS}
FROM receipts WHERE owner_no = {OWNER_NO} AND memory_id IN (SELECT value FROM json_each(?))
"""


def read_receipts(connection: Connection, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
    """The receipts of those of the memories that were forgotten."""
    rows = connection.execute(_SELECT, (owner.key, json.dumps(list(memory_ids))))
    return {receipt.memory_id: receipt for receipt in map(receipt_of, rows)}


def receipt_of(row: Sequence[Any]) -> Receipt:
    """The receipt in a row of ``RECEIPT_COLUMNS``."""
    memory_id, change_id, forgotten_at, reason, actor, version, versions_erased, cleared = row
    return Receipt(
        memory_id=memory_id,
        change_id=change_id,
        forgotten_at=from_millis(forgotten_at),
        reason=reason,
        actor=actor,
        version=version,
        versions_erased=versions_erased,
        residue_cleared=bool(cleared),
    )


def insert_receipt(connection: Connection, owner_no: int, seq: int, receipt: Receipt, mark: bytes = b"") -> None:
    """Stores a receipt. ``mark``: what the cells of its memory carried; empty if they were never in this file."""
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


def insert_residue(connection: Connection, owner_no: int, memory_id: str) -> None:
    """Notes that the log still holds the text that was just erased."""
    connection.execute("INSERT INTO residue (owner_no, memory_id) VALUES (?, ?)", (owner_no, memory_id))

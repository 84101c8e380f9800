"""The file of what was forgotten: what it holds is read back, and what no store could take is named."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Receipt
from m4a.local.forgotten_file import BadLine, Record, lines_of, read_records

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ANN = Owner("t" * 128, "u" * 256)
RECEIPT = Receipt(
    memory_id="01ARZ3NDEKTSV4RRFFQ69G5FAV",
    change_id="01ARZ3NDEKTSV4RRFFQ69G5FAW",
    forgotten_at=NOW,
    reason="r" * 200,
    actor="a" * 256,
    version=1_000_000_000,
    versions_erased=51,
)
ERASURE = AuditEvent(
    change_id="01ARZ3NDEKTSV4RRFFQ69G5FAX",
    at=NOW,
    operation="erase",
    outcome="answered",
    actor="a" * 256,
    entry_point="https",
    request_id="",
    reason="",
)
FILE = list(lines_of([(ANN, RECEIPT), (ANN, ERASURE)], NOW))


def test_what_was_written_is_read_back_with_the_longest_values_too() -> None:
    assert list(read_records(FILE)) == [Record(ANN, RECEIPT), Record(ANN, ERASURE)]


def changed(kind: str, **values: Any) -> bytes:
    """The line of that kind with other values."""
    line = json.loads(FILE[1 if kind == "receipt" else 2])
    return json.dumps({**line, kind: {**line[kind], **values}}).encode()


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("receipt", "version", 10**40),
        ("receipt", "version", "9" * 400),
        ("receipt", "version", -1),
        ("receipt", "versions_erased", 10**40),
        ("receipt", "reason", "r" * 201),
        ("receipt", "reason", "\ud800"),
        ("receipt", "actor", "a" * 257),
        ("receipt", "forgotten_at", "9999-12-31T23:59:59Z"),
        ("erasure", "at", "9999-12-31T23:59:59Z"),
        ("erasure", "actor", "a" * 500_000),
        ("erasure", "reason", "r" * 201),
        ("erasure", "entry_point", "e" * 1_001),
        ("erasure", "request_id", "r" * 500_000),
    ],
)
def test_a_value_that_no_store_takes_is_named_with_its_line(kind: str, name: str, value: object) -> None:
    lines = [FILE[0], changed(kind, **{name: value}), FILE[1], b'{"records":2}']
    bad, good = read_records(lines)
    assert isinstance(bad, BadLine) and bad.line == 2
    assert good == Record(ANN, RECEIPT)


@pytest.mark.parametrize("owner", [Owner("default", "u" * 257), Owner("t" * 129, "ann")])
def test_an_owner_that_nobody_can_be_is_named_with_its_line(owner: Owner) -> None:
    (bad,) = read_records(lines_of([(owner, RECEIPT)], NOW))
    assert isinstance(bad, BadLine) and bad.line == 2

"""The table's stream: new outbox entries into the search index."""

from typing import Any

from m4a.bootstrap import operator
from m4a.entrypoints.stream import index_records
from m4a.entrypoints.time_left import in_time


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    indexing = operator().indexing
    assert indexing is not None, "the profile aws has an index of its own"
    with in_time(context):
        return index_records(indexing, event, context)

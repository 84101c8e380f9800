"""What runs without anyone asking: the indexer and the sweep. Their lines, and what becomes of their errors."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from m4a.entrypoints.operations import Operation, recording
from m4a.entrypoints.outcomes import known


@contextmanager
def job(entry_point: str, name: str, context: object, namespace: str | None = None) -> Generator[Operation]:
    """Records one run. Raises what the block raises, but never another error than one of ours: the platform logs the
    text of whatever a function raises."""
    request_id: str | None = getattr(context, "aws_request_id", None)
    with recording(Operation(entry_point=entry_point, name=name, request_id=request_id), namespace) as operation:
        try:
            yield operation
        except Exception as error:  # noqa: BLE001 the edge
            raise known(error, request_id or "unknown") from None


def note_sweep(
    operation: Operation,
    counts: Mapping[str, int],
    *,
    index_alive: bool | None,
    outbox: tuple[float | None, int] | None = None,
) -> None:
    """What a pass of the sweep did, by name, and what it found.

    ``index_alive`` is None where there is no index of its own. ``outbox``: the age of the oldest change that is not yet
    known to be searchable, in seconds, None if there is none; and how many are past their tries. None: not looked at.
    """
    operation.more |= counts
    if outbox is not None:
        oldest, stuck = outbox
        operation.more |= {"outbox_age": round(oldest or 0.0, 3), "outbox_stuck": stuck}
        operation.gauges |= {"outbox_age": "Seconds", "outbox_stuck": "Count"}
    if index_alive is not None:
        operation.more["index_alive"] = int(index_alive)
        operation.gauges["index_alive"] = "None"

"""What runs without anyone asking: the indexer and the sweep. Their lines, and what becomes of their errors."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from m4a.entrypoints.operations import Operation
from m4a.entrypoints.outcomes import known
from m4a.entrypoints.recording import recording


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
    outbox_age: float | None = None,
    outbox_stuck: int = 0,
    due_age: float | None = None,
) -> None:
    """What a pass of the sweep did, by name, and what it found.

    ``outbox_age``: of the oldest change that the indexer missed, in seconds, 0.0 if there is none. ``outbox_stuck``:
    how many of them wait for too long. ``due_age``: the same of the oldest memory that has expired, or has no vector.
    What is not known is None, and so are ``index_alive`` and ``outbox_age`` where there is no index of its own.
    """
    operation.more |= counts
    if due_age is not None:
        operation.more["due_age"] = round(due_age, 3)
        operation.gauges["due_age"] = "Seconds"
    if index_alive is not None:
        operation.more["index_alive"] = int(index_alive)
        operation.gauges["index_alive"] = "None"
    if outbox_age is not None:
        operation.more |= {"outbox_age": round(outbox_age, 3), "outbox_stuck": outbox_stuck}
        operation.gauges |= {"outbox_age": "Seconds", "outbox_stuck": "Count"}

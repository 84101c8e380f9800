"""One pass of the sweep, in whichever profile."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from time import monotonic

from m4a.application.index_upkeep import backlog, beat, sweep_outbox
from m4a.application.indexing import Indexing
from m4a.application.service import PAGE_SHARE, Service
from m4a.application.upkeep import Swept, sweep
from m4a.domain.errors import M4AError, Throttled, Unavailable
from m4a.ports.deadline import share
from m4a.ports.indexing import OutboxRef
from m4a.ports.maintenance import Maintenance

PASS_S = 45.0


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass did, and what it left of the changes that the stream missed.

    ``oldest_s``: the age of the oldest of them in seconds, 0.0 if there is none. ``stuck``: how many are older than an
    hour. ``index_alive``: it answers, and is the one that the table knows. ``oldest_s`` and ``index_alive`` are None
    where there is no index of its own.
    """

    swept: Swept
    settled: int = 0
    index_alive: bool | None = None
    oldest_s: float | None = None
    stuck: int = 0


def to_the_end(_: Swept) -> bool:
    """Goes on whatever was done so far."""
    return True


def sweep_pass(
    service: Service,
    maintenance: Maintenance,
    indexing: Indexing | None,
    seconds: float = PASS_S,
    go_on: Callable[[Swept], bool] = to_the_end,
) -> Pass:
    """Expiry, missing embeddings, the outbox entries that the stream missed, and the index's beat; for at most about
    ``seconds``. ``go_on`` is told the totals after each batch, and says whether to do another. A batch of the outbox is
    tried however long the rest took.

    An index that does not answer is not alive, and what waits for it is told all the same. Raises Unavailable or
    Throttled when the table does not answer, also where it only does not say what is due, after the outbox had its
    turn: the next pass goes on.
    """
    stop = monotonic() + share(seconds, PAGE_SHARE)
    swept, failure = _sweep(sweep(service, maintenance), lambda done: monotonic() <= stop and go_on(done))
    done = Pass(swept) if indexing is None else _catch_up(service, indexing, swept, partial(go_on, swept), stop)
    if failure:
        raise failure
    return done


def _sweep(passes: Iterator[Swept], go_on: Callable[[Swept], bool]) -> tuple[Swept, M4AError | None]:
    """The totals, and why no more is known to be due, if the table did not say."""
    swept = Swept()
    try:
        for swept in passes:
            if not go_on(swept):
                break
    except (Throttled, Unavailable) as error:
        return swept, error
    return swept, None


def _catch_up(service: Service, indexing: Indexing, swept: Swept, go_on: Callable[[], bool], stop: float) -> Pass:
    settled: set[OutboxRef] = set()
    taken = _answered(partial(_work_off, indexing, service.clock.now(), settled, go_on, stop))
    alive = _answered(partial(beat, indexing)) and taken
    left = backlog(indexing, service.clock.now(), settled)
    return Pass(swept, len(settled), alive, left.oldest_s, left.stuck)


def _work_off(
    indexing: Indexing, now: datetime, settled: set[OutboxRef], go_on: Callable[[], bool], stop: float
) -> bool:
    """Adds to ``settled`` what was brought into the index. One batch at least, however late it is."""
    batches = sweep_outbox(indexing, now)
    while go_on() and (some := next(batches, None)) is not None:
        settled.update(some)
        if monotonic() > stop:
            break
    return True


def _answered(work: Callable[[], bool]) -> bool:
    """What the work says; False if what it asks does not answer."""
    try:
        return work()
    except (Throttled, Unavailable):
        return False

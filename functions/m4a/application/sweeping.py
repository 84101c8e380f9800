"""One pass of the sweep, in whichever profile."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import monotonic
from typing import TypeVar

from m4a.application.index_upkeep import backlog, beat, sweep_outbox
from m4a.application.indexing import Indexing
from m4a.application.service import PAGE_SHARE, Service
from m4a.application.upkeep import Swept, sweep
from m4a.domain.errors import Throttled, Unavailable
from m4a.ports.deadline import share, time_limit
from m4a.ports.indexing import OutboxRef
from m4a.ports.maintenance import Maintenance

PASS_S = 45.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass did, and what it left.

    ``due_s``: for how many seconds the oldest of what is due has been, 0.0 if nothing is. ``index_alive``: the index
    answers, and is the one that the table knows. Of the changes that the stream missed, ``oldest_s``: the age of the
    oldest in seconds, 0.0 if there is none; ``stuck``: how many are older than an hour, at most ``STUCK_COUNTED``. The
    first three are None where the table does not say, the last two of them also where there is no index of its own.
    ``failure``: the table did not answer, so not all of this was done or is known.
    """

    swept: Swept
    settled: int = 0
    due_s: float | None = None
    index_alive: bool | None = None
    oldest_s: float | None = None
    stuck: int = 0
    failure: Throttled | Unavailable | None = None


def shortfalls(done: Pass) -> Iterator[str]:
    """A sentence for each thing that a pass could not do, for whoever keeps the store. They name no memory."""
    swept = done.swept
    if done.failure:
        yield f"not all of what is due could be read or done: {done.failure.message}"
    if swept.embedder_down:
        yield "the embedding model did not answer"
    if swept.refused:
        yield f"the embedding model refuses {swept.refused} memories, found by words alone"
    if swept.postponed:
        yield f"the store did not take {swept.postponed} changes, which wait for the next pass"
    if done.stuck:
        yield f"at least {done.stuck} changes have waited for the search index for more than an hour"
    if done.index_alive is False:
        yield "the search index does not answer, or is not the one that the table knows: see m4a doctor"


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

    What fails keeps no later step from its turn. An index that does not answer is not alive; a table that does not
    answer is the pass's ``failure``. Neither is raised, for what else was found is to be told. Memories and outbox each
    leave a part of the caller's time, so that the beat and the ages have theirs, however slow the table is.
    """
    stop = monotonic() + share(seconds, PAGE_SHARE)
    steps = _Steps()
    with time_limit(share(of=PAGE_SHARE)):
        swept = steps.sweep(sweep(service, maintenance), lambda done: monotonic() <= stop and go_on(done))
    done = Pass(swept or Swept())
    if indexing is not None:
        done = _catch_up(service, indexing, done, steps, partial(go_on, done.swept), stop)
    due_s = steps.tried(lambda: maintenance.due_age(service.clock.now())) if swept or steps.failure else 0.0
    return replace(done, due_s=due_s, failure=steps.failure)


class _Steps:
    """The steps of a pass, each of which may fail for itself. ``failure``: the first that the table is to blame for."""

    def __init__(self) -> None:
        self.failure: Throttled | Unavailable | None = None

    def tried(self, work: Callable[[], T]) -> T | None:
        """What the work answers; None if it failed."""
        try:
            return work()
        except (Throttled, Unavailable) as error:
            self.failure = self.failure or error
            return None

    def sweep(self, totals: Iterator[Swept], go_on: Callable[[Swept], bool]) -> Swept | None:
        """The totals as far as they came; None if nothing was due."""
        swept: Swept | None = None
        while (more := self.tried(lambda: next(totals, None))) is not None:
            swept = more
            if not go_on(swept):
                break
        return swept


def _catch_up(
    service: Service, indexing: Indexing, done: Pass, steps: _Steps, go_on: Callable[[], bool], stop: float
) -> Pass:
    settled: set[OutboxRef] = set()
    with time_limit(share(of=PAGE_SHARE)):
        steps.tried(partial(_work_off, indexing, service.clock.now(), settled, go_on, stop))
    alive = steps.tried(partial(beat, indexing))
    left = steps.tried(partial(backlog, indexing, service.clock.now(), settled))
    done = replace(done, settled=len(settled), index_alive=alive)
    return replace(done, oldest_s=left.oldest_s, stuck=left.stuck) if left else done


def _work_off(
    indexing: Indexing, now: datetime, settled: set[OutboxRef], go_on: Callable[[], bool], stop: float
) -> None:
    """Adds to ``settled`` what was brought into the index. One batch at least, however late it is."""
    batches = sweep_outbox(indexing, now)
    while go_on() and (some := next(batches, None)) is not None:
        settled.update(some)
        if monotonic() > stop:
            break

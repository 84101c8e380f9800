"""One pass of the sweep, in whichever profile."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from m4a.application.index_upkeep import beat, sweep_outbox
from m4a.application.indexing import Indexing
from m4a.application.service import Service
from m4a.application.upkeep import Swept, sweep
from m4a.ports.maintenance import Maintenance

PASS_S = 45.0


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass did. ``index_alive`` is None where there is no index of its own."""

    swept: Swept
    settled: int = 0
    index_alive: bool | None = None


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
    ``seconds``. ``go_on`` is told the totals after each batch, and whether to do another.

    Raises Unavailable or Throttled when table or index don't answer: the next pass goes on.
    """
    stop = monotonic() + seconds
    swept = Swept()
    for swept in sweep(service, maintenance):
        if monotonic() > stop or not go_on(swept):
            break
    if indexing is None:
        return Pass(swept)
    settled = 0
    while monotonic() < stop and go_on(swept) and (some := sweep_outbox(indexing, service.clock.now())):
        settled += some
    return Pass(swept, settled, beat(indexing))

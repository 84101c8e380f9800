"""One pass of the sweep, in whichever profile."""

from dataclasses import dataclass
from time import monotonic

from m4a.application.index_upkeep import beat, sweep_outbox
from m4a.application.indexing import Indexing
from m4a.application.service import Service
from m4a.application.upkeep import Swept, sweep
from m4a.ports.maintenance import Maintenance


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass did. ``index_alive`` is None where there is no index of its own."""

    swept: Swept
    settled: int = 0
    index_alive: bool | None = None


def sweep_pass(service: Service, maintenance: Maintenance, indexing: Indexing | None, seconds: float = 45.0) -> Pass:
    """Expiry, missing embeddings, the outbox entries that the stream missed, and the index's beat; for at most about
    ``seconds``. Raises Unavailable or Throttled when table or index don't answer: the next pass goes on."""
    stop = monotonic() + seconds
    swept = Swept()
    for swept in sweep(service, maintenance):  # noqa: B007 the last total is what counts
        if monotonic() > stop:
            break
    if indexing is None:
        return Pass(swept)
    settled = 0
    while monotonic() < stop and (some := sweep_outbox(indexing, service.clock.now())):
        settled += some
    return Pass(swept, settled, beat(indexing))

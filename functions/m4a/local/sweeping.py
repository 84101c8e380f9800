"""The sweep in the background of the local server."""

import logging
import threading
from types import TracebackType

from m4a.application.sweeping import Pass, shortfalls, sweep_pass
from m4a.bootstrap import Operator

SWEEP_SECONDS = 60.0

logger = logging.getLogger(__name__)


class Sweeping:
    """Sweeps at once and then every minute, on a thread, for as long as the ``with`` block lasts."""

    def __init__(self, operator: Operator, every_s: float = SWEEP_SECONDS) -> None:
        self._operator = operator
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="m4a-sweep", daemon=True)

    def __enter__(self) -> "Sweeping":
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        one = self._operator
        while not self._ended.is_set():
            try:
                done = sweep_pass(one.service, one.maintenance, one.indexing, go_on=lambda _: not self._ended.is_set())
            except Exception as error:  # noqa: BLE001 the edge of this thread: the next pass tries again
                logger.warning("sweep failed: %s", type(error).__name__)
            else:
                _tell(done)
            self._ended.wait(self._every_s)


def _tell(done: Pass) -> None:
    swept = done.swept
    if swept.expired or swept.embedded:
        logger.info("sweep: %d expired, %d embedded", swept.expired, swept.embedded)
    if done.settled:
        logger.info("sweep: %d changes that the indexer had missed were brought into the search index", done.settled)
    for shortfall in shortfalls(done):
        logger.warning("sweep: %s", shortfall)

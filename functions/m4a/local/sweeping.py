"""The sweep in the background of the local server."""

import logging
import threading
from types import TracebackType

from m4a.application.upkeep import Swept, sweep
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
        while not self._ended.is_set():
            try:
                self._sweep()
            except Exception as error:  # noqa: BLE001 the edge of this thread: the next pass tries again
                logger.warning("sweep failed: %s", type(error).__name__)
            self._ended.wait(self._every_s)

    def _sweep(self) -> None:
        total = Swept()
        for swept in sweep(self._operator.service, self._operator.maintenance):
            total = swept
            if self._ended.is_set():
                break
        if total.expired or total.embedded:
            logger.info("sweep: %d expired, %d embedded", total.expired, total.embedded)
        if total.embedder_down:
            logger.warning("sweep: the embedding model did not answer")

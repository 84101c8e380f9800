"""Each minute: what is owed without anyone asking."""

import logging
from typing import Any

from m4a.application.sweeping import sweep_pass
from m4a.bootstrap import operator, settings
from m4a.entrypoints.jobs import job, note_sweep

logger = logging.getLogger(__name__)


def handler(_event: dict[str, Any], context: object) -> dict[str, Any]:
    one = operator()
    with job("schedule", "sweep", context, settings().metrics_namespace) as operation:
        done = sweep_pass(one.service, one.maintenance, one.indexing)
        counts = {"expired": done.swept.expired, "embedded": done.swept.embedded, "settled": done.settled}
        note_sweep(operation, counts, index_alive=done.index_alive)
    logger.info("sweep: %d expired, %d embedded, %d settled", *counts.values())
    return {**counts, "index_alive": done.index_alive}

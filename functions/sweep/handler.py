"""Each minute: what is owed without anyone asking."""

import logging
from typing import Any

from m4a.application.sweeping import Pass, shortfalls, sweep_pass
from m4a.bootstrap import operator, settings
from m4a.entrypoints.jobs import job, note_sweep
from m4a.entrypoints.time_left import in_time

logger = logging.getLogger(__name__)


def handler(_event: dict[str, Any], context: object) -> dict[str, Any]:
    one = operator()
    with job("schedule", "sweep", context, settings().metrics_namespace) as operation, in_time(context):
        done = sweep_pass(one.service, one.maintenance, one.indexing)
        counts = _counts(done)
        note_sweep(
            operation,
            counts,
            index_alive=done.index_alive,
            outbox_age=done.oldest_s,
            outbox_stuck=done.stuck,
            due_age=done.due_s,
        )
        logger.info("sweep: %s", ", ".join(f"{count} {name}" for name, count in counts.items()))
        for shortfall in shortfalls(done):
            logger.warning("sweep: %s", shortfall)
        if done.failure:
            raise done.failure
    found = {"due_s": done.due_s, "index_alive": done.index_alive, "oldest_s": done.oldest_s, "stuck": done.stuck}
    return {**counts, **found}


def _counts(done: Pass) -> dict[str, int]:
    swept = done.swept
    return {
        "expired": swept.expired,
        "embedded": swept.embedded,
        "refused": swept.refused,
        "postponed": swept.postponed,
        "settled": done.settled,
    }

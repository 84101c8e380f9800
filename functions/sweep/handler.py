"""Each minute: what is owed without anyone asking."""

import logging
from typing import Any

from m4a.application.sweeping import sweep_pass
from m4a.bootstrap import operator
from m4a.entrypoints.time_left import in_time

logger = logging.getLogger(__name__)


def handler(_event: dict[str, Any], context: object) -> dict[str, Any]:
    one = operator()
    with in_time(context):
        done = sweep_pass(one.service, one.maintenance, one.indexing)
    logger.info("sweep: %d expired, %d embedded, %d settled", done.swept.expired, done.swept.embedded, done.settled)
    if done.stuck:
        logger.warning("sweep: %d changes have waited for the search index for more than an hour", done.stuck)
    return {
        "expired": done.swept.expired,
        "embedded": done.swept.embedded,
        "settled": done.settled,
        "index_alive": done.index_alive,
        "oldest_s": done.oldest_s,
        "stuck": done.stuck,
    }

"""A sweep whose time a slow table takes up still has some for the index's beat, and for what it tells."""

from datetime import timedelta

import pytest

from m4a.application.sweeping import sweep_pass
from m4a.ports import deadline
from m4a.ports.deadline import time_limit
from tests.faults.faults import THROTTLED, asks_for
from tests.faults.site import Seconds, Site
from tests.support.https import HttpsClient
from tests.support.proxy import Forward, Request, Response
from tests.support.proxy_faults import only

PASS_S = 100.0
SLOW_S = 20.0


@pytest.mark.parametrize("slow", ["TransactWriteItems", "DeleteItem"])
def test_the_beat_and_the_ages_have_their_time_however_much_the_rest_takes(
    site: Site, alice: HttpsClient, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    site.poller.pause()
    alice.call(
        "remember", content="The guest code is 4711", expires_at=(site.clock.now() + timedelta(hours=1)).isoformat()
    )
    alice.call("remember", content="The stove is lent to Paul")
    site.clock.advance(hours=2)
    seconds = Seconds()
    monkeypatch.setattr(deadline, "monotonic", seconds)

    def slowly(request: Request, forward: Forward) -> Response:
        seconds.skip(SLOW_S)
        return THROTTLED(request, forward)

    with site.table.failing(only(asks_for(slow), slowly)), time_limit(PASS_S):
        swept = sweep_pass(site.service, site.operator.maintenance, site.indexing)
    assert (swept.index_alive, swept.failure) == (True, None)
    assert swept.oldest_s is not None and swept.due_s is not None

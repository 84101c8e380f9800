"""The sweep meets faults: what can't be done keeps nothing else from its turn, and is told."""

import importlib
import json
from collections import Counter
from typing import Any

import pytest

from m4a.adapters.dynamodb.work import Work, partitions
from m4a.application import index_upkeep
from m4a.application.sweeping import sweep_pass
from m4a.domain.errors import Throttled, Unavailable
from tests.faults.faults import THROTTLED, asks_for, is_bulk, of_items, of_table, refused_with
from tests.faults.site import Site
from tests.support.https import HttpsClient
from tests.support.proxy import Request
from tests.support.proxy_faults import answering, only
from tests.support.waiting import until


def documents(site: Site) -> Counter[str]:
    """How often each memory was sent to the index."""
    lines = [line for one in site.index.asked if is_bulk(one) for line in one.body.splitlines()]
    puts = [row["index"]["_id"] for row in map(json.loads, lines) if "index" in row]
    return Counter(one.rpartition(":")[2] for one in puts)


def test_changes_that_are_refused_each_time_keep_no_other_from_its_turn(
    site: Site, alice: HttpsClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(index_upkeep, "SWEEP_ENTRIES", 2)
    sweep_handler = importlib.import_module("sweep.handler")
    monkeypatch.setattr(sweep_handler, "operator", lambda: site.operator)
    site.poller.pause()
    made: list[str] = []
    for number in range(7):
        made.append(alice.call("remember", content=f"Box {number} holds tools")["memory_id"])
        site.clock.advance(seconds=1)
    bad = made[:5]

    def poison(item: dict[str, Any]) -> dict[str, Any]:
        return refused_with(400)(item) if item["_id"].rpartition(":")[2] in bad else item

    with site.index.failing(only(is_bulk, of_items(poison))):
        swept = site.sweep()
        assert documents(site) == Counter(made)
        assert (site.pending(), swept.settled, swept.stuck, swept.oldest_s) == (bad, 2, 0, 367.0)
        site.clock.advance(hours=1)
        told = sweep_handler.handler({}, None)

    assert (told["settled"], told["stuck"], told["oldest_s"]) == (0, 5, 3967.0)
    assert "5 changes have waited" in caplog.text
    swept = site.sweep()
    assert (swept.settled, swept.stuck, swept.oldest_s, site.pending()) == (5, 0, 0.0, [])


def test_the_outbox_has_its_turn_in_a_pass_without_any_time_left(site: Site, alice: HttpsClient) -> None:
    site.poller.pause()
    alice.call("remember", content="The stove is lent to Paul")
    site.clock.advance(hours=1)
    assert sweep_pass(site.service, site.operator.maintenance, site.indexing, seconds=0.0).settled == 1


def test_the_outbox_has_its_turn_in_a_pass_that_can_not_read_what_is_due(site: Site, alice: HttpsClient) -> None:
    site.poller.pause()
    alice.call("remember", content="The stove is lent to Paul")

    def lists_due(request: Request) -> bool:
        values: dict[str, Any] = {}
        if asks_for("Query")(request):
            values = json.loads(request.body)["ExpressionAttributeValues"]
        return ":wb" in values and int(values[":wb"]["N"]) not in partitions(Work.SETTLE)

    with site.table.failing(only(lists_due, THROTTLED)), pytest.raises(Throttled):
        site.sweep()
    assert site.pending() == []


def test_a_sweep_that_finds_the_index_down_says_so_and_what_waits_and_the_next_one_goes_on(
    site: Site, alice: HttpsClient
) -> None:
    with site.index.failing(answering(503, b"{}")):
        new = alice.call("remember", content="The stove is lent to Paul")["memory_id"]
        until(lambda: len(site.poller.dead_letters) == 1)
        site.clock.advance(hours=1)
        down = site.sweep()
    assert (down.settled, down.index_alive, down.oldest_s, down.stuck) == (0, False, 3960.0, 1)
    assert site.pending() == [new]
    swept = site.sweep()
    assert (swept.settled, swept.index_alive, swept.oldest_s, swept.stuck) == (1, True, 0.0, 0)


def test_a_sweep_that_finds_the_table_down_fails(site: Site, alice: HttpsClient) -> None:
    with site.table.failing(of_table(answering(503, b"{}"))), pytest.raises(Unavailable):
        site.sweep()

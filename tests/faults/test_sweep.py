"""The sweep meets faults: what can't be done keeps nothing else from its turn, and is told."""

import importlib
import json
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from m4a.adapters.dynamodb.work import Work, partitions
from m4a.application import index_upkeep
from m4a.application.remember import Remember, remember
from m4a.application.sweeping import sweep_pass
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.owner import Caller, Owner
from tests.faults.faults import THROTTLED, asks_for, is_bulk, of_items, of_table, refused_with, unread
from tests.faults.site import ALICE, Site
from tests.support.https import HttpsClient
from tests.support.proxy import Request
from tests.support.proxy_faults import answering, only
from tests.support.waiting import until

BOB = Owner("default", "bob")


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
    made = remembered(site, alice, 7)
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


def remembered(site: Site, alice: HttpsClient, count: int) -> list[str]:
    """Ids, a second between each."""
    made: list[str] = []
    for number in range(count):
        made.append(alice.call("remember", content=f"Box {number} holds tools")["memory_id"])
        site.clock.advance(seconds=1)
    return made


def lists_due(request: Request) -> bool:
    """Whether it asks what is due beside the outbox."""
    values: dict[str, Any] = {}
    if asks_for("Query")(request):
        values = json.loads(request.body)["ExpressionAttributeValues"]
    return ":wb" in values and int(values[":wb"]["N"]) not in partitions(Work.SETTLE)


def test_a_pass_that_can_not_read_what_is_due_does_the_rest_tells_it_and_fails(
    site: Site, alice: HttpsClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sweep_handler = importlib.import_module("sweep.handler")
    monkeypatch.setattr(sweep_handler, "operator", lambda: site.operator)
    caplog.set_level("INFO", "m4a.operations")
    site.poller.pause()
    alice.call("remember", content="The stove is lent to Paul")
    site.clock.advance(hours=1)
    with site.table.failing(only(lists_due, THROTTLED)), pytest.raises(Throttled):
        sweep_handler.handler({}, None)
    assert site.pending() == []
    (line,) = [vars(one) for one in caplog.records if vars(one).get("operation") == "sweep"]
    told = {name: line.get(name) for name in ("outcome", "settled", "index_alive", "outbox_age", "due_age")}
    assert told == {"outcome": "throttled", "settled": 1, "index_alive": 1, "outbox_age": 0.0, "due_age": None}


def test_a_table_that_is_overrun_says_nothing_of_the_index(site: Site, alice: HttpsClient) -> None:
    site.poller.pause()
    alice.call("remember", content="The stove is lent to Paul")
    with site.table.failing(only(asks_for("BatchGetItem", "DeleteItem"), THROTTLED)):
        swept = site.sweep()
    assert (swept.settled, swept.index_alive, swept.oldest_s) == (0, True, 360.0)
    with site.table.failing(only(asks_for("GetItem"), THROTTLED)):
        swept = site.sweep()
    assert (swept.settled, swept.index_alive, swept.oldest_s) == (1, None, 0.0)
    assert isinstance(swept.failure, Throttled)


def test_an_owner_whose_partition_is_overrun_keeps_no_other_from_their_turn(
    site: Site, alice: HttpsClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_upkeep, "SWEEP_ENTRIES", 2)
    site.poller.pause()
    hers = remembered(site, alice, 5)
    remember(site.service, Caller(BOB, "bob", "test", "r"), Remember(content="The tent is lent to Marie"))
    site.table.asked.clear()
    with site.table.failing(unread(ALICE)):
        swept = site.sweep()
    assert (swept.settled, swept.index_alive, swept.failure) == (1, True, None)
    read = [one.body.decode() for one in site.table.asked if asks_for("BatchGetItem")(one)]
    assert [one for one in hers if any(one in body for body in read)] == hers[:2]
    assert (sorted(site.pending()), site.service.outbox.pending(BOB, 10)) == (sorted(hers), [])
    assert site.sweep().settled == 5


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


def test_a_sweep_that_finds_the_table_down_knows_nothing_and_fails(site: Site, alice: HttpsClient) -> None:
    with site.table.failing(of_table(answering(503, b"{}"))):
        swept = site.sweep()
    assert isinstance(swept.failure, Unavailable)
    assert (swept.due_s, swept.index_alive, swept.oldest_s) == (None, None, None)


def test_the_sweep_takes_up_a_change_at_the_age_that_the_deployment_says(site: Site, alice: HttpsClient) -> None:
    site.poller.pause()
    alice.call("remember", content="The stove is lent to Paul")
    sooner = replace(site.indexing, settle_after=timedelta(seconds=60))
    site.clock.advance(seconds=59)
    assert sweep_pass(site.service, site.operator.maintenance, sooner).settled == 0
    site.clock.advance(seconds=1)
    assert sweep_pass(site.service, site.operator.maintenance, site.indexing).settled == 0
    assert sweep_pass(site.service, site.operator.maintenance, sooner).settled == 1


def test_stuck_changes_are_counted_to_an_end(site: Site, alice: HttpsClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_upkeep, "STUCK_COUNTED", 2)
    site.poller.pause()
    for number in range(4):
        alice.call("remember", content=f"Box {number} holds tools")
    site.clock.advance(hours=2)
    with site.index.failing(answering(503, b"{}")):
        assert site.sweep().stuck == 2

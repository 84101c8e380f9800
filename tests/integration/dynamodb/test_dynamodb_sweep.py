"""The sweep on the table: what can't be worked on, of memories, model or table, keeps nothing else from its turn."""

import importlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from m4a.adapters.dynamodb import maintenance
from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.adapters.dynamodb.work import BUCKETS
from m4a.application.remember import Remember, remember
from m4a.application.service import Service
from m4a.application.sweeping import sweep_pass
from m4a.application.upkeep import EMBED_BATCH, TABLE_FAILURES, sweep
from m4a.bootstrap import Operator
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.owner import Caller, Owner
from tests.integration.dynamodb.sweeping import ANN, BOB, COMMIT, OVERRUN, READ, REFUSED, Model, notes
from tests.support.dynamodb import Dynamo, Request, fail, leaving_unread, pass_on


def test_the_function_counts_what_is_left_beside_what_was_done(
    service: Service, dynamo: Dynamo, model: Model, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    remember(service, ANN, Remember(content=REFUSED))
    notes(service, dynamo, 2, ANN)
    notes(service, dynamo, 1, BOB, expires_at=dynamo.clock.now() + timedelta(hours=1))
    dynamo.clock.advance(hours=2)
    model.failure = None
    handler = importlib.import_module("sweep.handler")
    monkeypatch.setattr(handler, "operator", lambda: Operator(service, dynamo.maintenance, dynamo.forgotten))
    dynamo.client.script(COMMIT, *[OVERRUN] * 6)
    told = handler.handler({}, None)
    assert {name: told[name] for name in ("expired", "embedded", "refused", "postponed")} == {
        "expired": 0,
        "embedded": 2,
        "refused": 1,
        "postponed": 1,
    }
    assert "refuses 1 memories" in caplog.text and "did not take 1 changes" in caplog.text


def test_the_function_that_fails_for_the_table_has_logged_what_else_did_not_answer(
    service: Service, dynamo: Dynamo, model: Model, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    notes(service, dynamo, 1)
    handler = importlib.import_module("sweep.handler")
    monkeypatch.setattr(handler, "operator", lambda: Operator(service, dynamo.maintenance, dynamo.forgotten))
    overrun = fail("ProvisionedThroughputExceededException")
    what_is_due = 4 * BUCKETS
    dynamo.client.script("query", *[pass_on] * what_is_due, *[overrun] * ATTEMPTS)
    with pytest.raises(Throttled):
        handler.handler({}, None)
    assert "the embedding model did not answer" in caplog.text


@pytest.mark.parametrize("failure", [Unavailable("down"), Throttled("overrun")])
def test_a_model_that_takes_nothing_is_asked_a_few_times_and_not_for_each_memory(
    service: Service, dynamo: Dynamo, model: Model, failure: Exception
) -> None:
    notes(service, dynamo, 40)
    model.failure, model.asked = failure, []
    (swept,) = sweep(service, dynamo.maintenance)
    assert (swept.embedded, swept.refused, swept.embedder_down) == (0, 0, True)
    assert len(model.asked) <= 3


def test_a_memory_is_forgotten_in_time_though_it_has_no_vector_and_the_model_is_down(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    notes(service, dynamo, 70)
    notes(service, dynamo, 1, BOB, expires_at=dynamo.clock.now() + timedelta(minutes=1))
    dynamo.clock.advance(minutes=2)
    *_, swept = sweep(service, dynamo.maintenance)
    assert (swept.expired, swept.embedder_down) == (1, True)
    assert len(dynamo.sort_keys("M#")) == 70


def test_the_totals_come_after_each_few(service: Service, dynamo: Dynamo, model: Model) -> None:
    notes(service, dynamo, 40)
    model.failure = None
    assert [one.embedded for one in sweep(service, dynamo.maintenance)] == [EMBED_BATCH, 2 * EMBED_BATCH, 40]


def test_what_the_table_does_not_take_waits_and_keeps_no_other_from_its_turn(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    expires_at = dynamo.clock.now() + timedelta(hours=1)
    notes(service, dynamo, 1, ANN, expires_at=expires_at)
    notes(service, dynamo, 3, BOB, expires_at=expires_at)
    dynamo.clock.advance(hours=2)
    dynamo.client.script(COMMIT, *[OVERRUN] * 8)
    swept = sweep_pass(service, dynamo.maintenance, None).swept
    dynamo.client.script(COMMIT)
    assert (swept.expired, swept.postponed) == (3, 1)
    again = sweep_pass(service, dynamo.maintenance, None).swept
    assert (again.expired, again.postponed) == (1, 0)


def test_a_table_that_takes_nothing_ends_the_pass(service: Service, dynamo: Dynamo, model: Model) -> None:
    expires_at = dynamo.clock.now() + timedelta(hours=1)
    owners = [Owner("default", f"user {number}") for number in range(10)]
    for owner in owners:
        notes(service, dynamo, 1, Caller(owner, "", "test", "r"), expires_at=expires_at)
    dynamo.clock.advance(hours=2)
    dynamo.client.sent.clear()
    dynamo.client.script(COMMIT, *[OVERRUN] * 100)
    (swept,) = sweep(service, dynamo.maintenance)
    requests = map(str, dynamo.client.requests(COMMIT))
    tried = {owner for one in requests for owner in owners if owner.key in one}
    assert (swept.expired, swept.postponed, len(tried)) == (0, 10, TABLE_FAILURES)


def test_an_owner_whose_writes_fail_keeps_no_other_from_their_turn(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    expires_at = dynamo.clock.now() + timedelta(hours=1)
    notes(service, dynamo, 8, ANN, expires_at=expires_at)
    notes(service, dynamo, 2, BOB, expires_at=expires_at)
    dynamo.clock.advance(hours=2)

    def refuse_ann(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        return OVERRUN(client, operation, request) if ANN.owner.key in str(request) else client(operation, **request)

    dynamo.client.script(COMMIT, *[refuse_ann] * 100)
    (swept,) = sweep(service, dynamo.maintenance)
    assert (swept.expired, swept.postponed) == (2, 8)


def test_patience_with_owners_who_can_not_be_read_does_not_add_up(
    service: Service, dynamo: Dynamo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_READ_AT_ONCE", 2)
    busy = [Owner("default", f"busy {number}") for number in range(5)]
    for owner in busy:
        notes(service, dynamo, 1, Caller(owner, "", "test", "r"))
        notes(service, dynamo, 1, BOB, text=f"After {owner.user}")
    dynamo.client.script(READ, *[leaving_unread(*busy)] * 1_000)
    dynamo.client.sent.clear()
    found = [one and one.owner for one in dynamo.maintenance.due(dynamo.clock.now())]
    assert found == [None, BOB.owner] * 5
    requests = [str(one) for one in dynamo.client.requests(READ)]
    assert [sum(owner.key in one for one in requests) for owner in busy] == [*[ATTEMPTS] * 3, 1, 1]


def test_an_owner_who_can_not_be_read_keeps_no_other_from_their_turn(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    notes(service, dynamo, 1, BOB)
    notes(service, dynamo, 130)
    notes(service, dynamo, 1, BOB)
    notes(service, dynamo, 1, BOB, expires_at=dynamo.clock.now() + timedelta(minutes=1))
    notes(service, dynamo, 2, expires_at=dynamo.clock.now() + timedelta(minutes=1))
    dynamo.clock.advance(hours=2)
    model.failure = None
    dynamo.client.script(READ, *[leaving_unread(ANN.owner)] * 1_000)
    dynamo.client.sent.clear()
    done = sweep_pass(service, dynamo.maintenance, None)
    assert (done.swept.expired, done.swept.embedded, done.swept.postponed, done.failure) == (1, 2, 132, None)
    asked = [request for request in dynamo.client.requests(READ) if ANN.owner.key in str(request)]
    assert len(asked) == ATTEMPTS
    dynamo.client.script(READ)
    again = sweep_pass(service, dynamo.maintenance, None).swept
    assert (again.expired, again.embedded, again.postponed) == (2, 130, 0)


def test_a_table_that_gives_no_memory_at_all_ends_the_pass_and_the_others_are_not_asked_for(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    for number in range(5):
        notes(service, dynamo, 64, Caller(Owner("default", f"user {number}"), "", "test", "r"))
    model.failure = None
    dynamo.client.script(READ, *[fail("ProvisionedThroughputExceededException")] * 1_000)
    dynamo.client.sent.clear()
    done = sweep_pass(service, dynamo.maintenance, None)
    assert isinstance(done.failure, Throttled)
    assert len(dynamo.client.requests(READ)) == 3 * ATTEMPTS

"""The sweep on the table: what can't be worked on, of memories, model or table, keeps nothing else from its turn."""

import importlib
from collections.abc import Generator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest

from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.application.remember import Remember, remember
from m4a.application.service import Service
from m4a.application.sweeping import sweep_pass
from m4a.application.upkeep import EMBED_BATCH, TABLE_FAILURES, Renewed, Swept, reindex, sweep
from m4a.bootstrap import Operator
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.owner import Caller, Owner
from m4a.domain.vectors import cosines, pack
from m4a.ports import Purpose
from m4a.ports.deadline import LimitedPool
from tests.support.dynamodb import Dynamo, Request, cancel, fail, leaving_unread

ANN = Caller(Owner("default", "ann"), "ann", "test", "r-1")
BOB = Caller(Owner("default", "bob"), "bob", "test", "r-2")
REFUSED = "What no model takes"
COMMIT = "transact_write_items"
READ = "batch_get_item"
OVERRUN = cancel(["ThrottlingError"])


class Model:
    """Takes nothing, or all but texts that begin with one of ours; and so a batch with such a one fails whole."""

    model, dense_weight, similar_floor = "m", 1.0, 0.9

    def __init__(self) -> None:
        self.failure: Exception | None = Unavailable("down")
        self.refuses = REFUSED
        self.asked: list[Sequence[str]] = []

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self.asked.append(texts)
        if self.failure:
            raise self.failure
        if any(one.startswith(self.refuses) for one in texts):
            raise Unavailable("refused")
        return [Embedding(self.model, pack([1.0, 0.0])) for _ in texts]


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def service(dynamo: Dynamo, model: Model) -> Generator[Service]:
    none: Any = None
    with LimitedPool(2) as pool:
        yield Service(
            store=dynamo.store,
            outbox=dynamo.outbox,
            log=dynamo.log,
            index=none,
            embedder=model,
            clock=dynamo.clock,
            cosines=cosines,
            pool=pool,
            close=lambda: None,
        )


def notes(
    service: Service, dynamo: Dynamo, count: int, caller: Caller = ANN, text: str = "Note", **fields: Any
) -> None:
    for _ in range(count):
        dynamo.clock.advance(seconds=1)
        remember(service, caller, Remember(content=f"{text} {dynamo.clock.now():%H:%M:%S}", **fields))


def bare(dynamo: Dynamo) -> list[str]:
    """The texts of Ann's memories without a vector."""
    found: Sequence[Memory] = dynamo.store.list(ANN.owner, Filters(), dynamo.clock.now(), None, 200).items
    return [one.content for one in found if not one.embedding]


def test_a_text_that_the_model_refuses_keeps_no_other_from_being_embedded(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    remember(service, ANN, Remember(content=REFUSED))
    notes(service, dynamo, 20)
    model.failure = None
    *_, swept = sweep(service, dynamo.maintenance)
    assert (swept.embedded, swept.refused, swept.embedder_down) == (20, 1, False)
    assert bare(dynamo) == [REFUSED]


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


def test_texts_that_the_model_refuses_are_sent_again_after_an_hour_and_not_each_minute(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    notes(service, dynamo, 32, text=REFUSED)
    notes(service, dynamo, 1)
    model.failure, model.asked = None, []
    swept = sweep_pass(service, dynamo.maintenance, None).swept
    assert (swept.embedded, swept.refused) == (1, 32)
    together, alone, probes = 2, 32, 2
    assert len(model.asked) == together + alone + probes + 1
    model.asked.clear()
    dynamo.clock.advance(minutes=59)
    assert sweep_pass(service, dynamo.maintenance, None).swept == Swept()
    assert model.asked == []
    dynamo.clock.advance(minutes=1)
    assert sweep_pass(service, dynamo.maintenance, None).swept.refused == 32


def test_a_text_that_was_refused_by_mistake_is_embedded_an_hour_later(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    expires_at = dynamo.clock.now() + timedelta(days=1)
    notes(service, dynamo, 1, text=REFUSED)
    notes(service, dynamo, 1, BOB, text=REFUSED, expires_at=expires_at)
    model.failure = None
    assert sweep_pass(service, dynamo.maintenance, None).swept.refused == 2
    model.refuses = "nothing"
    dynamo.clock.advance(hours=1)
    assert sweep_pass(service, dynamo.maintenance, None).swept.embedded == 2


def test_a_memory_whose_text_is_refused_is_forgotten_in_time_though_the_model_is_down_by_then(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    notes(service, dynamo, 1, BOB, text=REFUSED, expires_at=dynamo.clock.now() + timedelta(minutes=90))
    model.failure = None
    assert sweep_pass(service, dynamo.maintenance, None).swept.refused == 1
    model.failure = Unavailable("down")
    notes(service, dynamo, 40)
    dynamo.clock.advance(minutes=61)
    assert sweep_pass(service, dynamo.maintenance, None).swept == Swept(embedder_down=True)
    dynamo.clock.advance(minutes=30)
    assert sweep_pass(service, dynamo.maintenance, None).swept == Swept(expired=1, embedder_down=True)


def test_what_waits_says_for_how_long_and_what_was_put_off_does_not_wait(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    expires_at = dynamo.clock.now() + timedelta(hours=1)
    notes(service, dynamo, 1, expires_at=expires_at)
    notes(service, dynamo, 1, BOB, text=REFUSED)
    dynamo.clock.advance(hours=3)
    dynamo.client.script(COMMIT, *[OVERRUN] * 6)
    assert sweep_pass(service, dynamo.maintenance, None).due_s == 10_800.0
    dynamo.client.script(COMMIT)
    model.failure = None
    dynamo.client.script(COMMIT, *[OVERRUN] * 6)
    assert sweep_pass(service, dynamo.maintenance, None).due_s == 7_202.0
    dynamo.client.script(COMMIT)
    assert sweep_pass(service, dynamo.maintenance, None).due_s == 0.0


def test_a_reindex_keeps_a_text_that_the_model_refuses_without_a_vector(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    remember(service, ANN, Remember(content=REFUSED))
    notes(service, dynamo, 20)
    model.failure = None
    for _ in range(2):
        assert [*reindex(service, dynamo.maintenance)][-1] == Renewed(21, 1)
    assert bare(dynamo) == [REFUSED]


def test_a_reindex_drops_no_vector_because_the_model_is_down(service: Service, dynamo: Dynamo, model: Model) -> None:
    notes(service, dynamo, 3)
    model.failure = None
    list(sweep(service, dynamo.maintenance))
    model.failure = Unavailable("down")
    with pytest.raises(Unavailable):
        list(reindex(service, dynamo.maintenance))
    assert bare(dynamo) == []

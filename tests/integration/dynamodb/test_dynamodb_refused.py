"""Texts that the model refuses, and the sweep and the reindex that meet them."""

from datetime import timedelta

import pytest

from m4a.application.remember import Remember, remember
from m4a.application.service import Service
from m4a.application.sweeping import sweep_pass
from m4a.application.upkeep import Renewed, Swept, reindex, sweep
from m4a.domain.errors import Unavailable
from tests.integration.dynamodb.sweeping import ANN, BOB, COMMIT, OVERRUN, REFUSED, Model, bare, notes
from tests.support.dynamodb import Dynamo


def test_a_text_that_the_model_refuses_keeps_no_other_from_being_embedded(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    remember(service, ANN, Remember(content=REFUSED))
    notes(service, dynamo, 20)
    model.failure = None
    *_, swept = sweep(service, dynamo.maintenance)
    assert (swept.embedded, swept.refused, swept.embedder_down) == (20, 1, False)
    assert bare(dynamo) == [REFUSED]


def test_texts_that_the_model_refuses_are_sent_again_after_an_hour_and_not_each_minute(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    notes(service, dynamo, 32, text=REFUSED)
    notes(service, dynamo, 1)
    model.failure, model.asked = None, []
    swept = sweep_pass(service, dynamo.maintenance, None).swept
    assert (swept.embedded, swept.refused) == (1, 32)
    together, alone, probes = 2, 32, 4
    assert len(model.asked) == together + alone + probes + 1
    model.asked.clear()
    dynamo.clock.advance(minutes=59)
    assert sweep_pass(service, dynamo.maintenance, None).swept == Swept()
    assert model.asked == []
    dynamo.clock.advance(minutes=1)
    assert sweep_pass(service, dynamo.maintenance, None).swept.refused == 32


def test_a_model_that_goes_down_among_the_texts_of_a_batch_has_none_of_them_put_off(
    service: Service, dynamo: Dynamo, model: Model
) -> None:
    notes(service, dynamo, 1, text=REFUSED)
    notes(service, dynamo, 15)
    together, refused, probe, taken = 1, 1, 1, 3
    model.failure, model.lasts = None, together + refused + probe + taken
    assert sweep_pass(service, dynamo.maintenance, None).swept == Swept(embedder_down=True)
    model.failure, model.lasts = None, None
    dynamo.clock.advance(minutes=1)
    assert sweep_pass(service, dynamo.maintenance, None).swept == Swept(embedded=15, refused=1)


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

"""Bedrock fails: memories are stored and found by their words, and by their meaning once it is back."""

import pytest

from tests.faults.faults import MODEL_FAULTS
from tests.faults.site import SLOW_S, Site
from tests.support.https import HttpsClient


@pytest.mark.parametrize("fault", MODEL_FAULTS)
def test_without_the_model_words_are_enough_and_the_answer_says_so(site: Site, alice: HttpsClient, fault: str) -> None:
    old = alice.call("remember", content="Plays the violin in an orchestra")
    site.catch_up()

    with MODEL_FAULTS[fault](site.model):
        new = alice.call("remember", content="Loves mushroom risotto")
        changed = alice.call("update_memory", memory_id=old["memory_id"], content="Plays the trumpet in a band")
        by_words = alice.call("recall", query="mushroom risotto")

    assert new["created"] and (new.degraded, changed.degraded) == (["embedding_pending"], ["embedding_pending"])
    assert (by_words.ids, by_words.degraded) == ([new["memory_id"]], ["embedder_unavailable"])
    assert set(alice.call("recall", query="favourite dish for dinner").degraded) == {"not_embedded"}
    assert alice.call("remember", content="Grows chanterelles").degraded == []


def test_what_the_model_missed_is_embedded_once_it_is_back(site: Site, alice: HttpsClient) -> None:
    old = alice.call("remember", content="Plays the violin in an orchestra")
    with MODEL_FAULTS["fails"](site.model):
        new = alice.call("remember", content="Loves mushroom risotto")
        alice.call("update_memory", memory_id=old["memory_id"], content="Plays the trumpet in a band")
        swept = site.sweep().swept
    assert (swept.embedded, swept.embedder_down) == (0, True)

    assert site.sweep().swept.embedded == 2
    site.catch_up()

    by_meaning = alice.call("recall", query="favourite dish for dinner")
    assert by_meaning.ids[0] == new["memory_id"] and by_meaning.degraded == []
    assert alice.call("recall", query="brass instrument").ids[0] == old["memory_id"]
    assert alice.call("remember", content="Loves mushroom risotto")["memory_id"] == new["memory_id"]


def test_a_slow_model_is_waited_for(site: Site, alice: HttpsClient) -> None:
    with site.model.failing(site.model.delayed(SLOW_S)):
        made = alice.call("remember", content="Loves mushroom risotto")
        found = alice.call("recall", query="favourite dish for dinner")
    assert made.degraded == []
    assert (found.ids, found.degraded) == ([made["memory_id"]], [])


def test_a_query_that_waits_for_the_model_in_vain_is_answered_in_time(site: Site, alice: HttpsClient) -> None:
    made = alice.call("remember", content="Loves mushroom risotto")
    with site.model.failing(site.model.delayed(60)):
        found = alice.call("recall", query="mushroom risotto")
    assert (found.ids, found.degraded) == ([made["memory_id"]], ["embedder_unavailable"])

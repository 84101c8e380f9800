"""OpenSearch fails: everything is still found, the answer says by what, and the index comes back by itself."""

from collections.abc import Callable
from typing import Any

import pytest

from m4a.adapters.opensearch.breaker import PAUSE_S
from tests.faults.faults import INDEX_FAULTS, is_search
from tests.faults.site import SLOW_S, Site
from tests.support.https import HttpsClient
from tests.support.proxy import Fault
from tests.support.proxy_faults import answering, only, rewritten

STATISTICS, DENSE, LEXICAL, MARKER = range(4)
"""Where each part is in the one search."""
Part = dict[str, Any]


def fail_part(part: Part) -> Part:
    """An error in the place of one part's answer."""
    return {"error": {"type": "search_phase_execution_exception"}, "status": 500}


def time_out_part(part: Part) -> Part:
    return {**part, "timed_out": True}


def fail_shard(part: Part) -> Part:
    """The part succeeds, without what one of the shards holds."""
    shards = {"total": 2, "successful": 1, "skipped": 0, "failed": 1}
    return {**part, "_shards": shards, "hits": {**part["hits"], "hits": []}}


def in_parts(change: Callable[[Part], Part], *parts: int) -> Fault:
    """The search answers 200, and some of its parts have failed."""

    def changed(answer: dict[str, Any]) -> dict[str, Any]:
        responses = enumerate(answer["responses"])
        return {**answer, "responses": [change(one) if at in parts else one for at, one in responses]}

    return only(is_search, rewritten(changed))


@pytest.mark.parametrize("fault", INDEX_FAULTS)
def test_without_the_index_all_is_found_in_the_table_and_the_answer_says_so(
    site: Site, alice: HttpsClient, fault: str
) -> None:
    old = alice.call("remember", content="The tent is lent to Marie")
    site.catch_up()

    with INDEX_FAULTS[fault](site.index):
        new = alice.call("remember", content="The stove is lent to Paul")
        by_words = alice.call("recall", query="who has the tent", limit=1)
        pending = alice.call("recall", query="who has the stove", limit=1)
        nothing = alice.call("recall", query="who has the tent", tags=["no such tag"])
        assert alice.call("forget", memory_id=old["memory_id"], reason="it is back")["forgotten"]
        gone = alice.call("recall", query="who has the tent")

    assert new["created"] and new.degraded == ["similar_unavailable"]
    assert (by_words.ids, pending.ids) == ([old["memory_id"]], [new["memory_id"]])
    assert nothing["memories"] == [] and gone.ids == [new["memory_id"]]
    assert {tuple(one.degraded) for one in (by_words, pending, nothing, gone)} == {("search_unavailable",)}
    site.seconds.skip(PAUSE_S)
    whole = alice.call("recall", query="who has the tent")
    assert (whole.ids, whole.degraded) == ([new["memory_id"]], [])


def test_what_has_no_vector_is_named_in_the_table_too(site: Site, alice: HttpsClient) -> None:
    alice.call("remember", content="The tent is lent to Marie")
    with site.model.failing(answering(500, b"{}")):
        alice.call("remember", content="The stove is lent to Paul")
    with site.index.failing(answering(500, b"{}")):
        assert alice.call("recall", query="tent").degraded == ["search_unavailable", "not_embedded"]
        assert alice.call("recall", query="tent", tags=["no such tag"]).degraded == ["search_unavailable"]


def test_a_slow_index_is_waited_for(site: Site, alice: HttpsClient) -> None:
    with site.index.failing(site.index.delayed(SLOW_S)):
        made = alice.call("remember", content="The tent is lent to Marie")
        site.catch_up()
        found = alice.call("recall", query="who has the tent")
    assert (found.ids, found.degraded) == ([made["memory_id"]], [])


@pytest.mark.parametrize("failure", [fail_part, time_out_part, fail_shard])
@pytest.mark.parametrize(("part", "code"), [(DENSE, "vector_search_unavailable"), (LEXICAL, "word_search_unavailable")])
def test_without_one_leg_the_other_finds_and_the_answer_says_so(
    site: Site, alice: HttpsClient, failure: Callable[[Part], Part], part: int, code: str
) -> None:
    made = alice.call("remember", content="Loves mushroom risotto")
    site.catch_up()
    with site.index.failing(in_parts(failure, part)):
        found = alice.call("recall", query="mushroom risotto")
    assert (found.ids, found.degraded) == ([made["memory_id"]], [code])


@pytest.mark.parametrize("failure", [fail_part, time_out_part, fail_shard])
def test_without_its_statistics_a_recall_finds_the_same_and_says_so(
    site: Site, alice: HttpsClient, failure: Callable[[Part], Part]
) -> None:
    made = alice.call("remember", content="Loves mushroom risotto")
    site.catch_up()
    with site.index.failing(in_parts(failure, STATISTICS)):
        found = alice.call("recall", query="mushroom risotto")
    assert (found.ids, found.degraded) == ([made["memory_id"]], ["word_search_unavailable"])


@pytest.mark.parametrize("failure", [fail_part, time_out_part, fail_shard])
@pytest.mark.parametrize("parts", [(DENSE, LEXICAL), (MARKER,), (STATISTICS, DENSE, LEXICAL, MARKER)])
def test_an_index_that_finds_nothing_for_failed_shards_is_not_believed(
    site: Site, alice: HttpsClient, failure: Callable[[Part], Part], parts: tuple[int, ...]
) -> None:
    made = alice.call("remember", content="Loves mushroom risotto")
    site.catch_up()
    with site.index.failing(in_parts(failure, *parts)):
        found = alice.call("recall", query="mushroom risotto")
    assert found.ids == [made["memory_id"]]
    assert found.degraded in (["search_unavailable"], ["index_outdated"])


def test_after_three_failures_the_index_is_left_alone_for_a_while(site: Site, alice: HttpsClient) -> None:
    alice.call("remember", content="The tent is lent to Marie")
    site.catch_up()

    def searches() -> int:
        return sum(is_search(request) for request in site.index.asked)

    def asked_by_a_recall() -> tuple[int, list[str]]:
        before = searches()
        degraded = alice.call("recall", query="who has the tent").degraded
        return searches() - before, degraded

    with site.index.failing(only(is_search, answering(500, b"{}"))):
        assert [asked_by_a_recall() for _ in range(5)] == [(1, ["search_unavailable"])] * 3 + [
            (0, ["search_unavailable"])
        ] * 2
    assert asked_by_a_recall() == (0, ["search_unavailable"])
    site.seconds.skip(PAUSE_S)
    assert asked_by_a_recall() == (1, [])

"""DynamoDB fails: nothing that was answered is lost, nothing is written twice, and no outage looks like an answer."""

import itertools
from typing import Any

import pytest

from tests.faults.faults import TABLE_FAULTS, THROTTLED, asks_for
from tests.faults.site import ALICE, SLOW_S, Site
from tests.support.client import Answer
from tests.support.https import HttpsClient
from tests.support.proxy import Forward, Request, Response
from tests.support.proxy_faults import first, lost_answer, lost_request, only, rewritten

WRITES = asks_for("TransactWriteItems")


def listed(alice: HttpsClient) -> list[str]:
    return sorted(one["content"] for one in alice.send("GET", "/memories")["memories"])


def outcomes(alice: HttpsClient, memory_id: str) -> list[str]:
    """Of all writes to one memory, oldest first."""
    events = alice.send("GET", "/audit")["events"]
    return [event["outcome"] for event in reversed(events) if event.get("memory_id") == memory_id]


def is_down(answer: Answer) -> bool:
    """Whether an answer says that there is none for now, and when to ask again."""
    return answer.error in ("unavailable", "throttled") and answer.body["retry_after"] >= 1


@pytest.mark.parametrize("fault", TABLE_FAULTS)
def test_a_table_that_is_down_is_told_and_loses_nothing(site: Site, alice: HttpsClient, fault: str) -> None:
    made = alice.call("remember", content="The spare tyre is in the cellar")
    site.catch_up()

    with TABLE_FAULTS[fault](site.table):
        refused = alice.call("remember", content="The jack is in the boot")
        assert is_down(refused)
        assert is_down(alice.call("recall", query="spare tyre"))
        assert is_down(alice.call("update_memory", memory_id=made["memory_id"], content="The tyre is flat"))
        assert is_down(alice.call("forget", memory_id=made["memory_id"], reason="old"))

    found = alice.call("recall", query="spare tyre")
    assert (found.ids[0], found.degraded) == (made["memory_id"], [])
    assert found["memories"][0]["version"] == 1
    again = alice.call("remember", content="The jack is in the boot")
    site.catch_up()
    whole = alice.call("recall", query="jack boot")
    assert whole.ids[0] == again["memory_id"] and whole.degraded == []
    assert listed(alice) == ["The jack is in the boot", "The spare tyre is in the cellar"]


def test_only_a_throttled_table_is_answered_as_throttled(site: Site, alice: HttpsClient) -> None:
    statuses: dict[str, int] = {}
    for fault in ("throttles", "fails"):
        with TABLE_FAULTS[fault](site.table):
            reply = alice.http.post("/tools/recall", json={"query": "tyre"})
            statuses[fault] = reply.status_code
            assert int(reply.headers["retry-after"]) >= 1
    assert statuses == {"throttles": 429, "fails": 503}


@pytest.mark.parametrize("operation", ["Query", "BatchGetItem", "BatchWriteItem"])
def test_a_table_that_throttles_for_a_moment_is_asked_again(site: Site, alice: HttpsClient, operation: str) -> None:
    made = alice.call("remember", content="The spare tyre is in the cellar")
    with site.table.failing(only(asks_for(operation), first(3, THROTTLED))):
        found = alice.call("recall", query="spare tyre")
    assert (found.ids, found.degraded) == ([made["memory_id"]], [])


def test_a_slow_table_is_waited_for(site: Site, alice: HttpsClient) -> None:
    with site.table.failing(site.table.delayed(SLOW_S)):
        made = alice.call("remember", content="The spare tyre is in the cellar")
        found = alice.call("recall", query="spare tyre")
    assert made["created"] and made.degraded == []
    assert (found.ids, found.degraded) == ([made["memory_id"]], [])


def test_a_write_whose_answer_is_lost_is_answered_and_made_once(site: Site, alice: HttpsClient) -> None:
    with site.table.failing(only(WRITES, first(1, lost_answer))):
        made = alice.call("remember", content="The jack is in the boot")
    memory_id = made["memory_id"]
    site.clock.advance(seconds=1)
    with site.table.failing(only(WRITES, first(1, lost_answer))):
        changed = alice.call("update_memory", memory_id=memory_id, content="The jack is in the garage")
    site.clock.advance(seconds=1)
    with site.table.failing(only(WRITES, first(1, lost_answer))):
        forgotten = alice.call("forget", memory_id=memory_id, reason="sold")

    assert (made["created"], changed["version"], forgotten["versions_erased"]) == (True, 2, 2)
    assert outcomes(alice, memory_id) == ["created", "updated", "forgotten"]
    assert alice.call("forget", memory_id=memory_id, reason="again").body == forgotten.body


@pytest.mark.parametrize("body", [{}, {"idempotency_key": "k1"}])
def test_a_write_of_unknown_outcome_can_be_tried_again_without_a_second_one(
    site: Site, alice: HttpsClient, body: dict[str, str]
) -> None:
    with site.table.failing(only(WRITES, lost_answer)):
        unknown = alice.call("remember", content="The jack is in the boot", **body)
    assert is_down(unknown)
    site.clock.advance(seconds=1)

    again = alice.call("remember", content="The jack is in the boot", **body)

    assert listed(alice) == ["The jack is in the boot"]
    assert alice.call("recall", query="jack boot").ids == [again["memory_id"]]
    assert outcomes(alice, again["memory_id"]) == ["created", "existing"]


def test_a_write_that_was_throttled_after_a_lost_answer_is_not_called_unchanged(site: Site, alice: HttpsClient) -> None:
    attempts = itertools.count()

    def lost_then_throttled(request: Request, forward: Forward) -> Response:
        return (THROTTLED if next(attempts) else lost_answer)(request, forward)

    with site.table.failing(only(WRITES, lost_then_throttled)):
        unknown = alice.call("remember", content="The jack is in the boot")

    assert (unknown.error, "not known" in unknown.body["detail"]) == ("unavailable", True)
    assert listed(alice) == ["The jack is in the boot"]


def test_an_update_and_a_forget_of_unknown_outcome_can_be_tried_again(site: Site, alice: HttpsClient) -> None:
    memory_id = alice.call("remember", content="The jack is in the boot")["memory_id"]
    change = {"memory_id": memory_id, "content": "The jack is in the garage"}
    with site.table.failing(only(WRITES, lost_answer)):
        assert is_down(alice.call("update_memory", **change))
    assert alice.call("update_memory", **change)["version"] == 2

    with site.table.failing(only(WRITES, lost_answer)):
        assert is_down(alice.call("forget", memory_id=memory_id, reason="sold"))
    assert alice.call("forget", memory_id=memory_id, reason="sold again")["reason"] == "sold"
    assert alice.call("recall", query="jack")["memories"] == []


def test_memories_that_are_left_unread_are_named(site: Site, alice: HttpsClient) -> None:
    made = [alice.call("remember", content=f"Box {number} holds tools")["memory_id"] for number in range(3)]
    site.catch_up()

    def leave_one(answer: dict[str, Any]) -> dict[str, Any]:
        key = {"pk": {"S": ALICE.key}, "sk": {"S": f"M#{made[1]}"}}
        rows = answer["Responses"][site.name]
        answer["Responses"] = {site.name: [row for row in rows if row["sk"] != key["sk"]]}
        return {**answer, "UnprocessedKeys": {site.name: {"Keys": [key], "ConsistentRead": True}}}

    with site.table.failing(only(asks_for("BatchGetItem"), rewritten(leave_one))):
        answer = alice.call("recall", query="box of tools")

    assert sorted(answer.ids) == sorted([made[0], made[2]])
    assert answer.degraded == ["memories_unread"] and made[1] in answer.body["degraded"][0]["message"]


def test_a_trace_that_can_not_be_stored_is_named(site: Site, alice: HttpsClient) -> None:
    made = alice.call("remember", content="The spare tyre is in the cellar")
    with site.table.failing(only(asks_for("BatchWriteItem"), lost_request)):
        answer = alice.call("recall", query="spare tyre")
    assert (answer.ids, answer.degraded) == ([made["memory_id"]], ["trace_not_stored"])
    assert alice.send("GET", f"/recalls/{answer['recall_id']}").error == "not_found"

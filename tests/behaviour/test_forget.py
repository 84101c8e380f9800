"""What forget promises."""

from m4a.application.upkeep import sweep
from m4a.bootstrap import Operator
from tests.behaviour.doors import https_only
from tests.support.client import Client
from tests.support.doubles import SettableClock
from tests.support.https import HttpsClient


@https_only
def test_the_receipt_says_what_was_erased_and_nothing_of_the_content(alice: HttpsClient) -> None:
    made = alice.call("remember", content="Has a bank account in Vaduz", tags=["money"])
    alice.call("update_memory", memory_id=made["memory_id"], content="Had a bank account in Vaduz")

    receipt = alice.call("forget", memory_id=made["memory_id"], reason=" asked to ")

    assert receipt.body == {
        "memory_id": made["memory_id"],
        "forgotten": True,
        "forgotten_at": "2026-06-01T12:00:00.000Z",
        "reason": "asked to",
        "version": 2,
        "versions_erased": 2,
        "residue_cleared": True,
    }
    assert alice.send("GET", f"/receipts/{made['memory_id']}").body == receipt.body


@https_only
def test_everything_that_could_show_the_memory_is_gone(alice: HttpsClient) -> None:
    made = alice.call("remember", content="Has a bank account in Vaduz")
    alice.call("forget", memory_id=made["memory_id"], reason="asked to")

    assert alice.call("recall", query="bank account Vaduz")["memories"] == []
    assert alice.send("GET", "/memories")["memories"] == []
    assert alice.send("GET", f"/memories/{made['memory_id']}").error == "not_found"
    assert alice.send("GET", f"/memories/{made['memory_id']}/history").error == "not_found"
    assert "Vaduz" not in alice.http.get("/export").text


def test_forgetting_twice_returns_the_first_receipt(alice: Client, clock: SettableClock) -> None:
    made = alice.call("remember", content="Owes Jo ten euros")
    first = alice.call("forget", memory_id=made["memory_id"], reason="paid")
    clock.advance(hours=1)
    assert alice.call("forget", memory_id=made["memory_id"], reason="again").body == first.body


def test_an_expected_version_that_no_longer_holds_is_a_conflict(alice: Client) -> None:
    made = alice.call("remember", content="Owes Jo ten euros")
    alice.call("update_memory", memory_id=made["memory_id"], content="Owes Jo five euros")
    answer = alice.call("forget", memory_id=made["memory_id"], reason="paid", expected_version=1)
    assert (answer.error, answer.body["reason"], answer.body["current"]["version"]) == ("conflict", "version", 2)


def test_another_users_memory_can_not_be_forgotten(alice: Client, bob: Client) -> None:
    made = bob.call("remember", content="Rent is due on the 3rd")
    assert alice.call("forget", memory_id=made["memory_id"], reason="old").error == "not_found"
    assert bob.call("recall", query="rent").ids == [made["memory_id"]]


@https_only
def test_another_users_receipt_can_not_be_seen(alice: HttpsClient, bob: HttpsClient) -> None:
    made = bob.call("remember", content="Rent is due on the 3rd")
    bob.call("forget", memory_id=made["memory_id"], reason="old")
    assert alice.send("GET", f"/receipts/{made['memory_id']}").error == "not_found"


@https_only
def test_an_expired_memory_is_unknown_to_forget_before_and_after_the_sweep(
    alice: HttpsClient, clock: SettableClock, operator: Operator
) -> None:
    made = alice.call("remember", content="Coupon", expires_at="2026-06-01T12:00:01Z")
    clock.advance(seconds=1)

    before = alice.call("forget", memory_id=made["memory_id"], reason="old")
    *_, swept = sweep(operator.service, operator.maintenance)
    after = alice.call("forget", memory_id=made["memory_id"], reason="old")

    assert (before.error, after.error, swept.expired) == ("not_found", "not_found", 1)
    assert alice.send("GET", f"/receipts/{made['memory_id']}")["reason"] == "expired"


def test_a_reason_is_needed(alice: Client) -> None:
    made = alice.call("remember", content="Owes Jo ten euros")
    assert alice.call("forget", memory_id=made["memory_id"]).fields == ["reason"]
    assert alice.call("forget", memory_id=made["memory_id"], reason="r" * 201).fields == ["reason"]

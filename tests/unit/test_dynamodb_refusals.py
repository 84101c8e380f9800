"""What the refusal of a transaction means."""

from itertools import product
from typing import Any

import pytest

from m4a.adapters.dynamodb.actions import Action, Condition, Reason, Role, read_reasons, transact_item
from m4a.adapters.dynamodb.changes import result_of
from m4a.domain.records import Change, CommitResult, Committed, GuardHeld, IdTaken, KeyUsed, Moved
from tests.contract.building import insertion, key_of
from tests.unit.test_dynamodb_changes import memory_of, transaction, update

REFUSED = {
    Role.AUDIT: Reason("condition"),
    Role.KEY: Reason("condition", {"memory_id": "K", "fingerprint": b"f"}),
    Role.MEMORY: Reason("condition"),
    Role.FORGOTTEN: Reason("condition"),
    Role.GUARD: Reason("condition", {"memory_id": "G"}),
}


def answer(change: Change, said: dict[Role, Reason]) -> CommitResult | None:
    actions = transaction(change)
    reasons = [said.get(action.role, Reason()) for action in actions]
    return result_of(change, actions, reasons)


def expected_answer(change: Change, refused: set[Role]) -> CommitResult:
    if Role.AUDIT in refused:
        return Committed()
    if Role.KEY in refused:
        return KeyUsed("K", b"f")
    if refused & {Role.MEMORY, Role.FORGOTTEN}:
        return Moved() if change.before else IdTaken()
    return GuardHeld("G")


@pytest.mark.parametrize(
    "change",
    [insertion(memory_of(), keeps_id=True, key=key_of("k")), update(memory_of(), content="Ann walks.")],
    ids=["insert", "update"],
)
def test_of_all_conditions_that_failed_the_weightiest_is_the_answer(change: Change) -> None:
    roles = [role for role in REFUSED if any(action.role is role for action in transaction(change))]
    for chosen in product([False, True], repeat=len(roles)):
        refused = {role for role, failed in zip(roles, chosen, strict=True) if failed}
        if refused:
            assert answer(change, {role: REFUSED[role] for role in refused}) == expected_answer(change, refused)


def test_a_collision_is_sent_again_unless_a_weightier_condition_failed() -> None:
    change = insertion(memory_of(), key=key_of("k"))
    collision = Reason("collision")
    assert answer(change, {Role.UNCONDITIONAL: collision}) is None
    assert answer(change, {}) is None
    assert answer(change, {Role.KEY: collision, Role.GUARD: REFUSED[Role.GUARD]}) is None
    assert answer(change, {Role.KEY: REFUSED[Role.KEY], Role.GUARD: collision}) == KeyUsed("K", b"f")
    assert answer(change, {Role.AUDIT: REFUSED[Role.AUDIT], Role.MEMORY: collision}) == Committed()


def test_reasons_are_read_in_the_order_of_the_actions() -> None:
    rows = [
        {"Code": "None"},
        {"Code": "ConditionalCheckFailed", "Item": {"memory_id": {"S": "G"}, "rev": {"N": "3"}}},
        {"Code": "TransactionConflict"},
        {"Code": "ThrottlingError"},
        {},
    ]
    held, collision = Reason("condition", {"memory_id": "G", "rev": 3}), Reason("collision")
    assert read_reasons({"CancellationReasons": rows}) == (Reason(), held, collision, collision, Reason())


@pytest.mark.parametrize("response", [{}, {"CancellationReasons": [{"Code": "None"}, {"Code": "ValidationError"}]}])
def test_a_reason_that_no_retry_mends_is_none_of_these(response: dict[str, Any]) -> None:
    assert read_reasons(response) is None


def test_an_action_asks_for_the_item_in_its_way_only_where_that_is_wanted() -> None:
    told = Condition("rev = :rev OR #ttl <= :now", {":rev": 3, ":now": 5}, {"#ttl": "ttl"}, tells=True)
    assert transact_item("t", "p", Action("Delete", {"sk": "M#1"}, Role.MEMORY, told)) == {
        "Delete": {
            "TableName": "t",
            "Key": {"pk": {"S": "p"}, "sk": {"S": "M#1"}},
            "ConditionExpression": "rev = :rev OR #ttl <= :now",
            "ExpressionAttributeValues": {":rev": {"N": "3"}, ":now": {"N": "5"}},
            "ExpressionAttributeNames": {"#ttl": "ttl"},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }
    absent = Action("Put", {"sk": "M#1", "rev": 1, "source": None}, Role.MEMORY, Condition("attribute_not_exists(sk)"))
    assert transact_item("t", "p", absent) == {
        "Put": {
            "TableName": "t",
            "Item": {"pk": {"S": "p"}, "sk": {"S": "M#1"}, "rev": {"N": "1"}},
            "ConditionExpression": "attribute_not_exists(sk)",
        }
    }

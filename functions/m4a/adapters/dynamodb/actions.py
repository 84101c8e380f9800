"""Writes in plain values: what they do, under which conditions, and what DynamoDB said to each part."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Literal

from m4a.adapters.dynamodb.keys import Key
from m4a.adapters.dynamodb.values import Item, from_attributes, to_attributes


class Role(Enum):
    """What it means if the condition of an action does not hold."""

    AUDIT = auto()
    KEY = auto()
    MEMORY = auto()
    FORGOTTEN = auto()
    GUARD = auto()
    UNCONDITIONAL = auto()


@dataclass(frozen=True, slots=True)
class Condition:
    """``tells``: the item that stands in the way is wanted."""

    expression: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    tells: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """``item``: all of it for a put, else its sort key alone. No two actions of a transaction touch one item."""

    kind: Literal["Put", "Delete", "ConditionCheck"]
    item: Item
    role: Role = Role.UNCONDITIONAL
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an action stood in the way of its transaction; ``code`` None if it did not."""

    code: Literal["condition", "collision"] | None = None
    item: Item | None = None


def update_of(key: Key, values: Mapping[str, str | int], rev: int | None) -> dict[str, Any]:
    """The members of an ``UpdateItem`` that sets these attributes; with ``rev``, of an item that is at that rev."""
    numbered = list(enumerate(values.items()))
    given = {f":v{number}": value for number, (_, value) in numbered}
    request: dict[str, Any] = {
        "Key": to_attributes(key._asdict()),
        "UpdateExpression": "SET " + ", ".join(f"#n{number} = :v{number}" for number, _ in numbered),
        "ExpressionAttributeNames": {f"#n{number}": name for number, (name, _) in numbered},
    }
    if rev is not None:
        given[":rev"] = rev
        request["ConditionExpression"] = "rev = :rev"
    return {**request, "ExpressionAttributeValues": to_attributes(given)}


def condition_failed(response: Mapping[str, Any]) -> bool:
    """Whether a write of one item was refused for its condition."""
    return response.get("Error", {}).get("Code") == "ConditionalCheckFailedException"


def transact_item(table: str, pk: str, action: Action) -> dict[str, Any]:
    """The action as a member of ``TransactItems``."""
    attributes = to_attributes({"pk": pk, **action.item})
    request: dict[str, Any] = {"TableName": table, "Item" if action.kind == "Put" else "Key": attributes}
    condition = action.condition
    if condition:
        request["ConditionExpression"] = condition.expression
        if condition.values:
            request["ExpressionAttributeValues"] = to_attributes(condition.values)
        if condition.names:
            request["ExpressionAttributeNames"] = dict(condition.names)
        if condition.tells:
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return {action.kind: request}


_CODES: Mapping[str, Literal["condition", "collision"] | None] = {
    "None": None,
    "ConditionalCheckFailed": "condition",
    "TransactionConflict": "collision",
    "ThrottlingError": "collision",
    "ProvisionedThroughputExceeded": "collision",
}


def read_reasons(response: Mapping[str, Any]) -> tuple[Reason, ...] | None:
    """The reasons of a cancelled transaction, action by action; None if there is one that no retry mends."""
    reasons: list[Reason] = []
    for row in response.get("CancellationReasons", ()):
        code = row.get("Code") or "None"
        if code not in _CODES:
            return None
        reasons.append(Reason(_CODES[code], from_attributes(row["Item"]) if row.get("Item") else None))
    return tuple(reasons) or None

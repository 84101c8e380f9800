"""Checks of JSON-RPC messages, stream answers and published schemas."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from tests.cases.judging import at_path, require, same
from tests.cases.reply import Reply
from tests.cases.run import Run

METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


def jsonrpc(reply: Reply, expected: str, _run: Run) -> None:
    """Whether the message is a ``result`` or an ``error``."""
    require(expected in ("result", "error"), f"unknown kind of message {expected}")
    found = [name for name in ("result", "error") if name in (reply.document or {})]
    require(found == [expected], f"{reply}")


def jsonrpc_error(reply: Reply, expected: int, _run: Run) -> None:
    require(same(at_path(reply.document, "error.code"), expected), f"{reply}")


def message_id(reply: Reply, expected: int | str | None, _run: Run) -> None:
    require(same(at_path(reply.document, "id"), expected), f"{reply}")


def is_error(reply: Reply, expected: bool, _run: Run) -> None:
    found = cast("dict[str, Any]", at_path(reply.document, "result")).get("isError", False)
    require(found is expected, f"{reply}")


def batch_failures_subset_of(reply: Reply, expected: Sequence[str], _run: Run) -> None:
    failures: list[dict[str, Any]] = at_path(reply.value, "batchItemFailures")
    found = [str(one["itemIdentifier"]) for one in failures]
    require(set(found) <= set(expected), f"failed: {found}")


def schema_lacks(reply: Reply, expected: Sequence[str], _run: Run) -> None:
    """No property and no parameter of that name, at any depth."""
    require(reply.document, f"no document: {reply}")
    found = {name for one in _objects(reply.document) for name in _names(one)}
    require(not found & set(expected), f"there is {sorted(found & set(expected))}")


def schema_lacks_keys(reply: Reply, expected: Sequence[str], _run: Run) -> None:
    """No such keyword; ``keyword(number)``: none with a number as its value."""
    require(reply.document, f"no document: {reply}")
    for key in expected:
        name, _, kind = key.partition("(")
        values = [one[name] for one in _objects(reply.document) if name in one]
        found = [one for one in values if not kind or type(one) in (int, float)]
        require(not found, f"there is {key}")


def openapi_version_prefix(reply: Reply, expected: str, _run: Run) -> None:
    require(str(at_path(reply.document, "openapi")).startswith(expected), "another version")


def type_is_string(reply: Reply, expected: bool, _run: Run) -> None:
    """``type`` is one word everywhere, never a list."""
    types = [one["type"] for one in _objects(reply.document) if "type" in one]
    require((bool(types) and all(isinstance(one, str) for one in types)) is expected, f"types: {types}")


def every_operation(reply: Reply, expected: Sequence[str], _run: Run) -> None:
    lacking = [one.get("operationId") for one in _operations(reply) if not all(one.get(name) for name in expected)]
    require(_operations(reply) and not lacking, f"lacking in {lacking}")


def operations_max(reply: Reply, expected: int, _run: Run) -> None:
    require(0 < len(_operations(reply)) <= expected, f"{len(_operations(reply))} operations")


def _operations(reply: Reply) -> list[Mapping[str, Any]]:
    paths = cast("dict[str, dict[str, Any]]", at_path(reply.document, "paths"))
    return [operation for path in paths.values() for method, operation in path.items() if method in METHODS]


def _objects(value: Any, *, is_schema: bool = True) -> Iterator[dict[str, Any]]:
    """Every object that can hold keywords; not the maps of ``properties``, whose keys are names."""
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _objects(item)
    elif isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        if is_schema:
            yield members
        for name, item in members.items():
            yield from _objects(item, is_schema=not (is_schema and name == "properties"))


def _names(one: Mapping[str, Any]) -> Iterator[str]:
    properties, parameters = one.get("properties"), one.get("parameters")
    if isinstance(properties, dict):
        yield from cast("dict[str, Any]", properties)
    if isinstance(parameters, dict):  # of a Bedrock function
        yield from cast("dict[str, Any]", parameters)
    if isinstance(one.get("name"), str) and ("in" in one or "schema" in one or "type" in one):
        yield one["name"]

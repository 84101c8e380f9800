"""Steps through entry points that wrap a tool's answer in a protocol of their own."""

from collections.abc import Mapping

import pytest

from tests.cases.test_runner import run
from tests.support.profiles import EmbeddedProfile


@pytest.mark.parametrize(
    ("limit", "outcome", "status"),
    [
        ("2", "ok", "passed"),
        ("2", "client_error", "failed"),
        ("two", "client_error", "passed"),
        ("two", "ok", "failed"),
    ],
)
def test_the_outcome_of_an_agents_call_is_in_its_reply(
    limit: str, outcome: str, status: str, embedded: EmbeddedProfile
) -> None:
    parameters = [
        {"name": name, "type": "string", "value": value} for name, value in (("query", "x"), ("limit", limit))
    ]
    event = {"function": "recall", "parameters": parameters, "sessionAttributes": {"user_id": "user-a"}}

    assert run(embedded, [{"bedrock": event}], [{"step": 1, "outcome": outcome}]).status == status


@pytest.mark.parametrize(
    ("arguments", "outcome", "status"),
    [({"query": "x"}, "ok", "passed"), ({}, "client_error", "passed"), ({}, "ok", "failed")],
)
def test_the_outcome_of_an_mcp_call_is_in_its_message(
    arguments: Mapping[str, str], outcome: str, status: str, embedded: EmbeddedProfile
) -> None:
    params = {"name": "recall", "arguments": arguments}
    step = {"caller": "user-a", "mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}}

    assert run(embedded, [step], [{"step": 1, "outcome": outcome}]).status == status


def test_published_schemas_can_be_looked_at(embedded: EmbeddedProfile) -> None:
    step = {"inspect": "mcp"}

    assert run(embedded, [step], [{"step": 1, "schema_lacks": ["user_id"]}]).status == "passed"
    assert run(embedded, [step], [{"step": 1, "schema_lacks": ["query"]}]).status == "failed"
    assert run(embedded, [{"inspect": "grpc"}], [{"step": 1, "outcome": "ok"}]).status == "failed"

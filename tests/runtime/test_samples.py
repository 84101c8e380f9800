"""Every sample event, answered by the packaged function that it is for."""

import pytest

from m4a.tools import TOOLS
from tests.runtime.calls import call
from tests.runtime.emulator import Functions
from tests.support.samples import ERRORS, FOLDERS, sample


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_conversation_of_sample_events(functions: Functions, folder: str) -> None:
    made, error = call(functions, folder, "remember")
    assert (error, made["created"], made["importance"]) == (None, True, "high")
    found, error = call(functions, folder, "recall")
    assert (error, found.get("degraded")) == (None, None)
    assert [one["memory_id"] for one in found["memories"]] == [made["memory_id"]]
    updated, error = call(functions, folder, "update_memory", made["memory_id"])
    assert (error, updated["version"]) == (None, 2)
    receipt, error = call(functions, folder, "forget", made["memory_id"])
    assert (error, receipt["reason"]) == (None, "asked to")
    assert call(functions, folder, "recall")[0]["memories"] == []


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", ERRORS)
def test_samples_of_errors_are_answered_with_them(functions: Functions, folder: str, name: str) -> None:
    assert call(functions, folder, name)[1] == name


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("name", ["update_memory", "forget"])
def test_a_memory_that_is_not_there_is_not_found(functions: Functions, folder: str, name: str) -> None:
    assert call(functions, folder, name)[1] == "not_found"


@pytest.mark.parametrize("name", TOOLS)
def test_as_it_is_a_gateways_sample_lets_nobody_in(functions: Functions, name: str) -> None:
    context = sample(f"agentcore_gateway/{name}.context.json")
    answer = functions["AgentcoreGateway"].invoke(sample(f"agentcore_gateway/{name}.json"), context)
    assert answer["error"]["code"] == "unauthenticated"


def test_without_a_client_context_nobody_has_called_through_a_gateway(functions: Functions) -> None:
    answer = functions["AgentcoreGateway"].invoke(sample("agentcore_gateway/recall.json"))
    assert answer["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize(("name", "status"), [("tools_call", None), ("tools_list", None), ("unauthenticated", 401)])
def test_samples_for_the_interceptor(functions: Functions, name: str, status: int | None) -> None:
    output = functions["GatewayInterceptor"].invoke(sample(f"gateway_interceptor/{name}.json"))["mcp"]
    assert output.get("transformedGatewayResponse", {}).get("statusCode") == status


def test_a_record_whose_memory_is_gone_is_done_with(functions: Functions) -> None:
    assert functions["Indexer"].invoke(sample("indexer/inserted.json")) == {"batchItemFailures": []}


def test_a_record_that_can_not_be_read_fails_alone(functions: Functions) -> None:
    good, bad = sample("indexer/inserted.json"), sample("indexer/unreadable.json")
    bad["Records"][0]["dynamodb"]["SequenceNumber"] = "112"
    answer = functions["Indexer"].invoke({"Records": [*bad["Records"], *good["Records"]]})
    assert answer == {"batchItemFailures": [{"itemIdentifier": "112"}]}


def test_the_sweep_says_what_it_did(functions: Functions) -> None:
    answer = functions["Sweep"].invoke(sample("sweep/minute.json"))
    assert (answer["index_alive"], answer["expired"], answer["embedded"]) == (True, 0, 0)

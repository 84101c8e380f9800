"""That what a function may do is what its code does: no action is missing, and none is too many."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from m4a.adapters.dynamodb.index_state import DynamoIndexState
from m4a.adapters.dynamodb.truth import DynamoTruth
from m4a.application.upkeep import sweep
from m4a.domain.owner import Owner
from m4a.ports.indexing import ExpectedState, MemoryRef, OutboxRef
from tests.support.dynamodb import lose_answer, pass_on
from tests.templates.permissions import ALLOWED
from tests.templates.using import EMBED, SEARCH, Desk, desk

ANA = Owner("default", "ana")
SOON, LATER = "2026-06-01T13:00:00Z", {"hours": 2}
AT_WORK = "Nora works at the harbour office."
COMMIT = "transact_write_items"
"""Where an answer is lost, the receipt is read that the transaction wrote."""
SEARCHERS = {"Remember", "Recall"}


def remembering(at: Desk) -> None:
    at.remember("The ferry leaves at eight.", expires_at=SOON)
    at.clock.advance(**LATER)
    at.start_over()
    at.remember(AT_WORK, idempotency_key="one")
    at.remember(AT_WORK, idempotency_key="one")
    at.remember(AT_WORK)
    assert at.remember("The ferry leaves at eight.")["created"] is True, "the expired one was in the way"


def recalling(at: Desk) -> None:
    at.remember(AT_WORK)
    at.start_over()
    assert at.client.call("recall", query="Where does Nora work?").contents


def updating(at: Desk) -> None:
    memory_id = at.remember(AT_WORK)["memory_id"]
    at.remember("The ferry leaves at eight.", expires_at=SOON)
    at.clock.advance(**LATER)
    at.start_over()
    at.client.call("update_memory", memory_id=memory_id, content="Nora works at the town hall.", importance="high")
    at.client.call("update_memory", memory_id=memory_id, importance="high")
    at.dynamo.client.script(COMMIT, pass_on, lose_answer)  # refused for the expired one, which is then forgotten
    assert at.client.call("update_memory", memory_id=memory_id, content="The ferry leaves at eight.")["version"] == 3


def forgetting(at: Desk) -> None:
    memory_id = at.remember(AT_WORK)["memory_id"]
    at.start_over()
    at.dynamo.client.script(COMMIT, lose_answer)
    for _ in range(2):
        at.client.call("forget", memory_id=memory_id, reason="asked")


def browsing(at: Desk) -> None:
    memory_id = at.remember(AT_WORK, importance="high")["memory_id"]
    recall_id = at.client.call("recall", query="Nora")["recall_id"]
    at.start_over()
    for path in ("/memories", f"/memories/{memory_id}", f"/memories/{memory_id}/history", "/audit", "/context"):
        assert at.client.http.get(path).is_success, path
    assert at.client.http.get(f"/recalls/{recall_id}").is_success
    lines = at.client.http.get("/export").text
    at.dynamo.client.script(COMMIT, lose_answer)
    assert at.client.http.delete("/memories", params={"confirm": "ana"}).is_success
    assert at.client.http.get(f"/receipts/{memory_id}").is_success
    sent = at.client.http.post("/import", content=lines, headers={"content-type": "application/x-ndjson"})
    assert sent.is_success


def indexing(at: Desk) -> None:
    memory_id = at.remember(AT_WORK)["memory_id"]
    (entry,) = at.dynamo.outbox.pending(ANA, 10)
    at.start_over()
    truth = DynamoTruth(at.dynamo.table)
    memory = MemoryRef(ANA.key, memory_id)
    assert truth.read([memory]).found
    assert not truth.settle([OutboxRef(memory, entry.change_id, entry.rev)])


def sweeping(at: Desk) -> None:
    at.remember("The ferry leaves at eight.", expires_at=SOON)
    at.clock.advance(**LATER)
    at.start_over()
    assert [one.expired for one in sweep(at.service, at.dynamo.maintenance)][-1] == 1
    at.service.embedder.embed([AT_WORK], "document")
    state = DynamoIndexState(at.dynamo.table)
    state.write(ExpectedState(1, 1))
    assert state.read() == ExpectedState(1, 1)
    assert list(at.dynamo.maintenance.unsettled(at.clock.now(), timedelta(minutes=3)))


WORK: dict[str, Callable[[Desk], None]] = {
    "Remember": remembering,
    "Recall": recalling,
    "UpdateMemory": updating,
    "Forget": forgetting,
    "Memories": browsing,
    "Indexer": indexing,
    "Sweep": sweeping,
}
OF_THE_PLATFORM = {
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
    "sqs:SendMessage",
}
"""What Lambda does in the indexer's name."""


@pytest.mark.parametrize("function", WORK)
def test_a_function_may_do_what_its_code_does_and_no_more(tmp_path: Path, function: str) -> None:
    with desk(tmp_path) as at:
        WORK[function](at)
        used = at.actions()
    assert used - {SEARCH} == ALLOWED[function] - OF_THE_PLATFORM
    assert (SEARCH in used) == (function in SEARCHERS)


@pytest.mark.parametrize("function", ["McpServer", "ActionGroup", "AgentcoreGateway"])
def test_a_function_with_all_tools_may_do_what_they_do_together(function: str) -> None:
    assert ALLOWED[function] == ALLOWED["Remember"] | ALLOWED["Recall"] | ALLOWED["UpdateMemory"] | ALLOWED["Forget"]


def test_forget_asks_neither_the_model_nor_the_index(tmp_path: Path) -> None:
    with desk(tmp_path) as at:
        forgetting(at)
        assert at.actions().isdisjoint({EMBED, SEARCH})

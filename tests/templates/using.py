"""What a function really asks of AWS: its work done through the local server on a table, every request written down."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from m4a.adapters.dynamodb.index_state import DynamoIndexState
from m4a.adapters.dynamodb.table import Table
from m4a.application.service import Service
from m4a.bootstrap import build_operator
from m4a.domain.memory import Embedding
from m4a.domain.owner import Owner
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.ports import Purpose, SearchIndex
from m4a.settings import Settings
from tests.support.client import Answer
from tests.support.doubles import SettableClock
from tests.support.dynamodb import Dynamo, Request, open_dynamo
from tests.support.hashed_words import HashedWords
from tests.support.https import HttpsClient

SEARCH = "search"
EMBED = "bedrock:InvokeModel"
_TRANSACTED = {"Put": "PutItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
_ACTIONS = {
    "batch_get_item": "BatchGetItem",
    "batch_write_item": "BatchWriteItem",
    "delete_item": "DeleteItem",
    "get_item": "GetItem",
    "put_item": "PutItem",
    "query": "Query",
    "scan": "Scan",
    "update_item": "UpdateItem",
}


class RecordingEmbedder(HashedWords):
    """Writes down that it was asked."""

    def __init__(self, asked: list[str]) -> None:
        self._asked = asked

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self._asked.append(EMBED)
        return super().embed(texts, purpose)


@dataclass(frozen=True)
class RecordingIndex:
    """Writes down that it was asked, and reads of the table what the index of the profile aws reads."""

    real: SearchIndex
    table: Table
    asked: list[str]

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        self.asked.append(SEARCH)
        DynamoIndexState(self.table).recent()
        return self.real.search(owner, query)


@dataclass(frozen=True)
class Desk:
    """One user at the API, with the table and the clock behind it."""

    client: HttpsClient
    dynamo: Dynamo
    clock: SettableClock
    service: Service
    asked: list[str] = field(default_factory=list[str])

    def remember(self, content: str, **more: Any) -> Answer:
        return self.client.call("remember", content=content, **more)

    def start_over(self) -> None:
        """Forgets what was written down."""
        self.asked.clear()
        self.dynamo.client.sent.clear()

    def actions(self) -> set[str]:
        """What was asked since, as IAM names it."""
        sent = self.dynamo.client.sent
        return {action for operation, request in sent for action in _actions(operation, request)} | set(self.asked)


def _actions(operation: str, request: Request) -> set[str]:
    if operation == "transact_write_items":
        members: Sequence[Mapping[str, Any]] = request["TransactItems"]
        return {f"dynamodb:{_TRANSACTED[kind]}" for member in members for kind in member}
    return {f"dynamodb:{_ACTIONS[operation]}"}


@contextmanager
def desk(folder: Path) -> Generator[Desk]:
    clock, asked = SettableClock(), list[str]()
    with open_dynamo(clock) as dynamo:
        settings = Settings.model_validate({"db": folder / "index.db"})
        local = build_operator(settings, embedder=HashedWords()).service
        service = build_operator(
            settings,
            store=dynamo.store,
            outbox=dynamo.outbox,
            log=dynamo.log,
            index=RecordingIndex(local.index, dynamo.table, asked),
            embedder=RecordingEmbedder(asked),
            clock=clock,
        ).service
        with LocalServer(service, Tokens.of({"token": "ana"})) as server:
            client = HttpsClient(server.address, "token")
            yield Desk(client, dynamo, clock, service, asked)
            client.close()
        service.close()
        local.close()

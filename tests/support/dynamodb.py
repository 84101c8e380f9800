"""DynamoDB for tests: the stand-in, a table of its own for each test, and a client that fails on demand."""

import itertools
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError

from m4a.adapters.dynamodb.client import Client, client_from
from m4a.adapters.dynamodb.forgotten import DynamoForgotten
from m4a.adapters.dynamodb.log import DynamoLog
from m4a.adapters.dynamodb.maintenance import DynamoMaintenance
from m4a.adapters.dynamodb.outbox import DynamoOutbox
from m4a.adapters.dynamodb.store import DynamoStore
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.dynamodb.values import from_attributes
from m4a.domain.owner import Owner
from m4a.local.dynamodb_stand_in import CREDENTIALS, DynamoStandIn
from m4a.local.table import create_table
from tests.support.doubles import SettableClock

REGION = "eu-central-1"
Request = Mapping[str, Any]
Step = Callable[[Client, str, Request], Mapping[str, Any]]
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Dynamo:
    """The adapters over one empty table. ``pauses``: seconds that were to be waited between attempts."""

    client: "ScriptedClient"
    clock: SettableClock
    pauses: list[float]
    table: Table
    store: DynamoStore
    outbox: DynamoOutbox
    log: DynamoLog
    maintenance: DynamoMaintenance
    forgotten: DynamoForgotten

    def sort_keys(self, prefix: str = "") -> list[str]:
        """Of all items of all owners, also of those that have expired."""
        rows = self.client("scan", TableName=self.table.name)["Items"]
        return sorted(item["sk"] for item in map(from_attributes, rows) if item["sk"].startswith(prefix))

    def index_keys(self) -> list[str]:
        """What is in the index ``work``."""
        rows = self.client("scan", TableName=self.table.name, IndexName="work")["Items"]
        return sorted(item["sk"] for item in map(from_attributes, rows))


@contextmanager
def open_dynamo(clock: SettableClock) -> Generator[Dynamo]:
    """The adapters over a new table, which lasts as long as the context."""
    client, pauses = ScriptedClient(stand_in_client()), list[float]()
    name = f"m4a-{next(_numbers)}"
    create_table(client, name)
    table = Table(client, name, clock=clock, sleep=pauses.append)
    yield Dynamo(
        client=client,
        clock=clock,
        pauses=pauses,
        table=table,
        store=DynamoStore(table),
        outbox=DynamoOutbox(table),
        log=DynamoLog(table),
        maintenance=DynamoMaintenance(table),
        forgotten=DynamoForgotten(table),
    )
    client("delete_table", TableName=name)


@cache
def stand_in_client() -> Client:
    """A client of a DynamoDB that lasts as long as the process."""
    return client_from(REGION, DynamoStandIn().start().address, CREDENTIALS)


class ScriptedClient:
    """Passes requests on, except that the next ones of an operation go through the steps that were scripted for it."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._steps: dict[str, list[Step]] = {}
        self.sent: list[tuple[str, Request]] = []

    def __call__(self, operation: str, /, **request: Any) -> Mapping[str, Any]:
        self.sent.append((operation, request))
        steps = self._steps.get(operation)
        if steps:
            return steps.pop(0)(self._client, operation, request)
        return self._client(operation, **request)

    def script(self, operation: str, *steps: Step) -> None:
        self._steps[operation] = list(steps)

    def requests(self, operation: str) -> list[Request]:
        """Those of one operation that were sent so far."""
        return [request for sent, request in self.sent if sent == operation]


def pass_on(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
    """DynamoDB answers as ever."""
    return client(operation, **request)


def lose_answer(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
    """The request is carried out, but its answer does not arrive."""
    client(operation, **request)
    raise ReadTimeoutError(endpoint_url="https://dynamodb.example")


def lose_request(_client: Client, _operation: str, _request: Request) -> Mapping[str, Any]:
    """The request does not arrive."""
    raise ReadTimeoutError(endpoint_url="https://dynamodb.example")


def fail(code: str, status: int = 400) -> Step:
    """DynamoDB refuses the request."""

    def refuse(_client: Client, operation: str, _request: Request) -> Mapping[str, Any]:
        raise client_error(operation, code, status)

    return refuse


def leaving_unread(*owners: Owner) -> Step:
    """What the table does where some owners have their partitions overrun: the others' memories are given."""
    overrun = {owner.key for owner in owners}

    def step(client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        ((table, asked),) = request["RequestItems"].items()
        theirs = [key for key in asked["Keys"] if key["pk"]["S"] in overrun]
        others = [key for key in asked["Keys"] if key not in theirs]
        wanted = {**request, "RequestItems": {table: {**asked, "Keys": others}}}
        none: Mapping[str, Any] = {"Responses": {table: []}}
        answer = client(operation, **wanted) if others else none
        return {**answer, "UnprocessedKeys": {table: {**asked, "Keys": theirs}}} if theirs else answer

    return step


def cancel(codes: Sequence[str]) -> Step:
    """A transaction is cancelled: its first actions for these reasons, the others for none."""

    def refuse(_client: Client, operation: str, request: Request) -> Mapping[str, Any]:
        rest = len(request["TransactItems"]) - len(codes)
        reasons = [{"Code": code} for code in (*codes, *["None"] * rest)]
        raise client_error(operation, "TransactionCanceledException", CancellationReasons=reasons)

    return refuse


def client_error(operation: str, code: str, status: int = 400, **members: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": ""}, "ResponseMetadata": {"HTTPStatusCode": status}, **members}
    return ClientError(response, operation)

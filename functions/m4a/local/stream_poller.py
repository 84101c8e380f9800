"""What Lambda's event source mapping does for the indexer, on this machine: polls the table's stream, sends what failed
again, and sets aside what goes on failing."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

POLL_S = 0.05
BATCH = 100
TRIES = 5

logger = logging.getLogger(__name__)
Record = Mapping[str, Any]
Handler = Callable[[Mapping[str, Any]], Mapping[str, Any]]


def stream_client(region: str, endpoint: str) -> Any:
    """Without the account's own host name, which only AWS resolves."""
    sdk: Any = boto3
    config = Config(account_id_endpoint_mode="disabled", retries={"total_max_attempts": 2})
    return sdk.client("dynamodbstreams", region_name=region, endpoint_url=endpoint, config=config)


class StreamPoller:
    """Reads one table's stream from its beginning on a thread, for as long as the ``with`` block lasts.

    ``pause`` holds it up between batches; ``dead_letters`` are records that failed ``TRIES`` times.
    """

    def __init__(self, client: Any, table: str, handler: Handler) -> None:
        self._client = client
        self._table = table
        self._handler = handler
        self._ended = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="m4a-stream", daemon=True)
        self.dead_letters: list[Record] = []

    def __enter__(self) -> "StreamPoller":
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._running.set()
        self._thread.join()

    def pause(self) -> None:
        """Holds the stream until ``go_on``. Returns when nothing is being delivered any more."""
        self._running.clear()
        with self._turn:
            pass

    def go_on(self) -> None:
        self._running.set()

    def _run(self) -> None:
        iterators: dict[str, str] = {}
        while not self._ended.is_set():
            self._running.wait()
            with self._turn:
                read = self._poll(iterators) if self._running.is_set() else 0
            if not read:
                self._ended.wait(POLL_S)

    def _poll(self, iterators: dict[str, str]) -> int:
        """Reads every shard once; answers how many records came. After a failure it begins again at the beginning."""
        try:
            return self._read(iterators)
        except (BotoCoreError, ClientError) as error:
            logger.warning("the stream can not be read: %s", type(error).__name__)
            iterators.clear()
            return 0

    def _read(self, iterators: dict[str, str]) -> int:
        if not iterators:
            iterators.update(self._shards())
        read = 0
        for shard, iterator in list(iterators.items()):
            answer = self._client.get_records(ShardIterator=iterator, Limit=BATCH)
            if answer.get("NextShardIterator"):
                iterators[shard] = answer["NextShardIterator"]
            if answer["Records"]:
                self._deliver(answer["Records"])
                read += len(answer["Records"])
        return read

    def _shards(self) -> dict[str, str]:
        streams = self._client.list_streams(TableName=self._table)["Streams"]
        found: dict[str, str] = {}
        for stream in streams:
            arn = stream["StreamArn"]
            for shard in self._client.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
                asked = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
                found[shard["ShardId"]] = self._client.get_shard_iterator(**asked)["ShardIterator"]
        return found

    def _deliver(self, records: Sequence[Record]) -> None:
        for _ in range(TRIES):
            failed = self._failed(records)
            records = [one for one in records if str(one["dynamodb"]["SequenceNumber"]) in failed]
            if not records or self._ended.wait(POLL_S):
                return
        self.dead_letters += records
        logger.error("%d stream records were set aside after %d tries", len(records), TRIES)

    def _failed(self, records: Sequence[Record]) -> set[str]:
        try:
            answer = self._handler({"Records": list(records)})
        except Exception as error:  # noqa: BLE001 to Lambda a function that raises has failed for all it was given
            logger.warning("the indexer failed: %s", type(error).__name__)
            return {str(one["dynamodb"]["SequenceNumber"]) for one in records}
        return {row["itemIdentifier"] for row in answer["batchItemFailures"]}

"""The indexer of one history: it lives, is held up, dies in the middle of its work, and starts again."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from m4a.application.indexing import Indexing
from m4a.entrypoints.stream import index_records
from m4a.local.stream_poller import StreamPoller
from tests.consistency.disturbing import Gate, Killed, disturbed


class Life:
    """One run of the indexer from its start to its end. Several may overlap, as Lambda's do after a time-out.

    ``passed_over``: numbers of stream records that a run before had answered for; they don't come again.
    """

    def __init__(self, streams: Any, table: str, indexing: Indexing, passed_over: frozenset[str]) -> None:
        self.gate = Gate()
        self.answered: set[str] = set(passed_over)
        self._passed_over = passed_over
        self._indexing = disturbed(indexing, self.gate)
        self._poller = StreamPoller(streams, table, self._handle)
        self._poller.__enter__()

    def end(self) -> None:
        """At once: what is under way stays as it is. Returns when nothing more will happen."""
        self.gate.kill()
        self._poller.__exit__(None, None, None)

    def _handle(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        records = [one for one in event["Records"] if _number(one) not in self._passed_over]
        try:
            answer = index_records(self._indexing, {"Records": records})
        except Killed:
            return {"batchItemFailures": [{"itemIdentifier": _number(one)} for one in records]}
        failed = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
        self.answered.update(_number(one) for one in records if _number(one) not in failed)
        return answer


class Indexer:
    """Lives one after the other, and sometimes two at once."""

    def __init__(self, streams: Any, table: str, indexing: Indexing) -> None:
        self._make: Callable[[frozenset[str]], Life] = partial(Life, streams, table, indexing)
        self.life = self._make(frozenset())
        self._before: Life | None = None

    def restart(self, *, from_beginning: bool) -> None:
        """Kills it, and starts another at the stream's beginning or behind what was answered."""
        self.life.end()
        self.life = self._make(frozenset() if from_beginning else frozenset(self.life.answered))

    def overlap(self) -> None:
        """Holds it up wherever it is and starts another from the beginning, until ``release_former``."""
        self.life.gate.hold()
        self._before, self.life = self.life, self._make(frozenset())

    def release_former(self) -> None:
        """The one that was held up goes on beside the other; then it ends when its turn comes."""
        if self._before:
            self._before.gate.release()

    def end_former(self) -> None:
        if self._before:
            self._before.end()
            self._before = None

    def end(self) -> None:
        self.end_former()
        self.life.end()


def _number(record: Mapping[str, Any]) -> str:
    return str(record["dynamodb"]["SequenceNumber"])

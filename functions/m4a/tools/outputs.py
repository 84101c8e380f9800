"""One output model per tool: what every entry point answers, as plain JSON values."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from m4a.application.forget import Forgotten
from m4a.application.recall import Recalled
from m4a.application.remember import Remembered
from m4a.application.update_memory import Updated
from m4a.domain.memory import Importance, Memory, MemoryType
from m4a.domain.ranking import Ranked
from m4a.domain.records import Receipt
from m4a.domain.search import Degraded
from m4a.domain.times import format_instant
from m4a.tools import explained
from m4a.tools.explained import SCORE_DIGITS
from m4a.tools.inputs import RecallInput
from m4a.tools.plain import memory_fields


class Output(BaseModel):
    """Base of the outputs. Validators are made when they are first used: a function uses few of the models."""

    model_config = ConfigDict(frozen=True, defer_build=True)


class DegradedOutput(Output):
    """A part of the operation that could not run."""

    code: str
    message: str


class MemoryOutput(Output):
    """A whole memory."""

    memory_id: str
    content: str
    type: MemoryType
    importance: Importance
    tags: list[str]
    source: str | None
    created_at: str
    updated_at: str
    event_time: str | None
    expires_at: str | None
    version: int

    @classmethod
    def of(cls, memory: Memory) -> "MemoryOutput":
        return cls(**memory_fields(memory))


class SimilarOutput(Output):
    """A near neighbour of a new memory."""

    memory_id: str
    content: str
    cosine: float


class RememberOutput(MemoryOutput):
    """The memory, and whether it is new."""

    created: bool
    differs: list[str] = Field(description="Fields that were sent with other values than the stored memory has.")
    similar: list[SimilarOutput] = Field(description="Near neighbours: consider update_memory for one of them.")
    degraded: list[DegradedOutput] | None = None

    @classmethod
    def answer(cls, result: Remembered) -> "RememberOutput":
        similar = [
            SimilarOutput(memory_id=one.memory.memory_id, content=one.memory.content, cosine=round(one.cosine, 4))
            for one in result.similar
        ]
        return cls(
            **memory_fields(result.memory),
            created=result.created,
            differs=list(result.differs),
            similar=similar,
            degraded=degraded_output(result.degraded),
        )


class RecalledMemory(Output):
    """One memory of an answer, with its score in [0, 1]."""

    memory_id: str
    content: str
    type: MemoryType
    importance: Importance
    tags: list[str]
    score: float
    created_at: str
    updated_at: str
    event_time: str | None
    source: str | None
    version: int
    explain: dict[str, Any] | None = None


class RecallOutput(Output):
    """Memories, best first."""

    recall_id: str
    memories: list[RecalledMemory]
    applied_filters: dict[str, Any]
    degraded: list[DegradedOutput] | None = None
    explain: dict[str, Any] | None = None

    @classmethod
    def answer(cls, result: Recalled, asked: RecallInput) -> "RecallOutput":
        return cls(
            recall_id=result.recall_id,
            memories=[_recalled(one, explain=asked.explain) for one in result.ranked],
            applied_filters=_applied(asked),
            degraded=degraded_output(result.degraded),
            explain=explained.answer(result) if asked.explain else None,
        )


class UpdateMemoryOutput(MemoryOutput):
    """The memory as it is now; ``updated`` is false where nothing differed."""

    updated: bool
    degraded: list[DegradedOutput] | None = None

    @classmethod
    def answer(cls, result: Updated) -> "UpdateMemoryOutput":
        return cls(**memory_fields(result.memory), updated=result.updated, degraded=degraded_output(result.degraded))


class ReceiptOutput(Output):
    """The record of a forget."""

    memory_id: str
    forgotten: bool
    forgotten_at: str
    reason: str
    version: int
    versions_erased: int
    residue_cleared: bool = Field(
        description="False while a reader still holds an older state of the store; cleared by the next write."
    )

    @classmethod
    def of(cls, receipt: Receipt) -> "ReceiptOutput":
        return cls(
            memory_id=receipt.memory_id,
            forgotten=True,
            forgotten_at=format_instant(receipt.forgotten_at),
            reason=receipt.reason,
            version=receipt.version,
            versions_erased=receipt.versions_erased,
            residue_cleared=receipt.residue_cleared,
        )

    @classmethod
    def answer(cls, result: Forgotten) -> "ReceiptOutput":
        return cls.of(result.receipt)


def degraded_output(reasons: Sequence[Degraded]) -> list[DegradedOutput] | None:
    """None for a whole answer, so that the member is left out."""
    unique = dict.fromkeys(reasons)
    return [DegradedOutput(code=one.code, message=one.message) for one in unique] or None


def _recalled(one: Ranked, *, explain: bool) -> RecalledMemory:
    fields = memory_fields(one.memory)
    fields.pop("expires_at")
    return RecalledMemory(
        **fields, score=round(one.score, SCORE_DIGITS), explain=explained.memory(one) if explain else None
    )


def _applied(asked: RecallInput) -> dict[str, Any]:
    applied: dict[str, Any] = {"limit": asked.limit}
    given = {"type": asked.type, "importance": asked.importance, "tags": list(asked.tags)}
    applied.update({name: value for name, value in given.items() if value})
    if asked.time_range:
        applied["time_range"] = str(asked.time_range)
    return applied

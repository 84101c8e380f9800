"""What the routes for people and programs answer, as models: the OpenAPI document is made from these."""

from typing import Any

from pydantic import Field

from m4a.domain.memory import Importance, MemoryType
from m4a.tools.outputs import MemoryOutput, Output

_NEXT = "Where the next page goes on; null at the end."


class ListOutput(Output):
    """One page of memories, newest first. A page may be empty and still have a next one."""

    memories: list[MemoryOutput]
    next: str | None = Field(description=_NEXT)


class VersionOutput(Output):
    """An earlier version of a memory."""

    version: int
    content: str
    type: MemoryType
    importance: Importance
    tags: list[str]
    source: str | None
    event_time: str | None
    expires_at: str | None
    updated_at: str
    replaced_at: str


class HistoryOutput(Output):
    """A memory and its earlier versions, newest first."""

    memory: MemoryOutput
    history: list[VersionOutput]


class MemoryVersion(Output):
    """A memory by its id and version."""

    memory_id: str
    version: int


class ContextOutput(Output):
    """The core block: facts and preferences of high importance, as a text for a system prompt."""

    text: str
    tokens: int = Field(description="How many the text has, by estimate.")
    max_tokens: int
    memories: list[MemoryVersion] = Field(description="Those in the text.")
    left_out: list[MemoryVersion] = Field(description="Those that did not fit.")


class AuditEventOutput(Output):
    """One operation: who did what, through which entry point, to which memory. No memory text."""

    change_id: str
    at: str
    operation: str
    outcome: str
    actor: str
    entry_point: str
    request_id: str
    memory_id: str | None = None
    version: int | None = None
    reason: str | None = None
    recall_id: str | None = None


class AuditOutput(Output):
    """One page of audit events, newest first."""

    events: list[AuditEventOutput]
    next: str | None = Field(description=_NEXT)


class TraceOutput(Output):
    """The record of one recall. No memory text."""

    recall_id: str
    at: str
    asked: dict[str, Any] | None = Field(description="Query, its terms and filters; null once these have expired.")
    rules: int | str = Field(description="Version of the token rules.")
    model: str | None = Field(description="The model that embedded the query.")
    degraded: list[str] = Field(description="Codes of what could not run.")
    limit: int
    counts: dict[str, int] = Field(description="Memories by stage.")
    memories: int = Field(description="How many memories this owner had.")
    average_length: float
    frequencies: list[int] = Field(description="In how many memories each term was, in the order of asked.terms.")
    kth_scores: dict[str, float] = Field(description="The last score of each leg.")
    attainable: float = Field(description="What scores were divided by.")
    top: list[list[Any]] = Field(
        description="The best: memory_id, version, rev, score, lexical, cosine, length, importance, recency."
    )


class ImportFailure(Output):
    """A line that could not be read."""

    line: int
    errors: list[dict[str, str]]


class ImportOutput(Output):
    """What an import did."""

    lines: int
    created: int
    existing: int
    expired: int
    renamed: int = Field(description="Created under another id, since the id was taken or forgotten.")
    not_embedded: int
    failed: int
    failures: list[ImportFailure]
    next: int | None = Field(description="The line from which to send the rest again; null if all was done.")


class EraseOutput(Output):
    """How many were erased in this call."""

    erased: int
    next: str | None = Field(description='"again" while more is left.')


class PromptOutput(Output):
    """How to use the tools well."""

    prompt: str


class HealthOutput(Output):
    """That the server answers."""

    status: str
    version: str


class FieldError(Output):
    """What is wrong with one field."""

    field: str
    message: str
    allowed: str | None = None


class Problem(Output):
    """Problem details (RFC 9457), with a stable code."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(
        description="invalid_input, unauthenticated, forbidden, not_found, conflict, too_large, throttled, unavailable "
        "or internal."
    )
    request_id: str
    errors: list[FieldError] | None = Field(None, description="With invalid_input: each wrong field.")
    reason: str | None = Field(None, description="With conflict: version, duplicate, idempotency or forgotten.")
    memory_id: str | None = Field(None, description="With conflict: the memory that is in the way.")
    current: MemoryOutput | None = Field(None, description="With conflict: the memory as it is now.")
    retry_after: int | None = Field(None, description="Seconds after which to try again.")

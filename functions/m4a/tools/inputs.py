"""One input model per tool. No tool takes an identity: the owner comes from the verified caller."""

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from m4a.application.forget import Forget
from m4a.application.recall import Recall
from m4a.application.remember import Remember
from m4a.application.update_memory import UpdateMemory
from m4a.domain.errors import FieldProblem, InvalidInput
from m4a.domain.memory import Filters
from m4a.domain.times import TimeRange
from m4a.tools.fields import (
    CLEAR,
    Content,
    Expiry,
    ExpiryOrClear,
    Flag,
    Key,
    Kind,
    Limit,
    MemoryId,
    Query,
    Range,
    Reason,
    Source,
    Tags,
    VersionNumber,
    Weight,
    When,
    WhenOrClear,
)
from m4a.tools.reading import names_nothing

Model = TypeVar("Model", bound=BaseModel)
LISTS = ("tags",)
"""Fields that are lists. Blanks in the place of one say nothing, whereas ``[]`` says that there is nothing in it."""
_TIME = "ISO 8601 date or time such as 2026-03-01 or 2026-03-01T09:30:00+01:00; no zone means UTC"


class ToolInput(BaseModel):
    """Unknown fields are refused; null means absent, and so do blanks where a list is wanted.

    A tool's first five fields are those that Bedrock functions publish, which may have no more. Descriptions leave
    allowed values and defaults to the schema: where a format has no room for them, they are added in words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _without_absent(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        fields = cast("dict[str, Any]", data)
        return {name: value for name, value in fields.items() if not _is_absent(name, value)}


def _is_absent(name: str, value: object) -> bool:
    return value is None or (name in LISTS and names_nothing(value))


class RememberInput(ToolInput):
    """Arguments of ``remember``."""

    content: Content = Field(
        description='The statement to keep, complete in itself: names instead of pronouns, dates instead of "today".'
    )
    type: Kind = Field("fact", description="What kind of statement it is.")
    importance: Weight = Field("medium", description="How much it matters: high only for what must never be missed.")
    tags: Tags = Field((), description="Labels to filter by later.")
    event_time: When | None = Field(None, description=f"When it happens or happened: {_TIME}.")
    expires_at: Expiry | None = Field(None, description=f"From when on it is to be gone: {_TIME}.")
    source: Source | None = Field(None, description="The conversation or document it comes from.")
    idempotency_key: Key | None = Field(None, description="Makes a retry of this very call store nothing twice.")

    def command(self) -> Remember:
        """The use case's command."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return Remember(**values, sent=frozenset(self.model_fields_set))


class RecallInput(ToolInput):
    """Arguments of ``recall``."""

    query: Query = Field(description="What to look for, in plain words.")
    type: Kind | None = Field(None, description="Only memories of this type.")
    tags: Tags = Field((), description="Only memories that carry all of these tags.")
    limit: Limit = Field(5, description="How many memories at most.")
    time_range: Range | None = Field(
        None,
        description="Only memories of this time: start/end in ISO 8601 such as 2026-03-01/2026-03-31; either side may "
        "be empty.",
    )
    importance: Weight | None = Field(None, description="Only memories of this importance.")
    explain: Flag = Field(False, description="Whether to tell how each score came about.")

    def command(self) -> Recall:
        """The use case's command."""
        filters = Filters(self.type, self.importance, self.tags, self.time_range or TimeRange())
        return Recall(query=self.query, filters=filters, limit=self.limit)


class UpdateMemoryInput(ToolInput):
    """Arguments of ``update_memory``."""

    CHANGEABLE: ClassVar = ("content", "importance", "tags", "type", "event_time", "expires_at")

    memory_id: MemoryId = Field(description="Id of the memory, as remember or recall returned it.")
    content: Content | None = Field(None, description="The new statement, whole.")
    importance: Weight | None = Field(None, description="How much it matters now.")
    tags: Tags | None = Field(None, description="The new tags, replacing all; an empty list clears them.")
    expected_version: VersionNumber | None = Field(
        None, description="Refuse the change if the memory has another version by now."
    )
    type: Kind | None = Field(None, description="What kind of statement it is now.")
    event_time: WhenOrClear | None = Field(
        None, description='When it happens or happened: ISO 8601 date or time, or "clear".'
    )
    expires_at: ExpiryOrClear | None = Field(
        None, description='From when on it is to be gone: ISO 8601 date or time in the future, or "clear".'
    )

    def command(self) -> UpdateMemory:
        """The use case's command. Raises InvalidInput if nothing is to be changed."""
        changes = {name: getattr(self, name) for name in self.CHANGEABLE if name in self.model_fields_set}
        if not changes:
            allowed = "at least one of " + ", ".join(self.CHANGEABLE)
            raise InvalidInput([FieldProblem(name, "no change is given", allowed) for name in ("content",)])
        cleared = {
            name: None if value == CLEAR and name.endswith(("_at", "_time")) else value
            for name, value in changes.items()
        }
        return UpdateMemory(memory_id=self.memory_id, changes=cleared, expected_version=self.expected_version)


class ForgetInput(ToolInput):
    """Arguments of ``forget``."""

    memory_id: MemoryId = Field(description="Id of the memory, as remember or recall returned it.")
    reason: Reason = Field(description="Why it is to be forgotten; the receipt keeps it.")
    expected_version: VersionNumber | None = Field(None, description="Refuse if the memory has another version by now.")

    def command(self) -> Forget:
        """The use case's command."""
        return Forget(memory_id=self.memory_id, reason=self.reason, expected_version=self.expected_version)


def read(model: type[Model], arguments: Mapping[str, Any]) -> Model:
    """Validates arguments. Raises InvalidInput that names each wrong field and what is allowed."""
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        rows = error.errors(include_url=False, include_input=False)
        raise InvalidInput([_problem(model, dict(row)) for row in rows]) from None


def _known_fields(model: type[BaseModel]) -> str | None:
    return "only " + ", ".join(model.model_fields) if model.model_fields else None


def _problem(model: type[BaseModel], row: Mapping[str, Any]) -> FieldProblem:
    field = str(row["loc"][0]) if row["loc"] else "body"
    match row["type"]:
        case "missing":
            return FieldProblem(field, "is required")
        case "extra_forbidden":
            return FieldProblem(field[:64], "is not known here", _known_fields(model))
        case "m4a":
            return FieldProblem(field, str(row["ctx"]["message"]), str(row["ctx"]["allowed"]))
        case _:
            return FieldProblem(field, "has the wrong type")

"""Query parameters of the routes for people and programs, read by the same fields as the tools."""

from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from m4a.application.context import DEFAULT_TOKENS, MAX_TOKENS
from m4a.domain.memory import Filters
from m4a.domain.times import TimeRange
from m4a.tools.export import FORMATS
from m4a.tools.fields import Kind, Range, Tags, Weight
from m4a.tools.inputs import ToolInput
from m4a.tools.reading import one_of, read_text, whole

DEFAULT_PAGE = 50
MAX_PAGE = 200

_PageSize = Annotated[
    int,
    BeforeValidator(whole(1, MAX_PAGE)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_PAGE}),
]
_Tokens = Annotated[
    int,
    BeforeValidator(whole(1, MAX_TOKENS)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_TOKENS}),
]
_Cursor = Annotated[str, BeforeValidator(read_text)]
_Format = Annotated[str, BeforeValidator(one_of(FORMATS)), WithJsonSchema({"type": "string", "enum": list(FORMATS)})]
_NEXT = "Where to go on: next of the page before."
_PAGE = "How many at most on this page."


class NoQuery(ToolInput):
    """Of routes that take no parameters."""


class ListQuery(ToolInput):
    """Parameters of the listing."""

    type: Kind | None = Field(None, description="Only memories of this type.")
    importance: Weight | None = Field(None, description="Only memories of this importance.")
    tags: Tags = Field((), description="Only memories that carry all of these tags, separated by commas.")
    time_range: Range | None = Field(
        None, description="Only memories of this time: start/end in ISO 8601, either side may be empty."
    )
    limit: _PageSize = Field(DEFAULT_PAGE, description=_PAGE)
    cursor: _Cursor | None = Field(None, description=_NEXT)

    def filters(self) -> Filters:
        """The same filters as recall's."""
        return Filters(self.type, self.importance, self.tags, self.time_range or TimeRange())


class AuditQuery(ToolInput):
    """Parameters of the audit listing."""

    limit: _PageSize = Field(DEFAULT_PAGE, description=_PAGE)
    cursor: _Cursor | None = Field(None, description=_NEXT)


class ContextQuery(ToolInput):
    """Parameters of the core block."""

    max_tokens: _Tokens = Field(DEFAULT_TOKENS, description="How many tokens the text may have at most, by estimate.")


class ExportQuery(ToolInput):
    """Parameters of the export."""

    cursor: _Cursor | None = Field(None, description="Where to go on: the header m4a-next of the page before.")


class EraseQuery(ToolInput):
    """Parameters of the erasure of everything."""

    confirm: Annotated[str, BeforeValidator(read_text)] = Field(description="The id of the user, to be sure.")


class ToolsQuery(ToolInput):
    """Parameters of the published schemas."""

    format: _Format = Field("mcp", description="For whom the tools are described.")

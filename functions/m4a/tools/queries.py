"""Query parameters of the routes for people and programs, read by the same fields as the tools."""

from typing import Annotated

from pydantic import BeforeValidator

from m4a.domain.memory import Filters
from m4a.domain.times import TimeRange
from m4a.tools.fields import Kind, Range, Tags, Weight
from m4a.tools.inputs import ToolInput
from m4a.tools.reading import read_text, whole

DEFAULT_PAGE = 50
MAX_PAGE = 200

_PageSize = Annotated[int, BeforeValidator(whole(1, MAX_PAGE))]
_Cursor = Annotated[str, BeforeValidator(read_text)]


class ListQuery(ToolInput):
    """Parameters of the listing."""

    type: Kind | None = None
    importance: Weight | None = None
    tags: Tags = ()
    time_range: Range | None = None
    limit: _PageSize = DEFAULT_PAGE
    cursor: _Cursor | None = None

    def filters(self) -> Filters:
        """The same filters as recall's."""
        return Filters(self.type, self.importance, self.tags, self.time_range or TimeRange())


class AuditQuery(ToolInput):
    """Parameters of the audit listing."""

    limit: _PageSize = DEFAULT_PAGE
    cursor: _Cursor | None = None


class ExportQuery(ToolInput):
    """Parameters of the export."""

    cursor: _Cursor | None = None


class EraseQuery(ToolInput):
    """Parameters of the erasure of everything."""

    confirm: Annotated[str, BeforeValidator(read_text)]

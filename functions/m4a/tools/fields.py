"""The fields of the tools as pydantic types: each reads its value by ``reading`` and publishes its schema."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from m4a.domain.memory import (
    IMPORTANCES,
    MAX_CONTENT_CHARS,
    MAX_QUERY_CHARS,
    MAX_REASON_CHARS,
    MAX_SOURCE_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MEMORY_TYPES,
    Importance,
    MemoryType,
)
from m4a.domain.times import EventTime, TimeRange
from m4a.tools.reading import (
    bounded,
    one_of,
    or_clear,
    read_event_time,
    read_expiry,
    read_flag,
    read_range,
    read_tags,
    read_text,
    whole,
)

CLEAR = "clear"
MAX_LIMIT = 50
MAX_KEY_CHARS = 128
MAX_VERSION = 999_999_999

_TEXT: dict[str, Any] = {"type": "string"}


def _length(most: int) -> WithJsonSchema:
    return WithJsonSchema({**_TEXT, "minLength": 1, "maxLength": most})


def _words(choices: tuple[str, ...]) -> WithJsonSchema:
    return WithJsonSchema({**_TEXT, "enum": list(choices)})


Content = Annotated[str, BeforeValidator(bounded(MAX_CONTENT_CHARS)), _length(MAX_CONTENT_CHARS)]
Query = Annotated[str, BeforeValidator(bounded(MAX_QUERY_CHARS)), _length(MAX_QUERY_CHARS)]
Reason = Annotated[str, BeforeValidator(bounded(MAX_REASON_CHARS, trim=True)), _length(MAX_REASON_CHARS)]
Source = Annotated[str, BeforeValidator(bounded(MAX_SOURCE_CHARS, trim=True)), _length(MAX_SOURCE_CHARS)]
Key = Annotated[str, BeforeValidator(bounded(MAX_KEY_CHARS)), _length(MAX_KEY_CHARS)]
MemoryId = Annotated[str, BeforeValidator(read_text), WithJsonSchema(_TEXT)]
Kind = Annotated[MemoryType, BeforeValidator(one_of(MEMORY_TYPES)), _words(MEMORY_TYPES)]
Weight = Annotated[Importance, BeforeValidator(one_of(IMPORTANCES)), _words(IMPORTANCES)]
Tags = Annotated[
    tuple[str, ...],
    BeforeValidator(read_tags),
    WithJsonSchema({"type": "array", "items": {"type": "string", "maxLength": MAX_TAG_CHARS}, "maxItems": MAX_TAGS}),
]
Limit = Annotated[
    int,
    BeforeValidator(whole(1, MAX_LIMIT)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}),
]
VersionNumber = Annotated[
    int,
    BeforeValidator(whole(1, MAX_VERSION)),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_VERSION}),
]
Flag = Annotated[bool, BeforeValidator(read_flag), WithJsonSchema({"type": "boolean"})]
When = Annotated[EventTime, BeforeValidator(read_event_time), WithJsonSchema(_TEXT)]
Expiry = Annotated[datetime, BeforeValidator(read_expiry), WithJsonSchema(_TEXT)]
WhenOrClear = Annotated[EventTime | str, BeforeValidator(or_clear(read_event_time)), WithJsonSchema(_TEXT)]
ExpiryOrClear = Annotated[datetime | str, BeforeValidator(or_clear(read_expiry)), WithJsonSchema(_TEXT)]
Range = Annotated[TimeRange, BeforeValidator(read_range), WithJsonSchema(_TEXT)]

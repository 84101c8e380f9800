"""What the OpenAPI document says of one route of the HTTP API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation. ``query`` and ``body`` are the models that read it, ``answer`` is that of its JSON.

    A body or an answer without a model is text of its content type, or any JSON. ``headers`` are those of its own that
    it takes, ``answer_headers`` those that it sends, each with a sentence.
    """

    id: str
    summary: str
    description: str | None = None
    query: type[BaseModel] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: type[BaseModel] | None = None
    body_type: str = JSON
    answer: type[BaseModel] | None = None
    answer_type: str = JSON
    answer_headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Described(Protocol):
    """A route with its description. ``path`` is a template such as ``/memories/{memory_id}``."""

    @property
    def method(self) -> str: ...

    @property
    def path(self) -> str: ...

    @property
    def public(self) -> bool: ...

    @property
    def operation(self) -> Operation: ...

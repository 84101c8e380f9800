"""Calls the tools and routes as a client does, and tells what came back in the contract's own words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Answer:
    """What an entry point answered: the result, or the error's code and members."""

    body: Mapping[str, Any]
    error: str | None = None

    def __getitem__(self, name: str) -> Any:
        assert self.error is None, self.body
        return self.body[name]

    @property
    def contents(self) -> list[str]:
        """Texts of recalled memories, best first."""
        return [memory["content"] for memory in self["memories"]]

    @property
    def ids(self) -> list[str]:
        return [memory["memory_id"] for memory in self["memories"]]

    @property
    def degraded(self) -> list[str]:
        """Codes of the degradations."""
        assert self.error is None, self.body
        return [one["code"] for one in self.body.get("degraded", ())]

    @property
    def fields(self) -> list[str]:
        """Names of the fields that an invalid_input complains about."""
        assert self.error == "invalid_input", self.body
        return [one["field"] for one in self.body["errors"]]


class Client(Protocol):
    """One user's way to the tools, through whichever entry point."""

    def call(self, tool: str, **arguments: Any) -> Answer: ...

"""The state of one case while it runs: what its steps have answered and saved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.cases.reply import Reply
from tests.cases.values import build
from tests.cases.world import World


class StepFailed(Exception):
    """A step can't be run as written, or was not answered in time: the case fails."""


@dataclass(kw_only=True)
class Run:
    """``ids`` are saved memory ids by name, ``names`` all names that any step saves, ``replies`` those of each step,
    and ``seen`` what was looked up right after a step, by its number, or at the ``end``."""

    world: World
    names: set[str] = field(default_factory=set[str])
    ids: dict[str, str] = field(default_factory=dict[str, str])
    replies: list[tuple[Reply, ...]] = field(default_factory=list[tuple[Reply, ...]])
    seen: dict[int | str, Any] = field(default_factory=dict[int | str, Any])

    def build(self, value: Any, number: int = 0) -> Any:
        """The value with its ``$`` forms replaced. Raises CannotBuild."""
        return build(value, self.ids, number)

    def save(self, step: Mapping[str, Any], reply: Reply, number: int) -> None:
        """Keeps the ids of memories that the step made, under the names that it gives them."""
        self.ids.update(reply.saved)
        if "save" in step and reply.memory_id:
            self.ids[self.build(step["save"], number)] = reply.memory_id

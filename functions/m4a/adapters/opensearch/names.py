"""How the index's generations and aliases are called, and the documents in them."""

import re
from dataclasses import dataclass

MARKER_ID = "marker"


@dataclass(frozen=True, slots=True)
class Names:
    """Everything that begins with ``prefix``, which the cluster may share with others."""

    prefix: str

    @property
    def searched(self) -> str:
        """Alias of the one generation that searches go to."""
        return self.prefix

    @property
    def writers(self) -> str:
        """Alias of every generation that writes go to: it lists them, and is never written to."""
        return f"{self.prefix}-writers"

    def index(self, generation: int) -> str:
        return f"{self.prefix}-g{generation}"

    def written(self, generation: int) -> str:
        """Alias of one generation, for writes: where it is gone, they are refused instead of making an index."""
        return f"{self.index(generation)}-write"

    def generation(self, index: str) -> int | None:
        """The number in an index's name; None for an index that is none of ours."""
        match = re.fullmatch(rf"{re.escape(self.prefix)}-g(\d+)", index)
        return int(match[1]) if match else None


def document_id(owner_key: str, memory_id: str) -> str:
    return f"{owner_key}:{memory_id}"


def memory_id(document: str) -> str:
    """The part of a document's id that names the memory."""
    return document.rpartition(":")[2]

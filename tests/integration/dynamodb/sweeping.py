"""What the tests of the sweep on the table share: a model that refuses, and memories that wait for it."""

from collections.abc import Sequence
from typing import Any

from m4a.application.remember import Remember, remember
from m4a.application.service import Service
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.owner import Caller, Owner
from m4a.domain.vectors import pack
from m4a.ports import Purpose
from tests.support.dynamodb import Dynamo, cancel

ANN = Caller(Owner("default", "ann"), "ann", "test", "r-1")
BOB = Caller(Owner("default", "bob"), "bob", "test", "r-2")
REFUSED = "What no model takes"
COMMIT = "transact_write_items"
READ = "batch_get_item"
OVERRUN = cancel(["ThrottlingError"])


class Model:
    """Takes nothing, or all but texts that begin with one of ours; and so a batch with such a one fails whole."""

    model, dense_weight, similar_floor = "m", 1.0, 0.9

    def __init__(self) -> None:
        self.failure: Exception | None = Unavailable("down")
        self.refuses = REFUSED
        self.lasts: int | None = None
        """After so many calls it is down."""
        self.asked: list[Sequence[str]] = []

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self.asked.append(texts)
        if self.lasts is not None:
            self.failure = self.failure if self.lasts else Unavailable("down")
            self.lasts -= 1
        if self.failure:
            raise self.failure
        if any(one.startswith(self.refuses) for one in texts):
            raise Unavailable("refused")
        return [Embedding(self.model, pack([1.0, 0.0])) for _ in texts]


def notes(
    service: Service, dynamo: Dynamo, count: int, caller: Caller = ANN, text: str = "Note", **fields: Any
) -> None:
    for _ in range(count):
        dynamo.clock.advance(seconds=1)
        remember(service, caller, Remember(content=f"{text} {dynamo.clock.now():%H:%M:%S}", **fields))


def bare(dynamo: Dynamo) -> list[str]:
    """The texts of Ann's memories without a vector."""
    found: Sequence[Memory] = dynamo.store.list(ANN.owner, Filters(), dynamo.clock.now(), None, 200).items
    return [one.content for one in found if not one.embedding]

"""The outbox of a store that is its own index."""

from collections.abc import Sequence

from m4a.domain.owner import Owner
from m4a.domain.records import Pending


class EmptyOutbox:
    """Implements ``Outbox``: always empty, since memories and postings change in one transaction."""

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:  # noqa: ARG002
        return ()

    def settle(self, owner: Owner, entry: Pending) -> None:
        """Nothing to do."""

"""Ways in which the product could be broken; each must turn a case red."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Barrier

from m4a.application.service import Service
from m4a.domain.errors import Unavailable
from m4a.domain.memory import Embedding, Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import Change, CommitResult, Committed, Moved, Page
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.ports import MemoryStore, SearchIndex

EVERYONE = Owner("default", "everyone")


class PassedOn:
    """A store that passes everything on; the breakages change one thing each."""

    def __init__(self, inner: MemoryStore) -> None:
        self.inner = inner

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        return self.inner.get(owner, memory_ids)

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        return self.inner.commit(owner, change)

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        return self.inner.list(owner, filters, now, cursor, limit)

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        return self.inner.history(owner, memory_id)

    def snapshot(self) -> AbstractContextManager[None]:
        return self.inner.snapshot()


class _ForgetsNothing(PassedOn):
    def commit(self, owner: Owner, change: Change) -> CommitResult:
        return Committed(change.receipt) if change.after is None else super().commit(owner, change)


class _IgnoresKeys(PassedOn):
    def commit(self, owner: Owner, change: Change) -> CommitResult:
        return super().commit(owner, replace(change, key=None))


class _NeverExpires(PassedOn):
    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        return {one: replace(memory, expires_at=None) for one, memory in super().get(owner, memory_ids).items()}


class _OldSearchFields(PassedOn):
    """An update leaves the words and the vector of the text before."""

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        if change.before and change.after:
            after = replace(change.after, terms=change.before.terms, embedding=change.before.embedding)
            return super().commit(owner, replace(change, after=after))
        return super().commit(owner, change)


class _LastWriterWins(PassedOn):
    """Two updates read the same state, and the second writes over the first."""

    def __init__(self, inner: MemoryStore) -> None:
        super().__init__(inner)
        self._both_have_read = Barrier(2)

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        before, after = change.before, change.after
        if before is None or after is None:
            return super().commit(owner, change)
        self._both_have_read.wait(timeout=30)
        while isinstance(result := super().commit(owner, change), Moved):
            current = self.inner.get(owner, [before.memory_id])[before.memory_id]
            change = replace(change, before=current, after=replace(after, rev=current.rev + 1), archive=())
        return result


class _OneOwnerStore(PassedOn):
    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        return super().get(EVERYONE, memory_ids)

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        return super().commit(EVERYONE, change)


class _OneOwnerIndex:
    def __init__(self, inner: SearchIndex) -> None:
        self._inner = inner

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        return self._inner.search(EVERYONE, query)


class _QuietIndex:
    """Its failures look like an answer without memories."""

    def __init__(self, inner: SearchIndex) -> None:
        self._inner = inner

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        try:
            return replace(self._inner.search(owner, query), degraded=())
        except Unavailable:
            return IndexAnswer()


class _SlowClock:
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now() - timedelta(hours=3)


def forgets_nothing(service: Service) -> Service:
    return replace(service, store=_ForgetsNothing(service.store))


def ignores_keys(service: Service) -> Service:
    return replace(service, store=_IgnoresKeys(service.store))


def never_expires(service: Service) -> Service:
    return replace(service, store=_NeverExpires(service.store))


def keeps_old_search_fields(service: Service) -> Service:
    return replace(service, store=_OldSearchFields(service.store))


def last_writer_wins(service: Service) -> Service:
    return replace(service, store=_LastWriterWins(service.store))


def shares_everything(service: Service) -> Service:
    return replace(service, store=_OneOwnerStore(service.store), index=_OneOwnerIndex(service.index))


def hides_failures(service: Service) -> Service:
    return replace(service, index=_QuietIndex(service.index))


def is_three_hours_late(service: Service) -> Service:
    return replace(service, clock=_SlowClock(service.clock.now))


def compares_other_models(service: Service) -> Service:
    def cosines(query: Embedding, others: Sequence[Embedding | None]) -> list[float | None]:
        return service.cosines(query, [other and replace(other, model=query.model) for other in others])

    return replace(service, cosines=cosines)

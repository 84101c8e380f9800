"""Ways in which the product could be broken; each must turn a case of ``more.jsonl`` red."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event

from m4a.application.service import Service
from m4a.domain.errors import Throttled
from m4a.domain.memory import MAX_CONTENT_CHARS, Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.records import Change, CommitResult
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.ports import MemoryStore, SearchIndex
from tests.cases.breakages import PassedOn

SHORT_LIST = 10


class _CleansTexts(PassedOn):
    """What is stored has lost the characters that nobody sees."""

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        return super().commit(owner, _with_text(change, lambda text: "".join(filter(str.isprintable, text))))


class _CountsInUtf16(PassedOn):
    """What is stored is cut to the limit, in units of UTF-16."""

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        def cut(text: str) -> str:
            return text.encode("utf-16-le")[: 2 * MAX_CONTENT_CHARS].decode("utf-16-le", "ignore")

        return super().commit(owner, _with_text(change, cut))


class _OldLabels(PassedOn):
    """An update leaves tags, type, importance and time as they were."""

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        before, after = change.before, change.after
        if before and after:
            kept = replace(
                after, tags=before.tags, type=before.type, importance=before.importance, event_time=before.event_time
            )
            return super().commit(owner, replace(change, after=kept))
        return super().commit(owner, change)


class _KnowsNoWords(PassedOn):
    """What is stored can be found by its meaning alone."""

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        after = change.after and replace(change.after, terms=replace(change.after.terms, counts={}))
        return super().commit(owner, replace(change, after=after))


class _BringsBack(PassedOn):
    """A forget waits for an update that has read the memory, and this one then makes it anew."""

    def __init__(self, inner: MemoryStore) -> None:
        super().__init__(inner)
        self._read, self._forgotten = Event(), Event()

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        if change.after is None:
            self._read.wait(timeout=30)
            try:
                return super().commit(owner, change)
            finally:
                self._forgotten.set()
        if change.before is None:
            return super().commit(owner, change)
        self._read.set()
        self._forgotten.wait(timeout=30)
        return super().commit(owner, replace(change, before=None, archive=()))


class _LooksEmptyWhenBusy(PassedOn):
    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        try:
            return super().get(owner, memory_ids)
        except Throttled:
            return {}


class _OtherQuery:
    """An index that is asked something else than the service asks."""

    def __init__(self, inner: SearchIndex, other: Callable[[IndexQuery], IndexQuery]) -> None:
        self._inner, self._other = inner, other

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        return self._inner.search(owner, self._other(query))


def cleans_texts(service: Service) -> Service:
    return replace(service, store=_CleansTexts(service.store))


def counts_in_utf_16(service: Service) -> Service:
    return replace(service, store=_CountsInUtf16(service.store))


def keeps_old_labels(service: Service) -> Service:
    return replace(service, store=_OldLabels(service.store))


def brings_back_what_was_forgotten(service: Service) -> Service:
    return replace(service, store=_BringsBack(service.store))


def looks_empty_when_busy(service: Service) -> Service:
    return replace(service, store=_LooksEmptyWhenBusy(service.store))


def filters_after_the_cut(service: Service) -> Service:
    return _asking(service, lambda query: replace(query, filters=Filters()))


def has_a_short_list(service: Service) -> Service:
    return _asking(service, lambda query: replace(query, k=min(query.k, SHORT_LIST)))


def knows_no_words(service: Service) -> Service:
    return replace(service, store=_KnowsNoWords(service.store))


def _asking(service: Service, other: Callable[[IndexQuery], IndexQuery]) -> Service:
    return replace(service, index=_OtherQuery(service.index, other))


def _with_text(change: Change, changed: Callable[[str], str]) -> Change:
    after = change.after
    return replace(change, after=replace(after, content=changed(after.content))) if after else change

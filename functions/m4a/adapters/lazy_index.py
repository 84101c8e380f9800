"""A search index that is connected only if it is needed."""

from collections.abc import Callable

from m4a.domain.owner import Owner
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.ports import SearchIndex


class LazyIndex:
    """The port ``SearchIndex``; each search asks ``load`` for the index, which should answer the same one each time."""

    def __init__(self, load: Callable[[], SearchIndex]) -> None:
        self._load = load

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        return self._load().search(owner, query)

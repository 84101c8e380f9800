"""The search index on OpenSearch."""

import time
from collections.abc import Callable

from opensearchpy import OpenSearch

from m4a.adapters.opensearch.answers import Found, read
from m4a.adapters.opensearch.breaker import Breaker
from m4a.adapters.opensearch.client import patiently, reading, translate_errors
from m4a.adapters.opensearch.deployment import Deployment
from m4a.adapters.opensearch.names import Names
from m4a.adapters.opensearch.queries import lines, searches
from m4a.domain.owner import Owner
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.domain.text import RULES
from m4a.ports.indexing import ExpectedState, IndexOutdated, Marker


class OpenSearchIndex:
    """Implements ``SearchIndex`` with one ``_msearch`` a search.

    ``expected`` tells what the table says of the index, None if it names none; it may come from a copy that is a
    minute old. ``clock``: seconds that never go back. ``search`` raises IndexOutdated (an Unavailable) for an index
    that is not known to hold what the store holds, and Unavailable at once for a while after three failures in a row.
    """

    def __init__(
        self,
        client: OpenSearch,
        prefix: str,
        deployment: Deployment,
        *,
        expected: Callable[[], ExpectedState | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._names = Names(prefix)
        self._deployment = deployment
        self._expected = expected
        self._breaker = Breaker(clock)
        self.model: str | None = None
        """Whose vectors the index holds, as the last search saw it."""

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        # Asked before the search: the beat rises in the index first, so what is expected now must be seen by then.
        expected = self._expected()
        with self._breaker.guard():
            found = self._ask(owner, query)
        self.model = found.marker.model if found.marker else None
        check(found.marker, expected)
        return found.answer

    def _ask(self, owner: Owner, query: IndexQuery) -> Found:
        asked = searches(self._names.searched, owner.key, query, self._deployment)
        with translate_errors():
            response = patiently(lambda: self._client.msearch(body=lines(asked)))
        with reading():
            responses = response["responses"]
        return read(query, asked, responses)


def check(marker: Marker | None, expected: ExpectedState | None) -> None:
    """Raises IndexOutdated unless the marker vouches for the index.

    A newer generation than expected is taken: it was finished after the copy of the table's word was made.
    """
    if expected is None:
        raise IndexOutdated("The table names no search index: run `m4a init`.")
    if marker is None or not marker.complete:
        raise IndexOutdated("The search index is not filled: run `m4a reindex`.")
    if marker.rules != RULES:
        raise IndexOutdated("The words in the search index were made by other rules: run `m4a reindex`.")
    if marker.generation < expected.generation or marker.beat < expected.beat:
        raise IndexOutdated("The search index is an older copy than the table expects: run `m4a reindex`.")

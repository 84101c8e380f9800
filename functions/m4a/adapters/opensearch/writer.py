"""Writes entries in bulk to every generation that is a writer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from opensearchpy import OpenSearch

from m4a.adapters.opensearch.answers import failed
from m4a.adapters.opensearch.bulk import Job, batches, job, result_of, worst
from m4a.adapters.opensearch.client import WRITE_TIMEOUT_S, patiently, reading, translate_errors
from m4a.adapters.opensearch.deployment import Deployment
from m4a.adapters.opensearch.entries import VectorSpace
from m4a.adapters.opensearch.generations import writing_generations
from m4a.adapters.opensearch.names import Names, document_id
from m4a.domain.errors import Unavailable
from m4a.ports.indexing import IndexEntry, WriteResult

_IDS_A_SEARCH = 500


class OpenSearchWriter:
    """Implements ``IndexWriter``.

    ``filling``: the one generation to write to, without a wait for searches to see it: entries are ACCEPTED.
    """

    def __init__(self, client: OpenSearch, prefix: str, deployment: Deployment, *, filling: int | None = None) -> None:
        self._client = client
        self._names = Names(prefix)
        self._filling = filling
        self._deployment = deployment if filling is None else replace(deployment, waits_for_refresh=False)

    def write(self, entries: Sequence[IndexEntry]) -> list[WriteResult]:
        results = [WriteResult.WRITTEN] * len(entries)
        for batch in batches(self._jobs(entries)):
            items = iter(self._bulk(batch))
            for one in batch:
                result = result_of(one, list(islice(items, one.answers)), self._deployment)
                results[one.position] = worst(results[one.position], result)
        return results

    def searchable(self, entries: Sequence[IndexEntry]) -> list[bool]:
        ids = [document_id(entry.owner_key, entry.memory_id) for entry in entries]
        shown: list[Mapping[str, int]] = []
        for generation in self._generations():
            parts = range(0, len(ids), _IDS_A_SEARCH)
            found = [self._versions(generation, ids[start : start + _IDS_A_SEARCH]) for start in parts]
            shown.append({one: version for part in found for one, version in part.items()})
        return [
            all(_shows(versions.get(one), entry) for versions in shown) for one, entry in zip(ids, entries, strict=True)
        ]

    def _generations(self) -> Mapping[int, VectorSpace]:
        """Looked up for every call: a generation that was added before a change was read must not miss it."""
        with translate_errors():
            found = writing_generations(self._client, self._names)
        if self._filling is not None:
            found = {number: space for number, space in found.items() if number == self._filling}
        if not found:
            raise Unavailable("There is no search index to write to: run `m4a init` or `m4a reindex`.")
        return found

    def _jobs(self, entries: Sequence[IndexEntry]) -> Iterator[Job]:
        for generation, space in self._generations().items():
            alias = self._names.written(generation)
            for position, entry in enumerate(entries):
                yield job(position, entry, alias, space, self._deployment)

    def _bulk(self, batch: Sequence[Job]) -> Sequence[Mapping[str, Any]]:
        body = "\n".join([line for one in batch for line in one.lines] + [""])
        params: dict[str, Any] = {"request_timeout": WRITE_TIMEOUT_S}
        if self._deployment.waits_for_refresh:
            params["refresh"] = "wait_for"
        with translate_errors():
            response = patiently(lambda: self._client.bulk(body=body, params=params))
        with reading():
            items: Sequence[Mapping[str, Any]] = response["items"]
        if len(items) != sum(one.answers for one in batch):
            raise Unavailable("The search index did not say what became of each write.")
        return items

    def _versions(self, generation: int, ids: Sequence[str]) -> Mapping[str, int]:
        body = {"size": len(ids), "version": True, "query": {"ids": {"values": list(ids)}}}
        params = {"preference": self._deployment.preference} if self._deployment.preference else {}
        with translate_errors():
            response = self._client.search(index=self._names.written(generation), body=body, params=params)
        with reading():
            if failed(response):
                raise Unavailable("The search index did not say what it holds.")
            return {hit["_id"]: hit["_version"] for hit in response["hits"]["hits"]}


def _shows(version: int | None, entry: IndexEntry) -> bool:
    """Whether what a search shows of a document is what the entry says."""
    return version is None if entry.memory is None else version is not None and version >= entry.rev

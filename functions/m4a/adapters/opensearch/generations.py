"""Makes, promotes and retires the generations of the index."""

from collections.abc import Mapping, Sequence
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConflictError, RequestError

from m4a.adapters.errors import Unusable
from m4a.adapters.opensearch.answers import failed, marker_of
from m4a.adapters.opensearch.client import WRITE_TIMEOUT_S, reading, translate_errors
from m4a.adapters.opensearch.deployment import NO_CLASSIC, Deployment, refuses_ids
from m4a.adapters.opensearch.entries import VectorSpace
from m4a.adapters.opensearch.mapping import index_body, made_as, space_of
from m4a.adapters.opensearch.names import MARKER_ID, Names
from m4a.adapters.opensearch.queries import marker_query
from m4a.domain.errors import Unavailable
from m4a.ports.indexing import Marker

_ABSENT_IS_FINE: Mapping[str, Any] = {"ignore": 404}


class OpenSearchGenerations:
    """Implements ``IndexAdmin``."""

    def __init__(self, client: OpenSearch, prefix: str, deployment: Deployment) -> None:
        self._client = client
        self._names = Names(prefix)
        self._deployment = deployment

    def exists(self) -> bool:
        with translate_errors():
            return bool(self._client.indices.exists_alias(name=self._names.searched))

    def create_generation(self, generation: int, model: str, dimensions: int) -> None:
        aliases: dict[str, Any] = {self._names.written(generation): {}, self._names.writers: {}}
        body = {**index_body(self._deployment, VectorSpace(model, dimensions)), "aliases": aliases}
        with translate_errors():
            try:
                self._client.indices.create(
                    index=self._names.index(generation), body=body, params={"request_timeout": WRITE_TIMEOUT_S}
                )
            except RequestError as error:
                if error.error != "resource_already_exists_exception":
                    raise
                if not self.made_so(generation, model, dimensions):
                    raise ValueError(f"generation {generation} exists, and was made otherwise") from None

    def made_so(self, generation: int, model: str, dimensions: int) -> bool:
        with translate_errors():
            found = _mappings(self._client, self._names).get(generation)
        return found is not None and made_as(found, index_body(self._deployment, VectorSpace(model, dimensions)))

    def searched(self) -> int | None:
        with translate_errors():
            numbers = [self._names.generation(index) for index in self._searched()]
        return next((number for number in numbers if number is not None), None)

    def writers(self) -> Sequence[int]:
        with translate_errors():
            return sorted(writing_generations(self._client, self._names))

    def set_marker(self, marker: Marker) -> bool:
        params: dict[str, Any] = {
            "version": marker.beat,
            "version_type": "external_gte",
            "require_alias": "true",
            "request_timeout": WRITE_TIMEOUT_S,
        }
        if self._deployment.waits_for_refresh:
            params["refresh"] = "wait_for"
        index = self._names.written(marker.generation)
        with translate_errors():
            try:
                self._client.index(index=index, id=MARKER_ID, body=_fields(marker), params=params)
            except ConflictError:
                return False
            except RequestError as error:
                if refuses_ids(error.info):
                    raise Unusable(NO_CLASSIC) from None
                raise
        return True

    def marker(self, generation: int | None = None) -> Marker | None:
        index = self._names.searched if generation is None else self._names.written(generation)
        params = {"preference": self._deployment.preference} if self._deployment.preference else {}
        with translate_errors():
            response = self._client.search(index=index, body=marker_query(), params={**params, **_ABSENT_IS_FINE})
        with reading():
            if response.get("status") == 404:
                return None
            if failed(response):
                raise Unavailable("The search index did not say what it holds.")
            return marker_of(response)

    def promote(self, generation: int) -> None:
        alias, index = self._names.searched, self._names.index(generation)
        with translate_errors():
            actions = [{"remove": {"index": one, "alias": alias}} for one in self._searched() if one != index]
            actions.append({"add": {"index": index, "alias": alias}})
            self._client.indices.update_aliases(body={"actions": actions}, params={"request_timeout": WRITE_TIMEOUT_S})

    def refresh(self, generation: int) -> None:
        if not self._deployment.waits_for_refresh:
            return  # Serverless has no such request: it does so by itself within seconds
        with translate_errors():
            params = {"request_timeout": WRITE_TIMEOUT_S}
            response = self._client.indices.refresh(index=self._names.written(generation), params=params)
        with reading():
            if response["_shards"]["failed"]:
                raise Unavailable("The search index does not show what was written.")

    def retire(self, generation: int) -> None:
        index = self._names.index(generation)
        with translate_errors():
            if index in self._searched():
                raise ValueError(f"searches go to generation {generation}: promote another first")
            self._client.indices.delete(index=index, params={"request_timeout": WRITE_TIMEOUT_S, **_ABSENT_IS_FINE})

    def _searched(self) -> Sequence[str]:
        found = self._client.indices.get_alias(name=self._names.searched, params=_ABSENT_IS_FINE)
        return [] if "error" in found else list(found)


def writing_generations(client: OpenSearch, names: Names) -> Mapping[int, VectorSpace]:
    """The generations that writes go to, with the vectors that each holds."""
    with reading():
        return {number: space_of(mappings) for number, mappings in _mappings(client, names).items()}


def _mappings(client: OpenSearch, names: Names) -> Mapping[int, dict[str, Any]]:
    found: Mapping[str, Any] = client.indices.get_mapping(index=names.writers, params=_ABSENT_IS_FINE)
    with reading():
        if "error" in found:
            return {}
        numbered = {names.generation(index): one["mappings"] for index, one in found.items()}
        return {number: mappings for number, mappings in numbered.items() if number is not None}


def _fields(marker: Marker) -> dict[str, Any]:
    return {
        "marker_generation": marker.generation,
        "marker_rules": marker.rules,
        "marker_model": marker.model,
        "marker_complete": marker.complete,
        "marker_beat": marker.beat,
    }

"""What a generation's index looks like: strict, so that a document with another field is refused."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from m4a.adapters.opensearch.deployment import Deployment
from m4a.adapters.opensearch.entries import VectorSpace
from m4a.domain.ranking import K1, B
from m4a.domain.text import RULES

_KEYWORD = {"type": "keyword"}
_MILLIS = {"type": "long"}
GC_DELETES = "15m"
"""As long as a Lambda function may run: an older write of a memory that was deleted since is refused for that time."""


def index_body(deployment: Deployment, space: VectorSpace) -> dict[str, Any]:
    """Settings and mappings. Documents are not kept whole (``_source``): ids and the marker come back without.

    ``_meta`` says how the index was made: a digest of all this and of the token rules, see ``made_as``.
    """
    body: dict[str, Any] = {
        "settings": {"index": _settings(deployment)},
        "mappings": {
            "dynamic": "strict",
            "_source": {"enabled": False},
            "_meta": {"model": space.model, "dimensions": space.dimensions, "rules": RULES},
            "properties": {**_memory_fields(deployment, space), **_marker_fields()},
        },
    }
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    body["mappings"]["_meta"]["digest"] = digest
    return body


def made_as(mappings: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Whether the index with these mappings was made from that body."""
    return mappings.get("_meta", {}).get("digest") == body["mappings"]["_meta"]["digest"]


def space_of(mappings: dict[str, Any]) -> VectorSpace:
    """The vectors that an index was made for. Raises KeyError for an index that is none of ours."""
    meta = mappings["_meta"]
    return VectorSpace(meta["model"], meta["dimensions"])


def _settings(deployment: Deployment) -> dict[str, Any]:
    if not deployment.tunable:
        return {"knn": True}
    return {
        "knn": True,
        "number_of_shards": deployment.shards,
        "number_of_replicas": deployment.replicas,
        # Said, though 1s is the default: an index that was not told stops refreshing when nothing searches it, and the
        # first search then waits.
        "refresh_interval": deployment.refresh_interval,
        "gc_deletes": GC_DELETES,
        "similarity": {"words": {"type": "BM25", "k1": K1, "b": B}},
    }


def _memory_fields(deployment: Deployment, space: VectorSpace) -> dict[str, Any]:
    tokens = {"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
    if deployment.tunable:
        tokens["similarity"] = "words"
    return {
        "owner": _KEYWORD,
        "memory_id": _KEYWORD,
        "type": _KEYWORD,
        "importance": _KEYWORD,
        "tags": _KEYWORD,
        "start": _MILLIS,
        "end": _MILLIS,
        "created": _MILLIS,
        "expires": _MILLIS,
        "tokens": tokens,
        "length": {"type": "integer"},
        "model": _KEYWORD,
        "vector": {
            "type": "knn_vector",
            "dimension": space.dimensions,
            # Of unit vectors the inner product is the cosine; and it is how the ranking compares them.
            "method": {"name": "hnsw", "engine": deployment.engine, "space_type": "innerproduct"},
        },
    }


def _marker_fields() -> dict[str, Any]:
    return {
        "marker_generation": _MILLIS,
        "marker_rules": _KEYWORD,
        "marker_model": _KEYWORD,
        "marker_complete": {"type": "boolean"},
        "marker_beat": _MILLIS,
    }

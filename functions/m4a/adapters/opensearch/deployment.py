"""In what ways the places where OpenSearch runs differ: all of it is here, so that the rest of the adapter is one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from m4a.adapters.errors import Unusable

Engine = Literal["lucene", "faiss"]

NO_CLASSIC = (
    "OpenSearch Serverless Classic vector collections refuse document ids, so M4A can't use them: "
    "use a managed domain, or a collection in a collection group of the generation NEXTGEN."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What a deployment can do.

    ``service``: the name that requests are signed for. ``routing``: whether an owner's documents share a shard.
    ``waits_for_refresh``: whether a write can be answered when it has become searchable. ``tunable``: whether an index
    has settings beyond k-NN (shards, similarity, refreshing). ``preference``: which copies are searched; None: any.
    ``settle_after``: the age at which the sweep takes up an outbox entry: where writes wait for the refresh, it is one
    that the stream has missed, else one that searches should show by then.
    """

    service: Literal["es", "aoss"]
    engine: Engine
    routing: bool
    waits_for_refresh: bool
    tunable: bool
    preference: str | None = None
    shards: int = 1
    replicas: int = 0
    refresh_interval: str = "1s"
    settle_after: timedelta = timedelta(minutes=3)


def managed_domain(
    *,
    engine: Engine = "faiss",
    shards: int = 1,
    replicas: int = 1,
    segment_replication: bool = False,
    refresh_interval: str = "1s",
) -> Deployment:
    """An OpenSearch Service domain, or a cluster of one's own. ``nmslib`` is no choice: new versions don't create it.

    Under segment replication a refresh is waited for on the primary alone, so searches go there.
    """
    return Deployment(
        service="es",
        engine=engine,
        routing=True,
        waits_for_refresh=True,
        tunable=True,
        preference="_primary" if segment_replication else None,
        shards=shards,
        replicas=replicas,
        refresh_interval=refresh_interval,
    )


def local_node(*, refresh_interval: str = "200ms") -> Deployment:
    """The node of ``m4a.local.opensearch_node``: one machine, without the native library of faiss."""
    return managed_domain(engine="lucene", replicas=0, refresh_interval=refresh_interval)


def serverless() -> Deployment:
    """OpenSearch Serverless NextGen: experimental until it has been run on an account."""
    return Deployment(
        service="aoss",
        engine="faiss",
        routing=False,
        waits_for_refresh=False,
        tunable=False,
        settle_after=timedelta(seconds=60),
    )


def refuse_classic(collection_group: Mapping[str, Any] | None) -> None:
    """Raises Unusable unless the description of a collection's group (of ``BatchGetCollectionGroup``) says NEXTGEN.

    A collection in no group (None) is of the generation CLASSIC, and so is a group that names none.
    """
    if (collection_group or {}).get("generation") != "NEXTGEN":
        raise Unusable(NO_CLASSIC)


def refuses_ids(error: object) -> bool:
    """Whether a write failed as it does on a Classic collection, which tells itself by nothing else in its answers."""
    return "document id is not supported" in str(error).lower()

"""The search index of the profile ``aws``, and what keeps it."""

from dataclasses import dataclass

from m4a.adapters.aws_session import found_credentials
from m4a.adapters.dynamodb.index_state import DynamoIndexState
from m4a.adapters.dynamodb.maintenance import DynamoMaintenance
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.dynamodb.truth import DynamoTruth
from m4a.adapters.opensearch.client import Signing, connect
from m4a.adapters.opensearch.collections import refuse_classic_at
from m4a.adapters.opensearch.deployment import Deployment, local_node, managed_domain, serverless
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.adapters.opensearch.index import OpenSearchIndex
from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.application.indexing import Indexing
from m4a.bootstrap.embedders import bedrock_model
from m4a.settings import Settings


@dataclass(frozen=True, slots=True)
class Search:
    """``index`` answers searches, ``indexing`` brings changes into it."""

    index: OpenSearchIndex
    indexing: Indexing


def connect_search(settings: Settings, table: Table) -> Search:
    """Raises Unusable for a Serverless Classic collection."""
    deployment = _deployment(settings)
    client = connect(settings.search_url or "", _signing(settings, deployment))
    state = DynamoIndexState(table)
    indexing = Indexing(
        truth=DynamoTruth(table),
        writer=OpenSearchWriter(client, settings.index_prefix, deployment),
        filler=lambda number: OpenSearchWriter(client, settings.index_prefix, deployment, filling=number),
        admin=OpenSearchGenerations(client, settings.index_prefix, deployment),
        state=state,
        outbox=DynamoMaintenance(table),
        dimensions=bedrock_model(settings.embedding_model, "M4A_EMBEDDING_MODEL").dimensions,
        settle_after=deployment.settle_after,
    )
    return Search(OpenSearchIndex(client, settings.index_prefix, deployment, expected=state.recent), indexing)


def _deployment(settings: Settings) -> Deployment:
    if settings.search_service == "serverless":
        refuse_classic_at(settings.search_url or "", settings.region or "")
        return serverless()
    if settings.search_service == "node":
        return local_node()
    return managed_domain(
        engine=settings.search_engine,
        shards=settings.search_shards,
        replicas=settings.search_replicas,
        segment_replication=settings.segment_replication,
    )


def _signing(settings: Settings, deployment: Deployment) -> Signing | None:
    if settings.search_service == "node":
        return None
    return Signing(found_credentials(), settings.region or "", deployment.service)

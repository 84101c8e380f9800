"""The aws profile for tests: its backends run once, and each test has a table and an index of its own on them."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from opensearchpy import OpenSearch

from m4a.adapters.dynamodb.client import Client, client_from
from m4a.adapters.opensearch.client import connect
from m4a.bootstrap import load_embedder
from m4a.local.bedrock_stand_in import BedrockStandIn
from m4a.local.dynamodb_stand_in import CREDENTIALS, DynamoStandIn
from m4a.local.stack import REGION, stack_settings, use_local_credentials
from m4a.local.table import create_table
from m4a.ports import Embedder

_numbers = count(1)


@dataclass(frozen=True)
class Backends:
    """Where they answer, with clients for what tests do past the product. ``embedder``: the model behind Bedrock's
    endpoint, through the adapter."""

    dynamodb: str
    search: str
    bedrock: str
    tables: Client
    indices: OpenSearch
    embedder: Embedder

    @contextmanager
    def fresh_names(self) -> Generator[str]:
        """The name of a new, empty table, which is also the prefix of an index that is not made yet. Both are removed
        afterwards."""
        name = f"test-{os.getpid()}-{next(_numbers)}"
        create_table(self.tables, name)
        try:
            yield name
        finally:
            self.indices.indices.delete(index=f"{name}-*")
            self.tables("delete_table", TableName=name)


@contextmanager
def running_backends(search: str, model: Embedder) -> Generator[Backends]:
    """DynamoDB and Bedrock, beside the OpenSearch node at this address."""
    use_local_credentials()
    with DynamoStandIn() as dynamodb, BedrockStandIn(model) as bedrock:
        indices = connect(search, timeout_s=20)
        yield Backends(
            dynamodb=dynamodb.address,
            search=search,
            bedrock=bedrock.address,
            tables=client_from(REGION, dynamodb.address, CREDENTIALS),
            indices=indices,
            embedder=load_embedder(stack_settings(dynamodb.address, search, bedrock.address)),
        )
        indices.close()

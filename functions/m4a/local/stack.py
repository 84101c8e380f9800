"""The aws profile whole on this machine: DynamoDB and its stream, OpenSearch, a Bedrock endpoint, the indexer."""

import json
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from m4a.adapters.bedrock.models import STAND_IN
from m4a.adapters.dynamodb.client import client_from
from m4a.application.index_upkeep import init_index
from m4a.application.indexing import Indexing
from m4a.bootstrap import Operator, build_operator
from m4a.entrypoints.stream import index_records
from m4a.local.bedrock_stand_in import BedrockStandIn
from m4a.local.dynamodb_stand_in import CREDENTIALS, DynamoStandIn
from m4a.local.opensearch_node import OpenSearchNode
from m4a.local.opensearch_node.node import DEFAULT_HEAP
from m4a.local.server import DEFAULT_HOST, listen
from m4a.local.stream_poller import StreamPoller, stream_client
from m4a.local.table import create_table
from m4a.ports import Embedder
from m4a.settings import PREFIX, Settings

REGION = "eu-central-1"
TABLE = "m4a-local"
ENVIRONMENT_FILE = "events/local-env.json"
HOST_OF_CONTAINERS = "host.docker.internal"
"""How a container names the machine that it runs on."""
_THE_CALLERS = ("tenant_claim", "default_user", "issuer", "resource_url")
"""Settings that say who calls, and not which backends answer."""
_OF_AN_ACCOUNT = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN")


class Ports(NamedTuple):
    """Where the backends listen; 0: any free port."""

    dynamodb: int = 0
    search: int = 0
    bedrock: int = 0


_ANY_PORTS = Ports()


@dataclass(frozen=True)
class Stack:
    """A running stack: its settings, the service on it, and the indexer's poller."""

    settings: Settings
    operator: Operator
    poller: StreamPoller


def use_local_credentials() -> None:
    """Makes boto3 in this process call the stand-ins: with credentials, of which they take any, and past any proxy."""
    key, secret = CREDENTIALS
    for name in _OF_AN_ACCOUNT:
        os.environ.pop(name, None)
    os.environ.update(AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY=secret, AWS_EC2_METADATA_DISABLED="true")
    direct = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    os.environ["no_proxy"] = f"{direct},{DEFAULT_HOST}" if direct else DEFAULT_HOST


@contextmanager
def running_stack(
    home: Path,
    embedder: Embedder,
    say: Callable[[str], None],
    *,
    ports: Ports = _ANY_PORTS,
    heap: str = DEFAULT_HEAP,
    base: Settings | None = None,
) -> Generator[Stack]:
    """Starts all of it and ends it again. ``home`` holds the node's data; the table lives in memory. ``base``: settings
    that say who calls. Raises CannotStart for a port that is taken, and NodeFailed."""
    use_local_credentials()
    for port in ports:
        listen(DEFAULT_HOST, port, open_to_all=False).close()
    say("Starting DynamoDB and the Bedrock endpoint …")
    with DynamoStandIn(ports.dynamodb) as dynamodb, BedrockStandIn(embedder, ports.bedrock) as bedrock:
        say("Starting OpenSearch …")
        with OpenSearchNode(home, heap, port=ports.search, say=say) as node:
            settings = stack_settings(dynamodb.address, node.address(), bedrock.address, base=base)
            create_table(client_from(REGION, dynamodb.address, CREDENTIALS), TABLE)
            say("Making the search index …")
            with on_stack(settings) as stack:
                yield stack


@contextmanager
def on_stack(
    settings: Settings, *, around: Callable[[Indexing], Indexing] | None = None, **replaced: Any
) -> Generator[Stack]:
    """The service and the indexer on backends that run already; ``around``: put around the indexer's ports;
    ``replaced``: adapters for ``build_operator``."""
    operator = build_operator(settings, **replaced)
    indexing = around(operator.indexing) if around and operator.indexing else operator.indexing
    if indexing is None or settings.dynamodb_url is None or settings.table is None:
        raise ValueError("the settings are not those of a local stack")
    init_index(indexing, operator.service.embedder.model, operator.maintenance)
    streams = stream_client(REGION, settings.dynamodb_url)
    try:
        with StreamPoller(streams, settings.table, partial(index_records, indexing)) as poller:
            yield Stack(settings, replace(operator, indexing=indexing), poller)
    finally:
        operator.service.close()


def stack_settings(
    dynamodb: str, search: str, bedrock: str, table: str = TABLE, prefix: str = "memories", base: Settings | None = None
) -> Settings:
    """Settings of the aws profile on these addresses."""
    return Settings.model_validate(
        {
            **(base.model_dump(include=set(_THE_CALLERS), exclude_defaults=True) if base else {}),
            "profile": "aws",
            "region": REGION,
            "table": table,
            "search_url": search,
            "search_service": "node",
            "embedding_model": STAND_IN.invoke_id,
            "index_prefix": prefix,
            "dynamodb_url": dynamodb,
            "bedrock_url": bedrock,
        }
    )


def variables_of(settings: Settings, host: str = DEFAULT_HOST) -> Mapping[str, str]:
    """The settings as variables, for a program that calls this machine ``host``."""
    given = settings.model_dump(mode="json", exclude_defaults=True)
    here, there = f"//{DEFAULT_HOST}:", f"//{host}:"
    return {f"{PREFIX}{name.upper()}": str(value).replace(here, there) for name, value in given.items()}


def credentials_of_the_stack() -> Mapping[str, str]:
    """What boto3 has to find in the environment of a program that uses the stack: the stand-ins take any."""
    key, secret = CREDENTIALS
    return {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": REGION}


def write_environment(settings: Settings, path: Path, host: str) -> None:
    """The variables in the form of ``sam local invoke --env-vars``, which brings credentials of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"Parameters": variables_of(settings, host)}, indent=2) + "\n", "utf-8")

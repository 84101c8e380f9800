"""Which generation a Serverless collection is of: only the service's own description tells it before a write fails."""

import logging
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from m4a.adapters.aws_session import aws_client
from m4a.adapters.opensearch.deployment import refuse_classic

_CONFIG = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
_ADDRESS = re.compile(r"https?://([a-z0-9]+)\.[a-z0-9-]+\.aoss\.")

_log = logging.getLogger(__name__)


class _Untold(Exception):
    """The service does not say what was asked."""


def refuse_classic_at(address: str, region: str) -> None:
    """Raises Unusable for the address of a Classic collection.

    The service is asked once a process. Where it does not tell, for lack of a permission or because the address names
    no collection, that is logged and nothing is refused: then the first write fails with the same sentence.
    """
    told, group = _group_at(address, region)
    if told:
        refuse_classic(group)


@cache
def _group_at(address: str, region: str) -> tuple[bool, Mapping[str, Any] | None]:
    """Whether the service tells, and the description of the collection's group; None for a collection in no group."""
    try:
        return True, _ask(address, region)
    except (BotoCoreError, ClientError, _Untold) as error:
        _log.warning("the generation of the search collection is not known: %s", type(error).__name__)
        return False, None


def _ask(address: str, region: str) -> Mapping[str, Any] | None:
    named = _ADDRESS.match(address)
    if not named:
        raise _Untold
    client = aws_client("opensearchserverless", region, None, _CONFIG)
    collection = _only(client.batch_get_collection(ids=[named[1]])["collectionDetails"])
    group = collection.get("collectionGroupName")
    return _only(client.batch_get_collection_group(names=[group])["collectionGroupDetails"]) if group else None


def _only(found: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    if len(found) != 1:
        raise _Untold
    return found[0]

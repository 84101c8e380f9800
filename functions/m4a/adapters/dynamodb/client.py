"""The part of a DynamoDB client that this package uses, and how one is made."""

from collections.abc import Mapping
from typing import Any, Protocol

import boto3
from botocore.config import Config

CONNECTIONS = 32
"""Kept open at most: the threads of a recall and of a sweep read at once."""
_CONFIG = Config(
    connect_timeout=1,
    read_timeout=3,
    retries={"mode": "standard", "total_max_attempts": 2},
    max_pool_connections=CONNECTIONS,
    tcp_keepalive=True,
)


class Client(Protocol):
    """Sends one request: ``client("get_item", TableName=..., Key=...)``, operations named as boto3 names them.

    Raises what boto3 raises. That it is one call keeps what stands between, such as a counter of units, small.
    """

    def __call__(self, operation: str, /, **request: Any) -> Mapping[str, Any]: ...


def client_from(region: str, endpoint: str | None = None, credentials: tuple[str, str] | None = None) -> Client:
    """A client for threads to share. ``endpoint``: a URL in place of the region's own. ``credentials``: access key and
    secret, in place of those that boto3 finds.

    Two attempts for one request, so that a commit's own retries, which tell an unknown outcome from a collision, get
    their turn within a caller's time.
    """
    sdk: Any = boto3  # the stubs of its factory are unknown in part
    access_key, secret = credentials or (None, None)
    boto = sdk.client(
        "dynamodb",
        region_name=region,
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret,
        config=_CONFIG,
    )

    def send(operation: str, /, **request: Any) -> Mapping[str, Any]:
        return getattr(boto, operation)(**request)

    return send

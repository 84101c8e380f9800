"""How a Bedrock client is made."""

from typing import Any

import boto3
from botocore.config import Config

from m4a.adapters.bedrock.embedder import CONCURRENT_CALLS, BedrockRuntime
from m4a.adapters.boto_logging import keep_bodies_out
from m4a.adapters.boto_waits import bound_waits


def bedrock_client(region: str, endpoint: str | None = None, timeout_s: float = 5.0) -> BedrockRuntime:
    """A client for threads to share, which waits so long for an answer and asks a second time, within the time that is
    left. ``endpoint``: a URL in place of the region's own."""
    config = Config(
        connect_timeout=1,
        read_timeout=timeout_s,
        retries={"mode": "standard", "total_max_attempts": 2},
        max_pool_connections=4 * CONCURRENT_CALLS,
    )
    keep_bodies_out()
    sdk: Any = boto3  # its stubs are partly unknown for services that are not installed
    client = sdk.client("bedrock-runtime", region_name=region, endpoint_url=endpoint, config=config)
    bound_waits(client, timeout_s)
    return client

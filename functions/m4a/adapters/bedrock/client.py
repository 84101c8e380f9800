"""How a Bedrock client is made."""

from botocore.config import Config

from m4a.adapters.aws_session import aws_client
from m4a.adapters.bedrock.embedder import CONCURRENT_CALLS, BedrockRuntime
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
    client: BedrockRuntime = aws_client("bedrock-runtime", region, endpoint, config)
    bound_waits(client, timeout_s)
    return client

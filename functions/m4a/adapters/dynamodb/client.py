"""The part of a DynamoDB client that this package uses, and how one is made."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol
from zlib import crc32

from botocore.config import Config
from botocore.parsers import ResponseParserError

from m4a.adapters.aws_session import aws_client
from m4a.adapters.boto_waits import bound_waits

CONNECTIONS = 32
"""Kept open at most: the threads of a recall and of a sweep read at once."""
READ_TIMEOUT_S = 3.0
_CONFIG = Config(
    connect_timeout=1,
    retries={"mode": "standard", "total_max_attempts": 2},
    max_pool_connections=CONNECTIONS,
    tcp_keepalive=True,
)


class Client(Protocol):
    """Sends one request: ``client("get_item", TableName=..., Key=...)``, operations named as botocore names them.

    Raises what botocore raises. That it is one call keeps what stands between, such as a counter of units, small.
    """

    def __call__(self, operation: str, /, **request: Any) -> Mapping[str, Any]: ...


def client_from(
    region: str,
    endpoint: str | None = None,
    credentials: tuple[str, str] | None = None,
    *,
    read_timeout_s: float = READ_TIMEOUT_S,
) -> Client:
    """A client for threads to share. ``endpoint``: a URL in place of the region's own. ``credentials``: access key and
    secret, in place of those that botocore finds.

    Two attempts for one request, but one for a transaction: of a first attempt whose answer was lost and a second that
    was refused, only the refusal would be told. Who sends it tries again, and knows how each attempt ended.
    How waits keep to a caller's time: see ``bound_waits``.
    """
    config = _CONFIG.merge(Config(read_timeout=read_timeout_s))
    boto = aws_client("dynamodb", region, endpoint, config, credentials)
    boto.meta.events.register("before-parse.dynamodb", _check_origin)
    bound_waits(boto, read_timeout_s)
    boto.meta.events.register_first("needs-retry.dynamodb.TransactWriteItems", _not_again)

    def send(operation: str, /, **request: Any) -> Mapping[str, Any]:
        return getattr(boto, operation)(**request)

    return send


def _not_again(**_: Any) -> Literal[False]:
    return False


def _check_origin(response_dict: Mapping[str, Any], **_: Any) -> None:
    """Raises ResponseParserError for an answer that is not, or not wholly, DynamoDB's own: botocore reads a gateway's
    page as one that holds nothing, by which a write would count as done and a memory as gone. An empty object says as
    much of its own accord, so an answer of success has to carry the checksum that DynamoDB puts on each."""
    if response_dict["status_code"] >= 500:
        return  # told by its status
    headers, body = response_dict["headers"], response_dict["body"]
    checksum = headers.get("x-amz-crc32")
    wrong = checksum != str(crc32(body)) if checksum else response_dict["status_code"] < 300
    if wrong or "json" not in headers.get("content-type", ""):
        raise ResponseParserError("not an answer of DynamoDB")

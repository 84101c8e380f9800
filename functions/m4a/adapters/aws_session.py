"""The AWS SDK of this process: its clients and credentials.

One botocore session for all of them: each session costs as much as a client. boto3 adds nothing that is used here, and
takes a tenth of a function's start.
"""

from functools import cache
from typing import Any

from botocore import session as botocore_session
from botocore.config import Config

from m4a.adapters.boto_logging import keep_bodies_out


def aws_client(
    service: str,
    region: str,
    endpoint: str | None,
    config: Config,
    credentials: tuple[str, str] | None = None,
) -> Any:
    """A client for threads to share. ``endpoint``: a URL in place of the region's own. ``credentials``: access key and
    secret, in place of those that the SDK finds."""
    keep_bodies_out()
    access_key, secret = credentials or (None, None)
    return session().create_client(
        service,
        region_name=region,
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key=secret,
        config=config,
    )


def found_credentials() -> Any:
    """As the SDK finds them, refreshed by themselves."""
    return session().get_credentials()


@cache
def session() -> Any:
    """The session of this process, made when it is first needed."""
    sdk: Any = botocore_session  # its stubs are partly unknown
    return sdk.get_session()

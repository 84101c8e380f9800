"""The credentials of this process."""

from typing import Any

import boto3


def credentials() -> Any:
    """As boto3 finds them, refreshed by themselves. The session is the one that boto3 makes clients with: to make
    another costs as much as a client."""
    sdk: Any = boto3
    if sdk.DEFAULT_SESSION is None:
        sdk.setup_default_session()
    return sdk.DEFAULT_SESSION.get_credentials()

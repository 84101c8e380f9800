"""The credentials of this process."""

from typing import Any

import boto3


def credentials() -> Any:
    """As boto3 finds them, refreshed by themselves. The session is the one that boto3 makes clients with: to make
    another costs as much as a client."""
    sdk: Any = boto3
    if not sdk.DEFAULT_SESSION:
        sdk.setup_default_session()
    session: Any = sdk.DEFAULT_SESSION
    return session.get_credentials()

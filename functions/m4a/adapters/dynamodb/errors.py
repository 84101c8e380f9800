"""DynamoDB's errors in the words of the domain: the one place where they are told apart."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from botocore.exceptions import (
    ClientError,
    CredentialRetrievalError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
)
from botocore.exceptions import ConnectionError as NotConnected
from botocore.parsers import ResponseParserError

from m4a.domain.errors import Throttled, Unavailable

_THROTTLED = {
    "LimitExceededException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "Throttling",
    "ThrottlingException",
    "TransactionConflictException",
}
_UNDER_WAY = "TransactionInProgressException"
"""Of a write: an earlier attempt at it has not ended, and may yet be applied."""
_REFUSED = "The store's database refused this program's credentials."
_MISCONFIGURED: Mapping[str, str] = {
    "AccessDeniedException": _REFUSED,
    "ExpiredTokenException": _REFUSED,
    "IncompleteSignature": _REFUSED,
    "InvalidClientTokenId": _REFUSED,
    "InvalidSignatureException": _REFUSED,
    "MissingAuthenticationToken": _REFUSED,
    "UnrecognizedClientException": _REFUSED,
    "ResourceNotFoundException": "The store's table does not exist.",
}
OVERRUN = "The store's database is overrun. Try again."
_NOT_MENDED_SOON_S = 30


@contextmanager
def translate_errors() -> Generator[None]:
    """Raises Throttled for a table that is overrun: the attempt that it refused changed nothing. Raises Unavailable for
    one that did not answer, failed, or does not let this program in; a write may then have been applied all the same.

    Other errors of DynamoDB are mistakes in this package and pass through.
    """
    try:
        yield
    except ClientError as error:
        translated = _translated(error)
        if translated is None:
            raise
        raise translated from error
    except (NotConnected, HTTPClientError, ResponseParserError) as error:
        raise Unavailable("The store's database did not answer.") from error
    except (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError) as error:
        raise Unavailable("The store's database needs credentials, and there are none.", _NOT_MENDED_SOON_S) from error


def _translated(error: ClientError) -> Throttled | Unavailable | None:
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _THROTTLED or status == 429:
        return Throttled(OVERRUN)
    if code == _UNDER_WAY:
        return Unavailable("The store's database is still busy with an earlier attempt.")
    if code in _MISCONFIGURED:
        return Unavailable(_MISCONFIGURED[code], _NOT_MENDED_SOON_S)
    if status >= 500 or code in ("InternalServerError", "ServiceUnavailable"):
        return Unavailable("The store's database failed.")
    return None

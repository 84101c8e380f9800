"""Bedrock's errors in the words of the domain: the one place where they are told apart."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
)
from botocore.parsers import ResponseParserError

from m4a.domain.errors import Throttled, Unavailable

_THROTTLED = {
    "ModelNotReadyException",
    "ServiceQuotaExceededException",
    "ThrottlingException",
    "TooManyRequestsException",
}
_NOT_LET_IN = "The embedding model is not open to this program: it lacks credentials for it, or access to the model."
_MISCONFIGURED: Mapping[str, str] = {
    "AccessDeniedException": _NOT_LET_IN,
    "ExpiredTokenException": _NOT_LET_IN,
    "InvalidSignatureException": _NOT_LET_IN,
    "UnrecognizedClientException": _NOT_LET_IN,
    "ResourceNotFoundException": "The embedding model does not exist in this region.",
}
_NOT_MENDED_SOON_S = 30


@contextmanager
def translate_errors() -> Generator[None]:
    """Raises Throttled for a model that takes no more at the moment, Unavailable for every other answer that is none,
    and for one that makes no sense. No message quotes what was sent."""
    try:
        yield
    except ClientError as error:
        raise _translated(error) from error
    except (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError) as error:
        raise Unavailable("The embedding model needs credentials, and there are none.", _NOT_MENDED_SOON_S) from error
    except (BotoCoreError, ResponseParserError) as error:
        raise Unavailable("The embedding model did not answer.") from error
    except (ArithmeticError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise Unavailable("The embedding model answered something that is no embedding.") from error


def _translated(error: ClientError) -> Throttled | Unavailable:
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _THROTTLED or status == 429:
        return Throttled("The embedding model takes no more requests at the moment.")
    if code in _MISCONFIGURED:
        return Unavailable(_MISCONFIGURED[code], _NOT_MENDED_SOON_S)
    if status >= 500:
        return Unavailable("The embedding model failed.")
    return Unavailable("The embedding model refused the request.")

"""DynamoDB's errors in the words of the domain, and how long things are tried again."""

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)

from m4a.adapters.dynamodb.errors import translate_errors
from m4a.adapters.dynamodb.retries import LONGEST_PAUSE_S, attempts
from m4a.domain.errors import M4AError, Throttled, Unavailable
from tests.support.dynamodb import client_error

SECRET = "the cat sleeps on the red sofa"


def translated(error: Exception) -> M4AError:
    with pytest.raises(M4AError) as raised, translate_errors():
        raise error
    assert raised.value.__cause__ is error
    return raised.value


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("ProvisionedThroughputExceededException", 400, Throttled),
        ("ThrottlingException", 400, Throttled),
        ("RequestLimitExceeded", 400, Throttled),
        ("TransactionInProgressException", 400, Unavailable),
        ("TooManyRequests", 429, Throttled),
        ("InternalServerError", 500, Unavailable),
        ("ServiceUnavailable", 503, Unavailable),
        ("Unknown", 502, Unavailable),
        ("ResourceNotFoundException", 400, Unavailable),
        ("AccessDeniedException", 400, Unavailable),
        ("ExpiredTokenException", 400, Unavailable),
    ],
)
def test_what_dynamodb_answers_is_told_apart(code: str, status: int, kind: type[M4AError]) -> None:
    error = client_error("GetItem", code, status, Message=SECRET)
    assert type(translated(error)) is kind
    assert SECRET not in translated(error).message


@pytest.mark.parametrize(
    "error",
    [
        EndpointConnectionError(endpoint_url=SECRET),
        ConnectTimeoutError(endpoint_url=SECRET),
        ReadTimeoutError(endpoint_url=SECRET),
        NoCredentialsError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_no_answer_is_unavailable_and_its_text_stays_inside(error: BotoCoreError) -> None:
    found = translated(error)
    assert isinstance(found, Unavailable)
    assert SECRET not in found.message
    assert found.retry_after >= 1


@pytest.mark.parametrize(
    "error",
    [client_error("Query", "ValidationException"), ParamValidationError(report="x"), ZeroDivisionError()],
    ids=lambda error: type(error).__name__,
)
def test_a_mistake_of_ours_passes_through(error: Exception) -> None:
    with pytest.raises((ClientError, ParamValidationError, ZeroDivisionError)) as raised, translate_errors():
        raise error
    assert raised.value is error


def test_attempts_are_bounded_and_parted_by_growing_pauses() -> None:
    pauses: list[float] = []
    assert list(attempts(8, 60.0, pauses.append)) == list(range(8))
    assert len(pauses) == 7
    assert all(pause <= bound for pause, bound in zip(pauses, (0.05, 0.1, 0.2, 0.4, 0.8, 1, 1), strict=True))
    assert max(pauses) <= LONGEST_PAUSE_S


def test_no_attempt_is_made_beyond_the_budget() -> None:
    pauses: list[float] = []
    assert list(attempts(5, 0.0, pauses.append)) == [0]
    assert pauses == []

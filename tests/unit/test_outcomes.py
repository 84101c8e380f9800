import json
import logging
import re

import pytest

from m4a.domain import errors
from m4a.domain.errors import Conflict, Internal, InvalidInput, M4AError, NotFound, Throttled, Unavailable
from m4a.entrypoints.http import Response
from m4a.entrypoints.outcomes import OUTCOMES, Refusal, known, problem, status_of

CONTRACT = {
    "invalid_input": (400, "REPROMPT", "is_error"),
    "unauthenticated": (401, "FAILURE", "http_status"),
    "forbidden": (403, "FAILURE", "http_status"),
    "not_found": (404, "REPROMPT", "is_error"),
    "conflict": (409, "REPROMPT", "is_error"),
    "too_large": (413, "REPROMPT", "is_error"),
    "throttled": (429, "REPROMPT", "is_error"),
    "unavailable": (503, "FAILURE", "is_error"),
    "internal": (500, "FAILURE", "json_rpc_internal"),
}


def test_every_code_has_the_outcome_that_the_contract_gives_it() -> None:
    assert {code: (row.status, row.bedrock, row.mcp) for code, row in OUTCOMES.items()} == CONTRACT


def test_every_error_class_has_an_outcome() -> None:
    classes = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, M4AError)]
    assert {one.code for one in classes} == set(OUTCOMES)


def test_a_problem_carries_the_standard_members_and_what_the_error_adds() -> None:
    body = problem(InvalidInput.of("limit", "is out of range", "a whole number from 1 to 50"), "r-1")
    assert body == {
        "type": "urn:m4a:error:invalid_input",
        "title": "Invalid input",
        "status": 400,
        "detail": "limit: is out of range",
        "code": "invalid_input",
        "request_id": "r-1",
        "errors": [{"field": "limit", "message": "is out of range", "allowed": "a whole number from 1 to 50"}],
    }


def test_a_conflict_shows_its_reason_and_the_current_state() -> None:
    body = problem(Conflict("It has moved on.", "version", {"version": 3}), "r-1")
    assert (body["status"], body["reason"], body["current"]) == (409, "version", {"version": 3})


def test_an_unknown_exception_gives_nothing_of_itself_away(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        try:
            raise ZeroDivisionError("the cat sleeps on the red sofa")
        except ZeroDivisionError as error:
            body = problem(error, "r-7")
    assert (body["status"], body["code"], body["request_id"]) == (500, "internal", "r-7")
    assert "sofa" not in json.dumps(body) and "ZeroDivision" not in json.dumps(body)
    assert re.fullmatch(r"ZeroDivisionError at test_outcomes\.py:\d+, request r-7", caplog.messages[0])
    assert "sofa" not in caplog.text


def test_the_text_of_an_internal_error_of_ours_is_not_shown_either() -> None:
    assert "sofa" not in known(Internal("row for the red sofa is broken"), "r-1").message


def test_a_refusal_has_a_status_of_its_own_under_the_code_of_invalid_input() -> None:
    refusal = Refusal(405, "method", "is not one that this path takes", "GET, POST")
    assert (status_of(refusal), refusal.code) == (405, "invalid_input")


@pytest.mark.parametrize(
    ("error", "header", "value"),
    [
        (Throttled("Too much.", 2), "retry-after", "2"),
        (Unavailable("The store is down.", 7), "retry-after", "7"),
        (errors.Unauthenticated("Who is it?"), "www-authenticate", "Bearer"),
        (Refusal(405, "method", "is not one that this path takes", "GET, POST"), "allow", "GET, POST"),
    ],
)
def test_a_status_brings_the_header_that_belongs_to_it(error: M4AError, header: str, value: str) -> None:
    assert Response.problem(error, "r-1").headers[header] == value


def test_a_problem_is_sent_under_its_own_content_type() -> None:
    response = Response.problem(NotFound("There is no such memory."), "r-1")
    assert response.status == 404
    assert response.headers == {"content-type": "application/problem+json"}

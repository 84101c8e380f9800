"""Events that are not of the format that is taken, and spellings of UTF-8."""

from typing import Any

import pytest

from m4a.domain.errors import InvalidInput
from m4a.entrypoints.http import read_request
from tests.unit.test_http import Clockless, event, posted

REST_EVENT = {
    "version": "1.0",
    "resource": "/tools/recall",
    "path": "/tools/recall",
    "httpMethod": "POST",
    "body": "{}",
}


@pytest.mark.parametrize(
    "other",
    [
        {**REST_EVENT, "requestContext": {"httpMethod": "POST", "path": "/tools/recall", "requestId": "r"}},
        {},
        event(rawPath=None),
        event(requestContext="none"),
        event(requestContext={"http": {"method": None}}),
        event(body={"query": "tea"}),
        event(body=["tea"]),
        event(body={}),
    ],
)
def test_an_event_of_another_format_is_refused_by_the_name_of_the_one_that_is_taken(other: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="another format") as refused:
        read_request(other, Clockless())
    assert refused.value.problems[0].allowed == "payload format 2.0 of an API Gateway HTTP API"


@pytest.mark.parametrize("name", ["utf-8", "UTF-8", "utf8", "UTF8", '"utf8"'])
def test_every_spelling_of_utf_8_is_taken(name: str) -> None:
    assert posted("{}", f"application/json; charset={name}").json_object() == {}

import base64
import json
from typing import Any

import pytest

from m4a.domain.errors import InvalidInput, TooLarge
from m4a.entrypoints.http import NDJSON, Request, Response, read_request
from m4a.entrypoints.outcomes import Refusal, status_of
from m4a.entrypoints.time_left import DEFAULT_SECONDS, RESERVE_S, in_time, seconds_left_in
from m4a.ports.deadline import seconds_left


class Clockless:
    """A context with a request id and the time that is left."""

    aws_request_id = "lambda-1"

    def get_remaining_time_in_millis(self) -> int:
        return 5_000


def event(**changes: Any) -> dict[str, Any]:
    return {
        "version": "2.0",
        "routeKey": "POST /tools/recall",
        "rawPath": "/tools/recall",
        "headers": {"Content-Type": "application/json", "M4A-On-Behalf-Of": "ana"},
        "requestContext": {
            "http": {"method": "POST"},
            "requestId": "api-1",
            "stage": "$default",
            "authorizer": {"jwt": {"claims": {"sub": "ana"}, "scopes": None}},
        },
        "cookies": ["sub=mallory"],
        "body": '{"query": "tea"}',
        "isBase64Encoded": False,
        **changes,
    }


def posted(body: str | bytes, content_type: str | None = "application/json", base64_encoded: bool = False) -> Request:
    headers = {} if content_type is None else {"content-type": content_type}
    return Request(
        method="POST",
        path="/x",
        request_id="r-1",
        headers=headers,
        raw_body=body,
        base64_encoded=base64_encoded,
    )


def test_an_event_is_read_whole() -> None:
    request = read_request(event(queryStringParameters={"limit": "5"}, pathParameters={"memory_id": "m"}), Clockless())
    assert (request.method, request.path, request.request_id) == ("POST", "/tools/recall", "api-1")
    assert request.headers == {"content-type": "application/json", "m4a-on-behalf-of": "ana"}
    assert (request.query, request.params) == ({"limit": "5"}, {"memory_id": "m"})
    assert request.claims == {"sub": "ana"}
    assert request.json_object() == {"query": "tea"}


def test_the_time_that_is_left_is_the_contexts_less_what_the_answer_takes() -> None:
    with in_time(Clockless()):
        assert 0 < seconds_left() <= 5 - RESERVE_S
    assert seconds_left_in(None) == DEFAULT_SECONDS


def test_a_null_section_counts_as_empty() -> None:
    request = read_request(event(headers=None, queryStringParameters=None, pathParameters=None, body=None), None)
    assert (request.headers, request.query, request.params) == ({}, {}, {})
    assert request.raw_body == ""


def test_an_event_without_an_authorizer_has_no_claims() -> None:
    about = {"http": {"method": "GET"}, "authorizer": None}
    assert read_request(event(requestContext=about), Clockless()).claims == {}


def test_without_the_apis_id_the_functions_id_is_the_request_id() -> None:
    assert read_request(event(requestContext={"http": {"method": "GET"}}), Clockless()).request_id == "lambda-1"


@pytest.mark.parametrize(
    ("raw", "stage", "path"),
    [
        ("/memories", "$default", "/memories"),
        ("/memories/", "$default", "/memories"),
        ("/prod/memories", "prod", "/memories"),
        ("/prod/memories/", "prod", "/memories"),
        ("/production/memories", "prod", "/production/memories"),
        ("/", "$default", "/"),
        ("/prod/", "prod", "/"),
    ],
)
def test_the_stage_and_a_trailing_slash_are_not_part_of_the_path(raw: str, stage: str, path: str) -> None:
    about = {"http": {"method": "GET"}, "stage": stage}
    assert read_request(event(rawPath=raw, requestContext=about), None).path == path


def test_a_base64_body_is_decoded() -> None:
    body = base64.b64encode('{"content": "Tee für drei"}'.encode()).decode()
    assert posted(body, base64_encoded=True).json_object() == {"content": "Tee für drei"}


def test_broken_base64_names_the_body() -> None:
    with pytest.raises(InvalidInput, match=r"^body: "):
        posted("a?b", base64_encoded=True).json_object()


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json;charset=utf-8;x=1",
        "application/json; x=1; charset=utf-8",
        "application/json; profile=a; q",
        "application/json ; charset = utf8",
        "application/json;",
    ],
)
def test_the_json_content_type_is_taken_in_every_spelling(content_type: str) -> None:
    assert posted("{}", content_type).json_object() == {}


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; x=1; charset=latin-1",
        "application/json; charset=utf-8; charset=utf-16",
        "application/json; charset",
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin-1",
        "json",
        NDJSON,
    ],
)
def test_another_content_type_is_refused_with_415(content_type: str | None) -> None:
    with pytest.raises(Refusal) as caught:
        posted("{}", content_type).json_object()
    assert (status_of(caught.value), caught.value.code) == (415, "invalid_input")
    assert caught.value.problems[0].allowed == "application/json"


def test_a_body_is_taken_up_to_its_limit_and_no_further() -> None:
    padded = '{"content": "tea"}'.ljust(1_000_000)
    assert posted(padded).json_object() == {"content": "tea"}
    with pytest.raises(TooLarge):
        posted(padded + " ").json_object()


def test_the_limit_counts_bytes_after_base64() -> None:
    body = base64.b64encode(b"{}".ljust(1_000_001)).decode()
    with pytest.raises(TooLarge):
        posted(body, base64_encoded=True).json_object()


def test_json_lines_have_a_content_type_and_a_limit_of_their_own() -> None:
    lines = b"{}\n" * 400_000
    assert posted(lines, NDJSON).body(NDJSON, 5_000_000) == lines
    with pytest.raises(Refusal):
        posted(b"{}").body(NDJSON, 5_000_000)


def test_a_json_reply_is_compact_and_keeps_its_characters() -> None:
    reply = Response.json({"content": "茶 ✓"}).to_event("r-1")
    assert reply["body"] == '{"content":"茶 ✓"}'
    assert reply["headers"] == {
        "content-type": "application/json",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "x-request-id": "r-1",
    }
    assert (reply["statusCode"], reply["isBase64Encoded"]) == (200, False)


def test_a_reply_with_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        Response.json({"score": float("nan")})


def test_a_reply_can_always_be_sent_as_utf_8() -> None:
    body = Response.json({"\ud800": "\udfff"}).to_event("r-1")["body"]
    assert json.loads(body.encode("utf-8")) == {"\ud800": "\udfff"}


def test_bytes_travel_in_base64() -> None:
    reply = Response(headers={"content-type": "image/png"}, body=b"\x89PNG").to_event("r-1")
    assert (base64.b64decode(reply["body"]), reply["isBase64Encoded"]) == (b"\x89PNG", True)


def test_a_response_may_set_its_own_cache_control() -> None:
    reply = Response(headers={"cache-control": "max-age=60"}).to_event("r-1")
    assert reply["headers"]["cache-control"] == "max-age=60"

import base64
from typing import Any

import pytest

from m4a.domain.errors import InvalidInput
from m4a.local.events import Context, payload, read_headers

SCOPE: dict[str, Any] = {
    "method": "POST",
    "raw_path": b"/memories/a%20b",
    "query_string": b"tags=x&limit=5&tags=y%2Cz&empty=",
    "headers": [(b"Host", b"localhost:1"), (b"X-A", b"1"), (b"x-a", b"2"), (b"cookie", b"a=1; b=2")],
    "http_version": "1.1",
    "scheme": "http",
    "client": ("127.0.0.1", 999),
}


def made(
    body: bytes = b"", content_type: str = "application/json", claims: dict[str, str] | None = None
) -> dict[str, Any]:
    headers = {**read_headers(SCOPE), "content-type": content_type, "user-agent": "test/1"}
    return payload(
        SCOPE,
        headers,
        route_key="POST /memories/{memory_id}",
        params={"memory_id": "a b"},
        body=body,
        claims=claims,
        request_id="r-1",
    )


def test_the_event_has_the_shape_of_payload_2_0() -> None:
    event = made(b"{}", claims={"sub": "ana"})
    context = event.pop("requestContext")
    assert event == {
        "version": "2.0",
        "routeKey": "POST /memories/{memory_id}",
        "rawPath": "/memories/a%20b",
        "rawQueryString": "tags=x&limit=5&tags=y%2Cz&empty=",
        "cookies": ["a=1", "b=2"],
        "headers": {
            "host": "localhost:1",
            "x-a": "1,2",
            "content-type": "application/json",
            "user-agent": "test/1",
            "x-forwarded-proto": "http",
        },
        "queryStringParameters": {"tags": "x,y,z", "limit": "5", "empty": ""},
        "pathParameters": {"memory_id": "a b"},
        "body": "{}",
        "isBase64Encoded": False,
    }
    assert context["http"] == {
        "method": "POST",
        "path": "/memories/a%20b",
        "protocol": "HTTP/1.1",
        "sourceIp": "127.0.0.1",
        "userAgent": "test/1",
    }
    assert (context["requestId"], context["stage"]) == ("r-1", "$default")
    assert context["authorizer"] == {"jwt": {"claims": {"sub": "ana"}, "scopes": None}}
    assert isinstance(context["timeEpoch"], int)


def test_a_public_route_has_no_authorizer_and_an_empty_body_is_absent() -> None:
    event = made()
    assert "authorizer" not in event["requestContext"]
    assert "body" not in event


def test_what_is_not_text_travels_in_base64() -> None:
    for body, content_type in ((b'{"a": "\xff"}', "application/json"), (b"{}\n", "application/x-ndjson")):
        event = made(body, content_type)
        assert (base64.b64decode(event["body"]), event["isBase64Encoded"]) == (body, True)


def test_header_values_are_utf_8_and_nothing_else() -> None:
    assert read_headers({"headers": [(b"a", "für".encode())]}) == {"a": "für"}
    with pytest.raises(InvalidInput):
        read_headers({"headers": [(b"m4a-on-behalf-of", "é".encode("latin-1"))]})


def test_a_header_that_says_who_is_meant_is_sent_once() -> None:
    with pytest.raises(InvalidInput):
        read_headers({"headers": [(b"m4a-on-behalf-of", b"a"), (b"M4A-On-Behalf-Of", b"b")]})


def test_a_context_counts_down_from_thirty_seconds() -> None:
    assert 29_000 < Context("r-1").get_remaining_time_in_millis() <= 30_000

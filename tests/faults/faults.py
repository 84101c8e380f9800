"""The ways in which each backend fails, at its own wire."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from m4a.domain.owner import Owner
from tests.support.proxy import Fault, Proxy, Request
from tests.support.proxy_faults import answering, cut_short, lost_request, only, rewritten

AMZ_JSON = "application/x-amz-json-1.0"
_PAGE = b"<html><body>The proxy is having a bad day.</body></html>"
Failing = Callable[[Proxy], AbstractContextManager[None]]


def operation(request: Request) -> str:
    """What DynamoDB is asked to do, such as ``TransactWriteItems``."""
    service, _, name = request.headers.get("x-amz-target", "").partition(".")
    return name if service == "DynamoDB_20120810" else ""


def is_stream(request: Request) -> bool:
    """Whether it is for the table's stream, which is a service of its own."""
    return request.headers.get("x-amz-target", "").startswith("DynamoDBStreams")


def asks_for(*operations: str) -> Callable[[Request], bool]:
    return lambda request: operation(request) in operations


def is_search(request: Request) -> bool:
    return request.path.startswith("/_msearch")


def is_bulk(request: Request) -> bool:
    return request.path.startswith("/_bulk")


def of_items(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Fault:
    """The bulk answers 200, and says of its items what ``change`` makes of them."""

    def changed(answer: dict[str, Any]) -> dict[str, Any]:
        items = [{action: change(item) for action, item in one.items()} for one in answer["items"]]
        return {**answer, "errors": True, "items": items}

    return rewritten(changed)


def refused_with(status: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda item: {**item, "status": status, "error": {"type": "no", "reason": "no"}}


def unread(owner: Owner) -> Fault:
    """What a read of many memories answers where this owner's partition is overrun: those of others alone."""

    def of_others(answer: dict[str, Any]) -> dict[str, Any]:
        ((table, items),) = answer["Responses"].items()
        theirs = [{"pk": item["pk"], "sk": item["sk"]} for item in items if item["pk"]["S"] == owner.key]
        others = [item for item in items if item["pk"]["S"] != owner.key]
        left = {table: {"Keys": theirs, "ConsistentRead": True}} if theirs else {}
        return {"Responses": {table: others}, "UnprocessedKeys": left}

    return only(asks_for("BatchGetItem"), rewritten(of_others))


def concerns(owner: Owner) -> Callable[[Request], bool]:
    return lambda request: owner.key.encode() in request.body


def by(fault: Fault) -> Failing:
    return lambda proxy: proxy.failing(fault)


def of_table(fault: Fault) -> Fault:
    """Meets the table's requests, and not those of its stream."""
    return only(lambda request: not is_stream(request), fault)


def hangs(proxy: Proxy) -> AbstractContextManager[None]:
    return proxy.failing(only(lambda request: not is_stream(request), proxy.hanging))


def _dynamodb_error(status: int, code: str) -> Fault:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "no"}).encode()
    return of_table(answering(status, body, AMZ_JSON))


def _bedrock_error(status: int, code: str) -> Fault:
    return answering(status, json.dumps({"message": "no"}).encode(), x_amzn_errortype=code)


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


THROTTLED = _dynamodb_error(400, "ProvisionedThroughputExceededException")
TABLE_FAULTS: Mapping[str, Failing] = {
    "times out": hangs,
    "refuses": Proxy.refusing,
    "hangs up": by(of_table(lost_request)),
    "throttles": by(THROTTLED),
    "fails": by(_dynamodb_error(500, "InternalServerError")),
    "answers a page": by(of_table(answering(200, _PAGE, "text/html"))),
    "answers half": by(of_table(cut_short)),
    "answers nothing": by(of_table(answering(200, b"{}", AMZ_JSON))),
    "answers an empty list": by(of_table(answering(200, b'{"Items": [], "Responses": {}, "Count": 0}', AMZ_JSON))),
    "is behind a broken gateway": by(of_table(answering(502, _PAGE, "text/html"))),
}
INDEX_FAULTS: Mapping[str, Failing] = {
    "times out": hangs,
    "refuses": Proxy.refusing,
    "hangs up": by(lost_request),
    "throttles": by(answering(429, _json({"error": {"type": "circuit_breaking_exception"}, "status": 429}))),
    "fails": by(answering(503, _json({"error": {"type": "cluster_block_exception"}, "status": 503}))),
    "lets nobody in": by(answering(403, _json({"message": "no"}))),
    "answers a page": by(answering(200, _PAGE, "text/html")),
    "answers half": by(answering(200, b'{"took": 3, "responses": [{"hits"')),
    "answers nothing": by(answering(200, b"{}")),
    "answers a list": by(answering(200, b"[]")),
}
MODEL_FAULTS: Mapping[str, Failing] = {
    "times out": hangs,
    "refuses": Proxy.refusing,
    "hangs up": by(lost_request),
    "throttles": by(_bedrock_error(429, "ThrottlingException")),
    "fails": by(_bedrock_error(500, "InternalServerException")),
    "lets nobody in": by(_bedrock_error(403, "AccessDeniedException")),
    "answers a page": by(answering(200, _PAGE, "text/html")),
    "answers a short vector": by(answering(200, _json({"embedding": [1.0, 0.0]}))),
    "answers a text": by(answering(200, _json({"embedding": "x" * 512}))),
    "answers zeros": by(answering(200, _json({"embedding": [0.0] * 512}))),
    "answers what is no number": by(answering(200, b'{"embedding": [' + b",".join([b"NaN"] * 512) + b"]}")),
}

"""Every kind of check, once where it holds and once where it does not."""

import json
from typing import Any

import pytest

from tests.cases import state_checks
from tests.cases.checks import REPLY_CHECKS
from tests.cases.judging import CheckFailed
from tests.cases.reply import Reply
from tests.cases.run import Run
from tests.cases.state import State
from tests.cases.state_checks import Seen
from tests.cases.world import World
from tests.support.profiles import EmbeddedProfile

KETTLE = {"memory_id": "id-1", "content": "The kettle is new", "tags": ["home"], "score": 0.5, "version": 1}
TOASTER = {"memory_id": "id-2", "content": "The toaster is old", "tags": ["home"], "score": 0.4, "version": 1}
FOUND: dict[str, Any] = {"recall_id": "r", "memories": [KETTLE, TOASTER], "degraded": [{"code": "c", "message": "m"}]}
NOTHING: dict[str, Any] = {"recall_id": "r", "memories": []}
TWICE: dict[str, Any] = {"memories": [TOASTER, TOASTER]}
RISING: dict[str, Any] = {"memories": [TOASTER, KETTLE]}
MADE: dict[str, Any] = {**KETTLE, "created": True}
REFUSED: dict[str, Any] = {"code": "invalid_input", "detail": "limit: is out of range", "errors": [{"field": "limit"}]}
RESULT: dict[str, Any] = {"jsonrpc": "2.0", "id": 3, "result": {"isError": True, "content": [{"text": "no content"}]}}
ERROR: dict[str, Any] = {"jsonrpc": "2.0", "id": 4, "error": {"code": -32602, "message": "m"}}
FAILURE = {"itemIdentifier": "8"}
CLOSED = {"type": "object", "properties": {"query": {"type": "string"}, "enum": {"type": "string"}}}
OPEN: dict[str, Any] = {"type": ["object"], "properties": {"user_id": {"enum": ["a"], "exclusiveMinimum": 1}}}
OPERATION = {"operationId": "recall", "description": "Searches."}


def document(schema: dict[str, Any], *operations: dict[str, Any], version: str = "3.0.1") -> dict[str, Any]:
    paths = {f"/{at}": {"post": operation, "summary": {}} for at, operation in enumerate(operations)}
    return {"openapi": version, "paths": paths, "schema": schema}


GOOD, BAD = document(CLOSED, OPERATION), document(OPEN, OPERATION, {"operationId": "x"}, version="3.1.0")

# kind, expected, (status, document) where it holds, (status, document) where it does not
ROWS: list[tuple[str, Any, tuple[int, Any], tuple[int, Any]]] = [
    ("outcome", ["ok"], (200, FOUND), (400, REFUSED)),
    ("outcome", "client_error", (413, REFUSED), (401, REFUSED)),
    ("outcome", "not_found", (404, REFUSED), (400, REFUSED)),
    ("http", [400, 422], (400, REFUSED), (409, REFUSED)),
    ("never_http", [500], (503, REFUSED), (500, REFUSED)),
    ("never_5xx", True, (404, REFUSED), (503, REFUSED)),
    ("names_field", "limit", (400, REFUSED), (400, {"detail": "limitless: no"})),
    ("names_field", "limit", (400, {"detail": "the limit is 50"}), (200, {"detail": "limit"})),
    ("error_code", "INVALID_INPUT", (400, REFUSED), (404, {"code": "not_found"})),
    ("json_error", True, (400, REFUSED), (400, {"memories": []})),
    ("no_text", ["kettle"], (200, {"query": "kettle", "memories": [TOASTER]}), (200, FOUND)),
    ("text_has", ["content"], (200, RESULT), (200, ERROR)),
    ("flag", "degraded", (200, FOUND), (200, {**NOTHING, "degraded": []})),
    ("field", {"memories[1].version": 1}, (200, FOUND), (200, {"memories": [KETTLE]})),
    ("field", {"created": True}, (200, MADE), (200, {**MADE, "created": 1})),
    ("field_type", {"score": "number", "version": "integer"}, (200, MADE), (200, {**MADE, "version": True})),
    ("equals", {"id": 3}, (200, RESULT), (200, ERROR)),
    ("not_equals", {"id": 3}, (200, ERROR), (200, RESULT)),
    ("has", "result.content[0].text", (200, RESULT), (200, ERROR)),
    ("empty_body", True, (202, None), (202, {})),
    ("valid_json", True, (200, {}), (200, None)),
    ("response_bytes_max", 200, (200, NOTHING), (200, FOUND)),
    ("same_reply_as", 1, (404, {"code": "not_found", "request_id": "b"}), (404, {"code": "not_here"})),
    ("ids_include", ["m1"], (200, FOUND), (200, NOTHING)),
    ("ids_exclude", ["m1", "unsaved"], (200, NOTHING), (200, FOUND)),
    ("ids_exactly", ["m2", "m1"], (200, FOUND), (200, MADE)),
    ("ids_exactly", [], (200, NOTHING), (500, NOTHING)),
    ("first_id", "m1", (200, FOUND), (200, RISING)),
    ("id_occurs", {"m2": 1}, (200, FOUND), (200, TWICE)),
    ("same_id_as", "m1", (200, MADE), (200, TOASTER)),
    ("id_differs_from", "m1", (200, TOASTER), (200, MADE)),
    ("id_differs_from", "m1", (200, TOASTER), (400, REFUSED)),
    ("count", 0, (200, NOTHING), (400, REFUSED)),
    ("count_max", 1, (200, NOTHING), (200, FOUND)),
    ("count_min", 1, (200, FOUND), (200, NOTHING)),
    ("tags", ["home"], (200, MADE), (200, {**MADE, "tags": ["home", "new"]})),
    ("tag_count", 1, (200, MADE), (200, {**MADE, "tags": ["home", "home"]})),
    ("content_equals", {"m1": "The kettle is new"}, (200, FOUND), (200, {"memories": [{**KETTLE, "content": "x"}]})),
    ("content_in", {"m1": ["x", "The kettle is new"]}, (200, MADE), (200, NOTHING)),
    ("scores", "finite_0_1_descending", (200, FOUND), (200, RISING)),
    ("scores", "finite_0_1_descending", (200, FOUND), (200, {"memories": [{**KETTLE, "score": 1.2}]})),
    ("scores", "finite_0_1_descending", (200, FOUND), (200, {"memories": [{**KETTLE, "score": "0.5"}]})),
    ("scores_all_equal", False, (200, FOUND), (200, TWICE)),
    ("score_lower_than", {"m1": {"step": 2}}, (200, {"memories": [{**KETTLE, "score": 0.1}]}), (200, FOUND)),
    ("jsonrpc", "result", (200, RESULT), (200, ERROR)),
    ("jsonrpc_error", -32602, (200, ERROR), (200, RESULT)),
    ("id", 4, (200, ERROR), (200, RESULT)),
    ("is_error", True, (200, RESULT), (200, {"result": {}})),
    ("batch_failures_subset_of", ["7"], (200, {"batchItemFailures": []}), (200, {"batchItemFailures": [FAILURE]})),
    ("schema_lacks", ["user_id"], (200, GOOD), (200, BAD)),
    ("schema_lacks", ["owner"], (200, GOOD), (200, {"parameters": [{"name": "owner", "in": "query"}]})),
    ("schema_lacks_keys", ["enum"], (200, GOOD), (200, BAD)),
    ("schema_lacks_keys", ["exclusiveMinimum(number)"], (200, {"exclusiveMinimum": True}), (200, BAD)),
    ("openapi_version_prefix", "3.0", (200, GOOD), (200, BAD)),
    ("type_is_string", True, (200, GOOD), (200, BAD)),
    ("every_operation", ["operationId", "description"], (200, GOOD), (200, BAD)),
    ("operations_max", 1, (200, GOOD), (200, BAD)),
]  # fmt: skip


def reply(answer: tuple[int, Any], seconds: float = 0.5, raised: str | None = None) -> Reply:
    status, value = answer
    body = b"" if value is None else json.dumps(value).encode()
    return Reply.http(status, {"content-type": "application/problem+json"}, body, seconds, raised=raised)


@pytest.fixture(name="run")
def run_of_two_steps(embedded: EmbeddedProfile) -> Run:
    """Two steps have answered; m1 and m2 are saved, and a third name is not."""
    run = Run(world=World(embedded), names={"m1", "m2", "unsaved"}, ids={"m1": "id-1", "m2": "id-2"})
    run.replies = [(reply((404, {"code": "not_found", "request_id": "a"})),), (reply((200, FOUND)),)]
    return run


@pytest.mark.parametrize(("kind", "expected", "holds", "fails"), ROWS, ids=lambda value: str(value)[:24])
def test_a_check_holds_for_one_reply_and_fails_for_another(
    kind: str, expected: Any, holds: tuple[int, Any], fails: tuple[int, Any], run: Run
) -> None:
    REPLY_CHECKS[kind](reply(holds), expected, run)
    with pytest.raises(CheckFailed):
        REPLY_CHECKS[kind](reply(fails), expected, run)


def test_time_and_exceptions_are_judged(run: Run) -> None:
    REPLY_CHECKS["within_s"](reply((200, {}), seconds=0.5), 1, run)
    REPLY_CHECKS["no_exception"](reply((200, {})), True, run)
    for kind, expected in (("within_s", 1), ("no_exception", True)):
        with pytest.raises(CheckFailed):
            REPLY_CHECKS[kind](reply((500, {}), seconds=2, raised="ValueError"), expected, run)


def test_every_check_of_replies_is_among_these() -> None:
    assert {kind for kind, *_ in ROWS} | {"within_s", "no_exception"} == set(REPLY_CHECKS)


def seen(**mappings: Any) -> Seen:
    return Seen(State(()), mappings, (), "model", ())


def index_with(dynamic: str, **types: str) -> dict[str, Any]:
    return {"dynamic": dynamic, "properties": {name: {"type": one} for name, one in types.items()}}


def test_the_mapping_of_every_index_is_judged(run: Run) -> None:
    declared = index_with("strict", vector="knn_vector", owner="keyword", tags="keyword")
    guessed = index_with("true", vector="float", owner="text", tags="date")
    expected = {"embedding": "knn_vector", "user_id": "keyword", "tags": "keyword"}
    state_checks.mapping(seen(one=declared), expected, run)
    state_checks.mapping_dynamic(seen(one=declared), ["strict", "false"], run)
    with pytest.raises(CheckFailed):
        state_checks.mapping(seen(one=declared, two=guessed), expected, run)
    for there_are in (seen(one=declared, two=guessed), seen()):
        with pytest.raises(CheckFailed):
            state_checks.mapping_dynamic(there_are, ["strict", "false"], run)

"""The published schemas over HTTPS, and that the answers are what the OpenAPI document says."""

from typing import Any

import httpx
import pytest

from m4a.entrypoints.api_gateway import ROUTES, published_schema
from m4a.local.server import LocalServer
from m4a.tools.export import FORMATS
from tests.support.schema_rules import schema_problems

JSON = "application/json"
PROBLEM = {"$ref": "#/components/schemas/Problem"}


@pytest.mark.parametrize("name", FORMATS)
def test_the_schemas_are_answered_by_format(ana: httpx.Client, name: str) -> None:
    assert ana.get("/tools", params={"format": name}).json() == published_schema(name)


def test_mcp_is_the_format_where_none_is_named(ana: httpx.Client) -> None:
    assert ana.get("/tools").json() == published_schema("mcp")


def test_an_unknown_format_is_refused_with_those_that_there_are(ana: httpx.Client) -> None:
    reply = ana.get("/tools", params={"format": "grpc"})
    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (400, "format")
    assert "bedrock-functions" in reply.json()["errors"][0]["allowed"]


@pytest.mark.parametrize("path", ["/tools", "/prompt"])
def test_the_schemas_need_a_token(server: LocalServer, path: str) -> None:
    assert httpx.get(f"{server.address}{path}").status_code == 401


def problems(schema: dict[str, Any], answer: Any) -> list[str]:
    """By one schema of the document; a member that it does not know is a problem too."""
    components = published_schema("openapi")["components"]
    for one in components["schemas"].values():
        if "properties" in one:
            one.setdefault("additionalProperties", False)
    return schema_problems({**schema, "components": components}, answer)


def answer_schema(key: str) -> dict[str, Any]:
    method, _, path = key.partition(" ")
    operation = published_schema("openapi")["paths"][path][method.lower()]
    return operation["responses"]["200"]["content"][JSON]["schema"]


def call_everything(ana: httpx.Client) -> dict[str, Any]:
    """An answer of every route that answers JSON, by its key."""
    made = ana.post("/tools/remember", json={"content": "The ladder is in the shed", "importance": "high"}).json()
    other = ana.post("/tools/remember", json={"content": "The ladder is in the old shed", "source": "chat"}).json()
    memory_id = made["memory_id"]
    recalled = ana.post("/tools/recall", json={"query": "ladder", "explain": True, "tags": []}).json()
    updated = ana.post("/tools/update_memory", json={"memory_id": memory_id, "content": "The ladder is lent"}).json()
    line = '{"content": "The rake is new"}\nnonsense\n'
    imported = ana.post("/import", content=line, headers={"content-type": "application/x-ndjson"}).json()
    found = {
        "POST /tools/remember": other,
        "POST /tools/recall": recalled,
        "POST /tools/update_memory": updated,
        "POST /import": imported,
        "GET /recalls/{recall_id}": ana.get(f"/recalls/{recalled['recall_id']}").json(),
        "GET /memories/{memory_id}": ana.get(f"/memories/{memory_id}").json(),
        "GET /memories/{memory_id}/history": ana.get(f"/memories/{memory_id}/history").json(),
        "POST /tools/forget": ana.post("/tools/forget", json={"memory_id": memory_id, "reason": "lent"}).json(),
        "GET /receipts/{memory_id}": ana.get(f"/receipts/{memory_id}").json(),
    }
    plain = ("/memories", "/context", "/audit", "/prompt", "/health")
    found |= {f"GET {path}": ana.get(path).json() for path in plain}
    return found | {"DELETE /memories": ana.delete("/memories", params={"confirm": "ana"}).json()}


def test_every_answer_is_what_the_document_says(ana: httpx.Client) -> None:
    answers = call_everything(ana)
    found = {key: problems(answer_schema(key), answer) for key, answer in answers.items()}
    assert {key: rows for key, rows in found.items() if rows} == {}
    assert answers["POST /tools/remember"]["similar"] and answers["POST /import"]["failures"]
    modelled = {route.key for route in ROUTES if route.operation.answer}
    assert modelled == set(answers)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall", {"query": "", "limit": 99}),
        ("update_memory", {"memory_id": "x", "importance": "low"}),
        ("forget", {"memory_id": "y", "reason": "z", "expected_version": 1}),
    ],
)
def test_every_error_is_what_the_document_says(ana: httpx.Client, tool: str, arguments: dict[str, Any]) -> None:
    reply = ana.post(f"/tools/{tool}", json=arguments)
    assert reply.status_code >= 400
    assert problems(PROBLEM, reply.json()) == []


def test_a_conflict_is_what_the_document_says(ana: httpx.Client) -> None:
    made = ana.post("/tools/remember", json={"content": "The gate sticks"}).json()
    stale = {"memory_id": made["memory_id"], "importance": "low", "expected_version": 9}
    conflict = ana.post("/tools/update_memory", json=stale).json()
    assert conflict["current"]["memory_id"] == made["memory_id"]
    assert problems(PROBLEM, conflict) == []

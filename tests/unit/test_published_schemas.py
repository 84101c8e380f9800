"""Each published schema keeps the rules of those who take it."""

import json
from typing import Any

import anthropic.types
import mcp_types
import openai.types.chat
import pytest
from jsonschema import Draft202012Validator
from openai.lib._pydantic import _ensure_strict_json_schema  # pyright: ignore[reportPrivateUsage]
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator
from pydantic import TypeAdapter

from m4a.entrypoints.api_gateway import ROUTES, published_schema
from m4a.tools import TOOLS
from m4a.tools.export import FORMATS
from m4a.tools.inputs import read
from m4a.tools.prompt import system_prompt
from tests.support.schema_rules import aws_problems, keywords, names, schema_problems, strict_problems, types

FIVE = {
    "remember": ["content", "type", "importance", "tags", "event_time"],
    "recall": ["query", "type", "tags", "limit", "time_range"],
    "update_memory": ["memory_id", "content", "importance", "tags", "expected_version"],
    "forget": ["memory_id", "reason", "expected_version"],
}
WORDS = ("fact, preference, event, task", "low, medium, high", "From 1 to 50", "Default: 5", "8,000 characters")
IDENTITY = {"user", "user_id", "tenant", "tenant_id", "owner", "sub", "actor", "agent_id", "session_id"}


@pytest.mark.parametrize("name", FORMATS)
def test_no_schema_has_a_parameter_that_says_who_the_caller_is(name: str) -> None:
    found = names(published_schema(name))
    answered = {"actor"} if name == "openapi" else set[str]()  # by audit events
    assert found & IDENTITY == answered
    assert {"content", "query", "memory_id", "reason"} <= found


@pytest.mark.parametrize("name", FORMATS)
def test_every_schema_has_all_tools_with_their_descriptions(name: str) -> None:
    text = json.dumps(published_schema(name))
    assert all(json.dumps(tool.description) in text for tool in TOOLS.values())


@pytest.mark.parametrize(
    "change",
    [
        {"type": "object"},
        {"description": "x" * 501},
        {"description": ""},
        {"required": "yes"},
        {"format": "date"},
    ],
)
def test_the_check_against_an_aws_api_notices_what_it_refuses(change: dict[str, object]) -> None:
    schema = published_schema("bedrock-functions")
    schema["functions"][0]["parameters"]["content"].update(change)
    assert aws_problems("bedrock-agent", "FunctionSchema", schema)


def test_bedrock_functions_are_what_its_api_takes() -> None:
    assert aws_problems("bedrock-agent", "FunctionSchema", published_schema("bedrock-functions")) == []


def test_bedrock_functions_have_five_parameters_at_most_and_say_which_are_required() -> None:
    functions = published_schema("bedrock-functions")["functions"]
    assert {one["name"]: list(one["parameters"]) for one in functions} == FIVE
    for function in functions:
        required = {name for name, one in function["parameters"].items() if one["required"] is True}
        optional = {name for name, one in function["parameters"].items() if one["required"] is False}
        fields = TOOLS[function["name"]].input.model_fields
        assert required == {name for name, field in fields.items() if field.is_required()}
        assert required | optional == set(function["parameters"])


def test_only_what_can_not_be_undone_asks_for_confirmation() -> None:
    asked = {one["name"]: one["requireConfirmation"] for one in published_schema("bedrock-functions")["functions"]}
    assert {name for name, value in asked.items() if value == "ENABLED"} == {"forget"}
    operations = [one["post"] for one in published_schema("bedrock-openapi")["paths"].values()]
    assert {one["operationId"]: one["x-requireConfirmation"] for one in operations} == asked


@pytest.mark.parametrize("name", ["bedrock-functions", "bedrock-openapi", "gateway"])
def test_limits_without_a_keyword_stand_in_the_descriptions(name: str) -> None:
    schema = published_schema(name)
    refused = {"enum", "const", "default", "format", "minimum", "maximum", "maxLength", "anyOf", "oneOf", "nullable"}
    assert not keywords(schema) & refused
    text = json.dumps(schema)
    assert [words for words in WORDS if words not in text] == []


def test_the_document_for_bedrock_is_openapi_3_0() -> None:
    document = published_schema("bedrock-openapi")
    OpenAPIV30SpecValidator(document).validate()
    assert document["openapi"].startswith("3.0.")
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert 0 < len(operations) <= 11
    for operation in operations:
        assert operation["operationId"] in TOOLS and operation["description"]
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        assert list(body["properties"]) == list(TOOLS[operation["operationId"]].input.model_fields)
        assert all(one["description"] for one in body["properties"].values())


@pytest.mark.parametrize("name", ["bedrock-openapi", "gateway"])
def test_every_type_is_one_word(name: str) -> None:
    found = list(types(published_schema(name)))
    assert all(isinstance(one, str) for one in found)
    assert {"object", "array", "string", "integer", "boolean"} <= set(found)


def test_gateway_tools_are_what_its_api_takes() -> None:
    schema = {"inlinePayload": published_schema("gateway")}
    assert aws_problems("bedrock-agentcore-control", "ToolSchema", schema) == []
    assert all(len(f"memory___{tool['name']}") <= 64 for tool in schema["inlinePayload"])


def test_mcp_tools_are_tools_of_the_protocol() -> None:
    for row in published_schema("mcp")["tools"]:
        tool = mcp_types.Tool.model_validate(row)
        assert tool.model_dump(by_alias=True, exclude_none=True) == row
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema or {})
            assert schema and schema["type"] == "object" and "$ref" not in json.dumps(schema)


def test_mcp_tools_say_which_read_and_which_destroy() -> None:
    hints = {row["name"]: row["annotations"] for row in published_schema("mcp")["tools"]}
    assert {name for name, one in hints.items() if one["readOnlyHint"]} == {"recall"}
    assert {name for name, one in hints.items() if one["destructiveHint"]} == {"update_memory", "forget"}
    assert all(one["idempotentHint"] and not one["openWorldHint"] for one in hints.values())


def test_openai_tools_are_strict() -> None:
    for row in published_schema("openai"):
        TypeAdapter(openai.types.chat.ChatCompletionToolParam).validate_python(row)
        parameters = row["function"]["parameters"]
        assert row["function"]["strict"] is True
        assert list(strict_problems(parameters)) == []
        made_strict = _ensure_strict_json_schema(json.loads(json.dumps(parameters)), path=(), root=parameters)
        assert made_strict == parameters


def test_null_is_taken_where_openai_sends_it_for_absent() -> None:
    for row in published_schema("openai"):
        model = TOOLS[row["function"]["name"]].input
        properties = row["function"]["parameters"]["properties"]
        nullable = {name for name, one in properties.items() if "null" in one["type"]}
        assert nullable == {name for name, field in model.model_fields.items() if not field.is_required()}
        assert all(None in properties[name]["enum"] for name in nullable if "enum" in properties[name])
        required = dict.fromkeys(properties.keys() - nullable, "x")
        assert read(model, {**dict.fromkeys(properties), **required}) == read(model, required)


def test_anthropic_tools_are_what_its_client_takes() -> None:
    for row in published_schema("anthropic"):
        TypeAdapter(anthropic.types.ToolParam).validate_python(row)
        Draft202012Validator.check_schema(row["input_schema"])


@pytest.mark.parametrize("arguments", [{"query": "x", "limit": 51}, {"query": "x", "type": "memo"}, {"limit": 1}])
def test_json_schemas_refuse_what_the_tool_refuses(arguments: dict[str, Any]) -> None:
    (recall,) = [row for row in published_schema("mcp")["tools"] if row["name"] == "recall"]
    assert schema_problems(recall["inputSchema"], arguments)
    good = {"query": "x", "limit": 50, "type": "fact", "tags": ["a"], "time_range": "/2026-01-01"}
    assert schema_problems(recall["inputSchema"], good) == []


def test_the_openapi_document_is_valid_and_has_every_route() -> None:
    document = published_schema("openapi")
    OpenAPIV31SpecValidator(document).validate()
    assert document["openapi"].startswith("3.1.")
    described = {f"{method.upper()} {path}" for path, one in document["paths"].items() for method in one}
    assert described == {route.key for route in ROUTES}


def test_only_public_routes_are_published_without_a_token() -> None:
    document = published_schema("openapi")
    assert document["security"] == [{"token": []}]
    public = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if operation.get("security") == []
    }
    assert public == {route.key for route in ROUTES if route.public}


def test_operations_have_ids_of_their_own() -> None:
    ids = [route.operation.id for route in ROUTES]
    assert len(set(ids)) == len(ids)


def test_the_prompt_names_every_tool_and_fits_everywhere() -> None:
    prompt = system_prompt()
    assert all(f"- {name} " in prompt for name in TOOLS)
    assert 40 <= len(prompt) <= 2_048
    for word in ("degraded", "similar", "conflict", "not_found", "invalid_input", "unavailable", "truncated"):
        assert word in prompt

"""OpenAPI 3.1 document of the HTTP API, made from its routes and their models."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

import m4a
from m4a.tools.answer_models import Problem
from m4a.tools.export.operations import JSON, Described, Operation
from m4a.tools.export.schemas import Untitled, input_fields

VERSION = "3.1.1"
PROBLEM_TYPE = "application/problem+json"
DELEGATION: Mapping[str, str] = {
    "M4A-On-Behalf-Of": "The user that a caller with the scope memory:delegate acts for, within its own tenant."
}
_PARAMETER = re.compile(r"\{(\w+)\}")
_REF = "#/components/schemas/{model}"


def openapi(routes: Iterable[Described]) -> dict[str, Any]:
    """Every route once; no member of it says who the caller is but the token, and the header for delegates."""
    described = list(routes)
    paths: dict[str, dict[str, Any]] = {}
    for route in described:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": VERSION,
        "info": {
            "title": "M4A: memory as tools",
            "version": m4a.__version__,
            "description": "Four tools for agents, and what people and programs need beside them. The owner of the "
            "memories is the verified caller. Errors are problem details (RFC 9457).",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
            "responses": {"Problem": {"description": "Why it failed.", "content": _content(Problem, PROBLEM_TYPE)}},
            "schemas": _schemas(described),
        },
    }


def _operation(route: Described) -> dict[str, Any]:
    about = route.operation
    made: dict[str, Any] = {
        "operationId": about.id,
        "summary": about.summary,
        **({"description": about.description} if about.description else {}),
        "parameters": _parameters(route),
        "responses": {"200": _answer(about), "default": {"$ref": "#/components/responses/Problem"}},
    }
    if route.method == "POST":
        made["requestBody"] = {"required": True, "content": _content(about.body, about.body_type)}
    if route.public:
        made["security"] = []
    return made


def _parameters(route: Described) -> list[dict[str, Any]]:
    about = route.operation
    names = _PARAMETER.findall(route.path)
    in_path = [_parameter("path", name, "As it was answered.", {"type": "string"}, required=True) for name in names]
    query = [
        _parameter("query", field.name, field.description, _with_default(field.schema, field.default), field.required)
        for field in (input_fields(about.query) if about.query else ())
    ]
    sent = about.headers if route.public else {**about.headers, **DELEGATION}
    headers = [_parameter("header", name, text, {"type": "string"}) for name, text in sent.items()]
    return [*in_path, *query, *headers]


def _parameter(
    place: str, name: str, description: str, schema: Mapping[str, Any], required: bool = False
) -> dict[str, Any]:
    listed = {"style": "form", "explode": False} if schema["type"] == "array" else {}
    return {"name": name, "in": place, "description": description, "required": required, "schema": schema, **listed}


def _with_default(schema: Mapping[str, Any], default: object) -> dict[str, Any]:
    return {**schema, "default": default} if default else {**schema}


def _answer(about: Operation) -> dict[str, Any]:
    headers = {name: {"description": text, "schema": {"type": "string"}} for name, text in about.answer_headers.items()}
    answer = {"description": about.summary, "content": _content(about.answer, about.answer_type)}
    return {**answer, "headers": headers} if headers else answer


def _content(model: type[BaseModel] | None, content_type: str) -> dict[str, Any]:
    if model:
        schema: dict[str, Any] = {"$ref": _REF.format(model=model.__name__)}
    else:
        schema = {"type": "object" if content_type == JSON else "string"}
    return {content_type: {"schema": schema}}


def _schemas(routes: Iterable[Described]) -> dict[str, Any]:
    """Of all models that the routes name, and of those inside them."""
    about = [route.operation for route in routes]
    inputs = dict.fromkeys(one.body for one in about if one.body)
    outputs = dict.fromkeys([*(one.answer for one in about if one.answer), Problem])
    modes: list[tuple[type[BaseModel], Literal["validation", "serialization"]]] = [
        *((model, "validation") for model in inputs),
        *((model, "serialization") for model in outputs),
    ]
    _, document = models_json_schema(modes, ref_template=_REF, schema_generator=Untitled)
    return document["$defs"]

"""The rules of those who take the published schemas, each checked by what they publish themselves."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import botocore.loaders
import botocore.model
from botocore.validate import ParamValidator
from jsonschema import Draft202012Validator

OPENAI_STRICT_KEYWORDS = {"type", "enum", "items", "properties", "required", "additionalProperties", "description"}
_MAPS = ("properties", "paths", "schemas", "responses", "headers", "content", "parameters")


def schema_problems(schema: Mapping[str, Any], value: Any) -> list[str]:
    """What is wrong with the value by a JSON Schema, which must itself be one."""
    Draft202012Validator.check_schema(schema)
    errors = Draft202012Validator(schema).iter_errors(value)  # pyright: ignore[reportUnknownMemberType]
    return [f"{one.json_path}: {one.message}" for one in errors]


def aws_problems(service: str, shape_name: str, value: Any) -> list[str]:
    """What an AWS API would refuse in the value: wrong members and types, then lengths, patterns and words."""
    description = botocore.loaders.Loader().load_service_model(service, "service-2")
    shape = botocore.model.ServiceModel(description, service).shape_for(shape_name)
    report: str = ParamValidator().validate(value, shape).generate_report()
    return [report] if report else list(_limits(shape, value, shape_name))


def _limits(shape: Any, value: Any, place: str) -> Iterator[str]:
    """Botocore itself checks no upper limits, patterns and words."""
    if shape.type_name == "structure":
        for name, member in value.items():
            yield from _limits(shape.members[name], member, f"{place}.{name}")
    elif shape.type_name == "list":
        for item in value:
            yield from _limits(shape.member, item, place)
    elif shape.type_name == "map":
        for name, member in value.items():
            yield from _limits(shape.key, name, f"{place}.{name}")
            yield from _limits(shape.value, member, f"{place}.{name}")
    elif shape.type_name == "string":
        rules = shape.metadata
        if not rules.get("min", 0) <= len(value) <= rules.get("max", len(value)):
            yield f"{place} has {len(value)} characters"
        if rules.get("enum") and value not in rules["enum"]:
            yield f"{place} is {value}"
        if "pattern" in rules and not re.fullmatch(rules["pattern"], value):
            yield f"{place} does not match {rules['pattern']}"


def strict_problems(schema: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """What OpenAI refuses in a strict schema."""
    for keyword in schema.keys() - OPENAI_STRICT_KEYWORDS:
        yield f"{place}: {keyword}"
    if schema["type"] == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{place}: takes more members"
        if set(schema["required"]) != set(schema["properties"]):
            yield f"{place}: not all are required"
        for name, member in schema["properties"].items():
            yield from strict_problems(member, f"{place}.{name}")
    if "items" in schema:
        yield from strict_problems(schema["items"], f"{place}[]")
    elif "array" in schema["type"]:
        yield f"{place}: no items"


def keywords(document: object) -> set[str]:
    """Every member's name that is a keyword, not the name of a property, a path or a parameter."""
    if isinstance(document, Mapping):
        members: Mapping[str, Any] = document  # pyright: ignore[reportUnknownVariableType]
        inner = [set(keywords(list(one.values()) if _is_map(name, one) else one)) for name, one in members.items()]
        return set(members).union(*inner)
    if isinstance(document, Sequence) and not isinstance(document, str):
        return set[str]().union(*(keywords(one) for one in document))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return set()


def names(document: object) -> set[str]:
    """Every name of a property or a parameter, at any depth."""
    if isinstance(document, Mapping):
        members: Mapping[str, Any] = document  # pyright: ignore[reportUnknownVariableType]
        own = {name for key in ("properties", "parameters") for name in members.get(key, ()) if isinstance(name, str)}
        parameter = {str(members["name"])} if "in" in members else set[str]()
        return own.union(parameter, *(names(one) for one in members.values()))
    if isinstance(document, Sequence) and not isinstance(document, str):
        return set[str]().union(*(names(one) for one in document))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return set()


def types(document: Any) -> Iterator[Any]:
    """The value of each keyword ``type``, at any depth."""
    if isinstance(document, Mapping):
        members: Mapping[str, Any] = document  # pyright: ignore[reportUnknownVariableType]
        for name, one in members.items():
            if name == "type" and not isinstance(one, Mapping):  # not a property of that name
                yield one
            else:
                yield from types(one)
    elif isinstance(document, list):
        for one in document:  # pyright: ignore[reportUnknownVariableType]
            yield from types(one)


def _is_map(name: str, value: object) -> bool:
    return name in _MAPS and isinstance(value, Mapping)

"""JSON Schemas of the tools' models, in the plain form that the formats are made from."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

Schema = dict[str, Any]
_NULL: Schema = {"type": "null"}


class Untitled(GenerateJsonSchema):
    """Without titles of fields, which only repeat their names."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


@dataclass(frozen=True, slots=True)
class InputField:
    """One argument of a tool. ``schema`` holds its type and limits alone, without null."""

    name: str
    description: str
    required: bool
    default: Any
    schema: Schema

    def in_words(self) -> str:
        """The description with the limits and the default in it, for formats that have no keywords for these."""
        default = [f"Default: {self.default}."] if self.default else []
        return " ".join([self.description, *_limits(self.schema), *default])


def input_fields(model: type[BaseModel]) -> tuple[InputField, ...]:
    """The arguments, in the model's order."""
    schema = plain_schema(model)
    required = schema.get("required", ())
    return tuple(_input_field(name, field, name in required) for name, field in schema["properties"].items())


def input_schema(model: type[BaseModel]) -> Schema:
    """A tool's input as a JSON Schema object: every keyword, no null."""
    properties = {
        field.name: {
            "description": field.description,
            **field.schema,
            **({"default": field.default} if field.default else {}),
        }
        for field in input_fields(model)
    }
    required = [field.name for field in input_fields(model) if field.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def schema_in_words(model: type[BaseModel]) -> Schema:
    """A tool's input for formats that know types and descriptions alone: all else stands in the descriptions."""
    fields = input_fields(model)
    return {
        "type": "object",
        "properties": {
            field.name: {**reduced(field.schema, ("type", "items")), "description": field.in_words()}
            for field in fields
        },
        "required": [field.name for field in fields if field.required],
    }


def plain_schema(model: type[BaseModel]) -> Schema:
    """Without references and titles. A member that may be left out has no null, one that is always there lists it."""
    schema = model.model_json_schema(mode="serialization", schema_generator=Untitled)
    return _plain(schema, schema.get("$defs", {}))


def nullable(schema: Schema) -> Schema:
    """The schema that takes null too."""
    words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **words}


def reduced(schema: Schema, keywords: Collection[str]) -> Schema:
    """With these keywords alone, at every depth, and without null."""
    kept = {name: value for name, value in schema.items() if name in keywords}
    if isinstance(kept.get("type"), list):
        kept["type"] = kept["type"][0]
    if "items" in kept:
        kept["items"] = reduced(kept["items"], keywords)
    if "properties" in kept:
        kept["properties"] = {name: reduced(one, keywords) for name, one in kept["properties"].items()}
    return kept


def _input_field(name: str, schema: Schema, required: bool) -> InputField:
    about = {"description", "default"}
    alone = {keyword: value for keyword, value in schema.items() if keyword not in about}
    return InputField(name, schema["description"], required, schema.get("default"), alone)


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Schema]) -> Schema:
    found = dict(schema)
    if "$ref" in found:
        found = {**definitions[found.pop("$ref").rpartition("/")[2]], **found}
    if "anyOf" in found:
        found = _without_union(found, definitions)
    for name in ("title", "$defs"):
        found.pop(name, None)
    if "items" in found:
        found["items"] = _plain(found["items"], definitions)
    if "properties" in found:
        found["properties"] = {name: _plain(one, definitions) for name, one in found["properties"].items()}
    return found


def _without_union(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """The models have no other union than with null."""
    others = {name: value for name, value in schema.items() if name != "anyOf"}
    (alone,) = (option for option in schema["anyOf"] if option != _NULL)
    found = {**_plain(alone, definitions), **others}
    if "default" not in found:
        return nullable(found)
    del found["default"]
    return found


def _limits(schema: Schema) -> Iterator[str]:
    match schema:
        case {"enum": [*words]}:
            yield f"One of: {', '.join(words)}."
        case {"minimum": least, "maximum": most}:
            yield f"From {least} to {most}."
        case {"minimum": least}:
            yield f"{least} or more."
        case {"maxItems": most, "items": {"maxLength": longest}}:
            yield f"At most {most}, each of at most {longest} characters."
        case {"maxLength": most}:
            yield f"At most {most:,} characters."
        case _:
            pass

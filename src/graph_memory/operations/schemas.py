"""Builds compact JSON schemas for agents, and describes schemas in messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from pydantic import TypeAdapter

from graph_memory.operations.arguments import MAX_INTEGER

Schema = dict[str, object]


def input_schema(shape: type[object]) -> Schema:
    """Return the JSON schema of a tool's arguments. It allows no additional properties, and lists `domain` last."""
    schema = _compact(TypeAdapter(shape).json_schema(mode="validation"), _UNNEEDED_KEYWORDS)
    schema.pop("description", None)  # the docstring of the class
    properties = dict(properties_of(schema))
    if "domain" in properties:
        properties["domain"] = properties.pop("domain")
    return {**schema, "properties": properties, "additionalProperties": False}


def result_schema(shape: type[object]) -> Schema:
    """Return the JSON schema of a tool's result, without descriptions, because agents read the result itself."""
    schema = TypeAdapter(shape).json_schema(mode="serialization")
    definitions = cast("Mapping[str, Schema]", schema.pop("$defs", {}))
    return _compact(
        cast("Schema", _replace_references(schema, definitions)), _UNNEEDED_KEYWORDS | {"description", "propertyNames"}
    )


def output_schema(shape: type[object]) -> Schema:
    """Return the schema of a tool's result, with only the properties that every successful result has.

    No property is required. Clients of the TypeScript SDK 1 validate an error's structured content against the same
    schema, and hide the error if it does not match.
    """
    schema = result_schema(shape)
    required_properties = {name: part for name, part in properties_of(schema).items() if name in required_names(schema)}
    return {"type": schema["type"], "properties": required_properties}


def _replace_references(part: object, definitions: Mapping[str, Schema]) -> object:
    """Return a part of a schema with each reference replaced by the definition's type."""
    match part:
        case {"$ref": str(name)}:
            return {"type": definitions[name.removeprefix("#/$defs/")]["type"]}
        case dict():
            return {key: _replace_references(value, definitions) for key, value in cast("Schema", part).items()}
        case list():
            return [_replace_references(item, definitions) for item in cast("list[object]", part)]
        case _:
            return part


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """Return the properties of an object schema."""
    return cast("Mapping[str, Schema]", schema.get("properties", {}))


def required_names(schema: Schema) -> list[str]:
    """Return the required properties of an object schema."""
    return cast("list[str]", schema.get("required", []))


_UNNEEDED_KEYWORDS = frozenset({"title", "default"})


def _compact(schema: Mapping[str, object], omitted_keywords: frozenset[str]) -> Schema:
    """Return the schema without the keywords in `omitted_keywords`, and without null as a value of optional fields."""
    compact = {
        key: _compact_part(key, part, omitted_keywords) for key, part in schema.items() if key not in omitted_keywords
    }
    if "properties" in compact and compact.get("additionalProperties") is not True:
        compact.pop("additionalProperties", None)
    if compact.get("maximum") == MAX_INTEGER:
        del compact["maximum"]  # larger numbers are rejected because JSON readers round them; agents need not know
    return _without_null(compact)


def _compact_part(key: str, part: object, omitted_keywords: frozenset[str]) -> object:
    if key == "properties":
        return {name: _compact(entry, omitted_keywords) for name, entry in cast("Mapping[str, Schema]", part).items()}
    if key == "anyOf":
        return [_compact(entry, omitted_keywords) for entry in cast("list[Schema]", part)]
    return _compact(cast("Schema", part), omitted_keywords) if isinstance(part, Mapping) else part


def _without_null(schema: Schema) -> Schema:
    choices = cast("list[Schema]", schema.get("anyOf", []))
    other_choices = [choice for choice in choices if choice.get("type") != "null"]
    if len(other_choices) != 1:
        return schema
    return {**other_choices[0], **{key: part for key, part in schema.items() if key != "anyOf"}}


def _item_noun(schema: Schema) -> str:
    """Return a plural noun for a list's items, such as `strings`, given their schema."""
    kinds = {"string": "strings", "object": "objects"}
    choices = cast("list[Schema]", schema.get("anyOf", [schema]))
    return " or ".join(kinds.get(str(choice.get("type")), "anything") for choice in choices)


def wording(schema: Schema) -> str:
    """Describe the values that a schema allows, to end a sentence such as `limit must be …`."""
    if "anyOf" in schema:
        return " or ".join(wording(choice) for choice in cast("list[Schema]", schema["anyOf"]))
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value) for value in cast("list[object]", schema["enum"]))
    match schema.get("type"):
        case "string":
            return "a string that is not empty" if schema.get("minLength") else "a string"
        case "integer":
            lowest, highest = schema.get("minimum"), schema.get("maximum")
            if lowest is not None and highest is not None:
                return f"an integer from {lowest} to {highest:,}"
            return "an integer" if lowest is None else f"an integer of at least {lowest}"
        case "number":
            return f"a number from {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else "a number"
        case "boolean":
            return "true or false"
        case "array":
            text = f"a list of {_item_noun(cast('Schema', schema.get('items') or {}))}"
            return f"{text} that is not empty" if schema.get("minItems") else text
        case _:
            return "an object"

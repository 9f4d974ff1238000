"""Compact JSON schemas for agents, and descriptions of them for messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from pydantic import TypeAdapter

from graph_memory.operations.arguments import MOST

Schema = dict[str, object]


def input_schema(shape: type[object]) -> Schema:
    """Return the schema of a tool's arguments, without additional properties, and with `domain` last."""
    schema = _compact(TypeAdapter(shape).json_schema(mode="validation"), _NOISE)
    schema.pop("description", None)  # the docstring of the class
    properties = dict(properties_of(schema))
    if "domain" in properties:
        properties["domain"] = properties.pop("domain")
    return {**schema, "properties": properties, "additionalProperties": False}


def result_schema(shape: type[object]) -> Schema:
    """Return the result's schema without descriptions, because agents read the result itself."""
    schema = TypeAdapter(shape).json_schema(mode="serialization")
    parts = cast("Mapping[str, Schema]", schema.pop("$defs", {}))
    return _compact(cast("Schema", _without_parts(schema, parts)), _NOISE | {"description", "propertyNames"})


def output_schema(shape: type[object]) -> Schema:
    """Return the schema of a tool's result, with only the properties that every successful result has.

    No property is required, because clients of the TypeScript SDK 1 validate the structured content of an error against
    the same schema, and hide the error if it does not fit.
    """
    schema = result_schema(shape)
    always = {name: part for name, part in properties_of(schema).items() if name in required_names(schema)}
    return {"type": schema["type"], "properties": always}


def _without_parts(part: object, parts: Mapping[str, Schema]) -> object:
    """Replace each reference to a part by the type of the part."""
    match part:
        case {"$ref": str(name)}:
            return {"type": parts[name.removeprefix("#/$defs/")]["type"]}
        case dict():
            return {key: _without_parts(value, parts) for key, value in cast("Schema", part).items()}
        case list():
            return [_without_parts(item, parts) for item in cast("list[object]", part)]
        case _:
            return part


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """Return the properties of an object schema."""
    return cast("Mapping[str, Schema]", schema.get("properties", {}))


def required_names(schema: Schema) -> list[str]:
    """Return the required properties of an object schema."""
    return cast("list[str]", schema.get("required", []))


_NOISE = frozenset({"title", "default"})


def _compact(schema: Mapping[str, object], noise: frozenset[str]) -> Schema:
    """Drop unneeded keywords, and null as a value of optional fields."""
    compact = {key: _compact_part(key, part, noise) for key, part in schema.items() if key not in noise}
    if "properties" in compact and compact.get("additionalProperties") is not True:
        compact.pop("additionalProperties", None)
    if compact.get("maximum") == MOST:
        del compact["maximum"]  # larger numbers are rejected because JSON readers round them; agents need not know
    return _without_null(compact)


def _compact_part(key: str, part: object, noise: frozenset[str]) -> object:
    if key == "properties":
        return {name: _compact(entry, noise) for name, entry in cast("Mapping[str, Schema]", part).items()}
    if key == "anyOf":
        return [_compact(entry, noise) for entry in cast("list[Schema]", part)]
    return _compact(cast("Schema", part), noise) if isinstance(part, Mapping) else part


def _without_null(schema: Schema) -> Schema:
    choices = cast("list[Schema]", schema.get("anyOf", []))
    types = [choice for choice in choices if choice.get("type") != "null"]
    if len(types) != 1:
        return schema
    return {**types[0], **{key: part for key, part in schema.items() if key != "anyOf"}}


def _item_noun(schema: Schema) -> str:
    """Return a plural noun for the list's items, such as `strings`."""
    kinds = {"string": "strings", "object": "objects"}
    parts = cast("list[Schema]", schema.get("anyOf", [schema]))
    return " or ".join(kinds.get(str(part.get("type")), "anything") for part in parts)


def wording(schema: Schema) -> str:
    """Describe the allowed values, as the end of a sentence such as `limit must be …`."""
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

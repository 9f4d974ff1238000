"""Schemas as the agent sees them: small, and worded in messages from the same source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from pydantic import TypeAdapter

from graph_memory.operations.arguments import MOST

Schema = dict[str, object]


def input_schema(shape: type[object]) -> Schema:
    """Return the schema of a tool's arguments: `domain` stands last; no other is allowed."""
    schema = _compact(TypeAdapter(shape).json_schema(mode="validation"), _NOISE)
    schema.pop("description", None)  # the docstring of the class
    properties = dict(properties_of(schema))
    if "domain" in properties:
        properties["domain"] = properties.pop("domain")
    return {**schema, "properties": properties, "additionalProperties": False}


def result_schema(shape: type[object]) -> Schema:
    """Return the schema of what a tool gives; an agent reads the value itself, so nothing within it is explained."""
    schema = TypeAdapter(shape).json_schema(mode="serialization")
    parts = cast("Mapping[str, Schema]", schema.pop("$defs", {}))
    return _compact(cast("Schema", _closed(schema, parts)), _NOISE | {"description", "propertyNames"})


def output_schema(shape: type[object]) -> Schema:
    """Return the schema of a tool's result, with the properties that every success has.

    No property is required, because clients of the TypeScript SDK 1 hold the structured content of an error to the
    same schema, and hide the whole error if it does not fit.
    """
    schema = result_schema(shape)
    always = {name: part for name, part in properties_of(schema).items() if name in required_of(schema)}
    return {"type": schema["type"], "properties": always}


def _closed(part: object, parts: Mapping[str, Schema]) -> object:
    """Return a schema that names of its parts no more than what kind of value they are."""
    match part:
        case {"$ref": str(name)}:
            return {"type": parts[name.removeprefix("#/$defs/")]["type"]}
        case dict():
            return {key: _closed(each, parts) for key, each in cast("Schema", part).items()}
        case list():
            return [_closed(each, parts) for each in cast("list[object]", part)]
        case _:
            return part


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """Return the properties that an object schema names."""
    return cast("Mapping[str, Schema]", schema.get("properties", {}))


def required_of(schema: Schema) -> list[str]:
    """Return the properties that an object schema requires."""
    return cast("list[str]", schema.get("required", []))


_NOISE = frozenset({"title", "default"})


def _compact(schema: Mapping[str, object], noise: frozenset[str]) -> Schema:
    """Return a schema without what a reader can do without, and without null for what may be absent."""
    kept = {key: _compact_part(key, part, noise) for key, part in schema.items() if key not in noise}
    if "properties" in kept and kept.get("additionalProperties") is not True:
        kept.pop("additionalProperties", None)
    if kept.get("maximum") == MOST:
        del kept["maximum"]  # numbers that JSON readers do not keep exact are refused, which no agent need know
    return _without_null(kept)


def _compact_part(key: str, part: object, noise: frozenset[str]) -> object:
    if key == "properties":
        return {name: _compact(entry, noise) for name, entry in cast("Mapping[str, Schema]", part).items()}
    if key == "anyOf":
        return [_compact(entry, noise) for entry in cast("list[Schema]", part)]
    return _compact(cast("Schema", part), noise) if isinstance(part, Mapping) else part


def _without_null(schema: Schema) -> Schema:
    choices = cast("list[Schema]", schema.get("anyOf", []))
    given = [choice for choice in choices if choice.get("type") != "null"]
    if len(given) != 1:
        return schema
    return {**given[0], **{key: part for key, part in schema.items() if key != "anyOf"}}


def _items(schema: Schema) -> str:
    """Return what a list holds, in the plural."""
    kinds = {"string": "strings", "object": "objects"}
    parts = cast("list[Schema]", schema.get("anyOf", [schema]))
    return " or ".join(kinds.get(str(part.get("type")), "anything") for part in parts)


def wording(schema: Schema) -> str:
    """Return what a schema allows, in words that end a sentence such as `limit must be …`."""
    if "anyOf" in schema:
        return " or ".join(wording(choice) for choice in cast("list[Schema]", schema["anyOf"]))
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value) for value in cast("list[object]", schema["enum"]))
    match schema.get("type"):
        case "string":
            return "a string that is not empty" if schema.get("minLength") else "a string"
        case "integer":
            least, most = schema.get("minimum"), schema.get("maximum")
            if least is not None and most is not None:
                return f"an integer from {least} to {most:,}"
            return "an integer" if least is None else f"an integer of at least {least}"
        case "number":
            return f"a number from {schema['minimum']} to {schema['maximum']}" if "minimum" in schema else "a number"
        case "boolean":
            return "true or false"
        case "array":
            told = f"a list of {_items(cast('Schema', schema.get('items') or {}))}"
            return f"{told} that is not empty" if schema.get("minItems") else told
        case _:
            return "an object"

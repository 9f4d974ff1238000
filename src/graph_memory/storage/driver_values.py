"""Converts values of the driver to Python for the service, and to JSON for callers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC
from typing import Any, TypeVar, cast

from neo4j import AsyncResult
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from graph_memory.storage.queries import Query

R = TypeVar("R")

MAX_TEXT = 2_000
"""Maximum number of characters of a string in a result. Longer strings are truncated."""
MAX_NUMBERS = 32
"""Maximum length of a list of numbers in a result. Longer lists count as vectors, and are replaced by their lengths."""

_UNCHANGED_TYPES = frozenset({str, int, float, bool, type(None)})


def to_python(value: object) -> object:
    """Return a driver value with times converted to datetimes in UTC."""
    if isinstance(value, list):
        return [item if type(item) in _UNCHANGED_TYPES else to_python(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        items = cast("Mapping[str, object]", value).items()
        return {key: item if type(item) in _UNCHANGED_TYPES else to_python(item) for key, item in items}
    if isinstance(value, DateTime):
        return value.to_native().astimezone(UTC)
    return value


def to_json_value(value: object) -> object:
    """Return a driver value as JSON: nodes as labels and properties, times as strings, and vectors as their lengths."""
    match value:
        case Node():
            return {"labels": sorted(value.labels), "properties": _properties_to_json(value)}
        case Relationship():
            ends = {"from": _id_of(value.start_node), "to": _id_of(value.end_node)}
            return {"type": value.type, **ends, "properties": _properties_to_json(value)}
        case Path():
            return {
                "nodes": [*map(to_json_value, value.nodes)],
                "relationships": [*map(to_json_value, value.relationships)],
            }
        case str():
            return value if len(value) <= MAX_TEXT else f"{value[: MAX_TEXT - 1]}…"
        case DateTime() | Date() | Time() | Duration():
            return value.iso_format()
        case Point():
            return {"srid": value.srid, "coordinates": [*value]}
        case bytes() | bytearray():
            return f"[{len(value):,} bytes]"
        case list():
            items = cast("list[object]", value)
            if len(items) > MAX_NUMBERS and isinstance(items[0], int | float):
                return f"[{len(items):,} numbers]"
            return [to_json_value(item) for item in items]
        case dict():
            return {str(key): to_json_value(item) for key, item in cast("Mapping[str, object]", value).items()}
        case bool() | int() | None:
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case _:
            return str(value)


def _properties_to_json(value: Node | Relationship) -> dict[str, object]:
    return {key: to_json_value(item) for key, item in sorted(value.items())}


def _id_of(node: Node | None) -> object:
    return None if node is None else node.get("_id")


async def fetch_rows(query: Query[R], result: AsyncResult) -> list[R]:
    """Return all rows of a statement's result."""
    rows = [record.values() async for record in result]
    if query.list_text is not None:
        [[rows]] = rows
    return [query.row(*cast("list[Any]", to_python(values))) for values in rows]


def transaction_metadata(name: str) -> dict[str, Any]:
    """Return the metadata under which Neo4j lists a transaction."""
    return {"app": "graph-memory", "query": name}

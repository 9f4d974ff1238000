"""Converts values of the driver: to Python for the service, and to JSON for callers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC
from typing import cast

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

MAX_TEXT = 2_000
"""Maximum number of characters of a text in a result."""
MAX_NUMBERS = 32
"""Maximum length of a list of numbers in a result. Longer lists are vectors."""

_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def as_python(value: object) -> object:
    """Return the driver's value with times converted to aware datetimes in UTC."""
    if isinstance(value, list):
        return [item if type(item) in _AS_THEY_ARE else as_python(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        items = cast("Mapping[str, object]", value).items()
        return {key: item if type(item) in _AS_THEY_ARE else as_python(item) for key, item in items}
    if isinstance(value, DateTime):
        return value.to_native().astimezone(UTC)
    return value


def plain_value(value: object) -> object:
    """Return a value of a result as JSON: nodes as labels and properties, times as text, vectors as their length."""
    match value:
        case Node():
            return {"labels": sorted(value.labels), "properties": _plain_items(value)}
        case Relationship():
            ends = {"from": _id_of(value.start_node), "to": _id_of(value.end_node)}
            return {"type": value.type, **ends, "properties": _plain_items(value)}
        case Path():
            return {
                "nodes": [*map(plain_value, value.nodes)],
                "relationships": [*map(plain_value, value.relationships)],
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
            return _plain_list(cast("list[object]", value))
        case dict():
            return {str(key): plain_value(item) for key, item in cast("Mapping[str, object]", value).items()}
        case bool() | int() | None:
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case _:
            return str(value)


def _plain_list(values: list[object]) -> object:
    if len(values) > MAX_NUMBERS and isinstance(values[0], int | float):
        return f"[{len(values):,} numbers]"
    return [plain_value(item) for item in values]


def _plain_items(value: Node | Relationship) -> dict[str, object]:
    return {key: plain_value(item) for key, item in sorted(value.items())}


def _id_of(node: Node | None) -> object:
    return None if node is None else node.get("_id")

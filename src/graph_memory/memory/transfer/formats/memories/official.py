"""Reads and writes the official memory server's file, with a line per entity and relation.

Also reads a saved result of `read_graph`: `{"entities": […], "relations": […]}`, from this server or mcp-neo4j-memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, cast

from graph_memory.memory.transfer.formats.memories.json_lines import (
    Object,
    as_object,
    first_line,
    lines_of,
    read_json_file,
    rows_of_entries,
    rows_or_invalid_record,
)
from graph_memory.memory.transfer.formats.memories.rows import (
    ENTITY,
    EntityRow,
    ObservationRow,
    RelationRow,
    Row,
    Rows,
    text_of,
)
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, Note, SourcePosition, UnreadableSource
from graph_memory.model.text.wording import join_names, kind_of, printable

_ENTITY_FIELDS = ("type", "name", "entityType", "observations")
_RELATION_FIELDS = ("type", "from", "to", "relationType", "source", "target")
_UNTYPED_NOTE = f"entities without a type get the type {ENTITY}"
_UNKNOWN_NOTE = "lines that are neither an entity nor a relation are left out, as in the official server"


def read_official(path: Path) -> Rows:
    """Yield the rows of a file of the official server, or of a saved result of `read_graph`.

    Recognises the format by the data, because both files are often named `memory.json`. An empty file is an empty
    memory.
    """
    first: Object | None = None
    try:
        start = first_line(path)
        first = _object_in(start)
        if start and "type" not in (first or ()):
            data = read_json_file(path)
            yield from rows_or_invalid_record(SourcePosition(path.name), lambda: _graph_rows(data, path.name))
            return
    except UnreadableSource as error:
        if first is None and path.name.lower().removesuffix(".gz").endswith(".json"):
            yield error.invalid_record
            return
    yield from lines_of(path, _line)


def _object_in(line: bytes) -> Object | None:
    try:
        return as_object(line)
    except InvalidSourceValue:
        return None


def _graph_rows(data: object, file: str) -> Rows:
    """Yield the rows of an object with lists of entities and relations, or of a single list of both.

    Raises InvalidSourceValue for other values.
    """
    if isinstance(data, list) or (isinstance(data, dict) and "type" in data):
        items = cast("object", data if isinstance(data, list) else [data])
        yield from rows_of_entries(items, "items", file, _line)
        return
    if data is None:
        return
    if not isinstance(data, dict) or (data and not {"entities", "relations"} & set(cast("Object", data))):
        raise InvalidSourceValue("The file has no entities", 'Pass {"entities": […], "relations": […]}.')
    graph = cast("Object", data)

    def rows_of(entity: Object, place: SourcePosition) -> Rows:
        return entity_rows(entity, place, "entityType", "type")

    yield from rows_of_entries(graph.get("entities", []), "entities", file, rows_of)
    yield from rows_of_entries(graph.get("relations", []), "relations", file, _relation)


def _line(object_: Object, place: SourcePosition) -> Rows:
    match object_.get("type"):
        case "entity":
            yield from _extra_notes(object_, _ENTITY_FIELDS, place)
            yield from entity_rows(object_, place, "entityType")
        case "relation":
            yield from _extra_notes(object_, _RELATION_FIELDS, place)
            yield from _relation(object_, place)
        case _:
            yield Note(place, _UNKNOWN_NOTE)


def entity_rows(entity: Object, place: SourcePosition, *type_names: str) -> Rows:
    """Yield an entity and its observations. If a value is invalid, raises InvalidSourceValue before any row."""
    name = text_of(entity, "name")
    kind = text_of(entity, *type_names) if any(entity.get(name) is not None for name in type_names) else None
    observations = entity.get("observations") or list[object]()
    if not isinstance(observations, list):
        raise InvalidSourceValue(f"observations is {kind_of(observations)}; it must be a list", None, "observations")
    if kind is None:
        yield Note(place, _UNTYPED_NOTE)
    rows: list[Row] = [EntityRow(place=place, name=name, type=kind)]
    for number, text in enumerate(cast("Sequence[object]", observations)):
        if not isinstance(text, str):
            column = f"observations[{number}]"
            raise InvalidSourceValue(f"{column} is {kind_of(text)}; it must be text", None, column)
        rows.append(ObservationRow(place=place, entity=name, text=text))
    yield from rows


def _relation(object_: Object, place: SourcePosition) -> Rows:
    start, end = text_of(object_, "from", "source"), text_of(object_, "to", "target")
    yield RelationRow(place=place, start=start, end=end, type=text_of(object_, "relationType"))


def _extra_notes(object_: Object, names: Sequence[str], place: SourcePosition) -> Iterable[Note]:
    """Yield a note that lists the object's fields that the official server does not have, if there are any."""
    if extra := [name for name in object_ if name not in names]:
        yield Note(
            place,
            f"the fields {printable(join_names(extra))} are left out: the official server has no such fields",
        )


def write_official(entities: Iterable[Object], relations: Iterable[Object], stream: IO[bytes]) -> None:
    """Write a file exactly as the official server does: without a line end after the last line."""
    lines = [{"type": "entity", **entity} for entity in entities] + [
        {"type": "relation", **relation} for relation in relations
    ]
    for number, line in enumerate(lines):
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        stream.write(("\n" if number else "").encode() + text.encode())

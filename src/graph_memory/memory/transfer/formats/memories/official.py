"""The file of the official memory server: a line for each entity and each relation.

Also its like in one object, `{"entities": […], "relations": […]}`, as `read_graph` answers, also that of
mcp-neo4j-memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, cast

from graph_memory.memory.transfer.formats.memories.json_lines import (
    Object,
    as_object,
    entries_of,
    first_line,
    fitting,
    lines_of,
    whole,
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
from graph_memory.memory.transfer.formats.records import Note, Place, Unfit, Unreadable
from graph_memory.model.text.wording import kind_of, listed, shown

_ENTITY = ("type", "name", "entityType", "observations")
_RELATION = ("type", "from", "to", "relationType", "source", "target")
_UNTYPED = f"entities without a type get the type {ENTITY}"
_UNKNOWN = "lines that are neither an entity nor a relation are left out, as the official server leaves them out"


def read_official(path: Path) -> Rows:
    """Yield what is in a file of the official server, or in an answer of `read_graph` that was kept.

    The data tells which it is, as both have been called `memory.json`. A file without data is an empty memory.
    """
    first: Object | None = None
    try:
        start = first_line(path)
        first = _object_in(start)
        if start and "type" not in (first or ()):
            found = whole(path)
            yield from fitting(Place(path.name), lambda: _graph(found, path.name))
            return
    except Unreadable as error:
        if first is None and path.name.lower().removesuffix(".gz").endswith(".json"):
            yield error.refused
            return
    yield from lines_of(path, _line)


def _object_in(line: bytes) -> Object | None:
    try:
        return as_object(line)
    except Unfit:
        return None


def _graph(found: object, file: str) -> Rows:
    """Yield what an object with entities and relations has, or a list of both. Raises Unfit for anything else."""
    if isinstance(found, list) or (isinstance(found, dict) and "type" in found):
        for place, entry in entries_of(cast("object", found if isinstance(found, list) else [found]), "items", file):
            yield from fitting(place, partial(_line, entry, place))
        return
    if found is None:
        return
    if not isinstance(found, dict) or (found and not {"entities", "relations"} & set(cast("Object", found))):
        raise Unfit("The file has no entities", 'It is {"entities": […], "relations": […]}.')
    graph = cast("Object", found)
    for place, entry in entries_of(graph.get("entities", []), "entities", file):
        yield from fitting(place, partial(entity_rows, entry, place, "entityType", "type"))
    for place, entry in entries_of(graph.get("relations", []), "relations", file):
        yield from fitting(place, partial(_relation, entry, place))


def _line(found: Object, place: Place) -> Rows:
    match found.get("type"):
        case "entity":
            yield from _extra(found, _ENTITY, place)
            yield from entity_rows(found, place, "entityType")
        case "relation":
            yield from _extra(found, _RELATION, place)
            yield from _relation(found, place)
        case _:
            yield Note(place, _UNKNOWN)


def entity_rows(found: Object, place: Place, *type_names: str) -> Rows:
    """Yield an entity and what was observed of it. Raises Unfit before the first of them."""
    name = text_of(found, "name")
    kind = text_of(found, *type_names) if any(found.get(each) is not None for each in type_names) else None
    given = found.get("observations") or list[object]()
    if not isinstance(given, list):
        raise Unfit(f"observations is {kind_of(given)}; it must be a list", None, "observations")
    if kind is None:
        yield Note(place, _UNTYPED)
    rows: list[Row] = [EntityRow(place=place, name=name, type=kind)]
    for number, text in enumerate(cast("Sequence[object]", given)):
        if not isinstance(text, str):
            column = f"observations[{number}]"
            raise Unfit(f"{column} is {kind_of(text)}; it must be text", None, column)
        rows.append(ObservationRow(place=place, entity=name, text=text))
    yield from rows


def _relation(found: Object, place: Place) -> Rows:
    start, end = text_of(found, "from", "source"), text_of(found, "to", "target")
    yield RelationRow(place=place, start=start, end=end, type=text_of(found, "relationType"))


def _extra(found: Object, known: Sequence[str], place: Place) -> Iterable[Note]:
    """Tell of fields that the official server does not have, and drops when it next writes."""
    if extra := [name for name in found if name not in known]:
        yield Note(
            place, f"the fields {shown(listed(extra))} are left out: the official server knows none of that name"
        )


def write_official(entities: Iterable[Object], relations: Iterable[Object], stream: IO[bytes]) -> None:
    """Write a file as the official server writes it, byte for byte: no end of line after the last line."""
    lines = [{"type": "entity", **each} for each in entities] + [{"type": "relation", **each} for each in relations]
    for number, line in enumerate(lines):
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
        stream.write(("\n" if number else "").encode() + text.encode())

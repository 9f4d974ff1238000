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

from graph_memory.memory.transfer.formats.memories.json_lines import Object, entries_of, fitting, lines_of, whole
from graph_memory.memory.transfer.formats.memories.rows import (
    EntityRow,
    ObservationRow,
    RelationRow,
    Row,
    Rows,
    text_of,
)
from graph_memory.memory.transfer.formats.records import Note, Place, Unfit, Unreadable
from graph_memory.model.wording import kind_of, listed, shown

_ENTITY = ("type", "name", "entityType", "observations")
_RELATION = ("type", "from", "to", "relationType", "source", "target")
_UNKNOWN = "lines that are neither an entity nor a relation are left out, as the official server leaves them out"


def read_official(path: Path) -> Rows:
    """Yield what is in a file of the official server, or in an answer of `read_graph` that was kept."""
    if path.name.lower().removesuffix(".gz").endswith(".json"):
        yield from _read_graph(path)
    else:
        yield from lines_of(path, _line)


def _read_graph(path: Path) -> Rows:
    try:
        found = whole(path)
    except Unreadable as error:
        if error.refused.message.startswith("The file is not JSON: Extra data"):  # lines, under the server's old name
            yield from lines_of(path, _line)
        else:
            yield error.refused
        return
    yield from fitting(Place(path.name), lambda: graph_rows(found, path.name))


def graph_rows(found: object, file: str) -> Rows:
    """Yield what an object with entities and relations has. Raises Unfit for anything else."""
    if isinstance(found, dict) and "type" in found:
        yield from _line(cast("Object", found), Place(file, 1))
        return
    if not isinstance(found, dict) or "entities" not in found:
        raise Unfit("The file has no entities", 'It is {"entities": […], "relations": […]}.')
    graph = cast("Object", found)
    for place, entry in entries_of(graph["entities"], "entities", file):
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
    name, kind = text_of(found, "name"), text_of(found, *type_names)
    given = found.get("observations")
    if not isinstance(given, list):
        what = "is missing" if given is None else f"is {kind_of(given)}; it must be a list"
        raise Unfit(f"observations {what}", None, "observations")
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

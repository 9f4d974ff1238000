"""Reads mem0's exports: a list of memories, or an object with `results` and possibly `relations`.

A memory becomes an observation of a user, an agent, an application or a run.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.memories.json_lines import (
    Object,
    lines_of,
    read_json_file,
    rows_of_entries,
    rows_or_invalid_record,
)
from graph_memory.memory.transfer.formats.memories.rows import (
    EntityRow,
    ObservationRow,
    RelationRow,
    Rows,
    text_in,
    text_of,
)
from graph_memory.memory.transfer.formats.records import InvalidSourceValue, Note, SourcePosition

OWNERS = {"user_id": "user", "agent_id": "agent", "app_id": "app", "run_id": "session"}
"""Keys that identify the subject of a memory, with the entity type of each key."""
_LEFT_OUT_NOTE = "metadata, categories, scores and hashes of memories are left out"
_LEFT_OUT_KEYS = frozenset(
    {"metadata", "categories", "score", "hash", "structured_attributes", "expiration_date", "immutable"}
)


def read_mem0(path: Path) -> Rows:
    """Yield the rows of an export of mem0: a JSON file, or a file with one memory per line."""
    if path.name.lower().removesuffix(".gz").endswith(".jsonl"):
        return lines_of(path, _memory)
    return rows_or_invalid_record(SourcePosition(path.name), lambda: _export(read_json_file(path), path.name))


def _export(data: object, file: str) -> Rows:
    object_ = cast("Object", data) if isinstance(data, dict) else {"results": data}
    name = next((name for name in ("results", "memories") if name in object_), None)
    if name is None:
        raise InvalidSourceValue("The file has no memories", 'Pass a list of {"id": …, "memory": …, "user_id": …}.')
    yield from rows_of_entries(object_[name], name, file, _memory)
    yield from rows_of_entries(object_.get("relations") or [], "relations", file, _relation)


def _memory(object_: Object, place: SourcePosition) -> Rows:
    text = text_of(object_, "memory", "data", "text")
    name, kind = _owner(object_)
    ids = [f"{key} {object_[key]}" for key in ("id", "run_id") if isinstance(object_.get(key), str)]
    yield EntityRow(place=place, name=name, type=kind)
    yield ObservationRow(
        place=place,
        entity=name,
        text=text,
        time=text_in(object_, "updated_at", "created_at"),
        source=", ".join(["mem0", *ids]),
    )
    if any(object_.get(name) for name in _LEFT_OUT_KEYS):
        yield Note(SourcePosition(place.file), _LEFT_OUT_NOTE)


def _owner(object_: Object) -> tuple[str, str]:
    for key, kind in OWNERS.items():
        if (name := text_in(object_, key)) is not None:
            return name, kind
    return "user", "user"


def _relation(object_: Object, place: SourcePosition) -> Rows:
    start, end = text_of(object_, "source"), text_of(object_, "target", "destination")
    yield EntityRow(place=place, name=start)
    yield EntityRow(place=place, name=end)
    yield RelationRow(place=place, start=start, end=end, type=text_of(object_, "relationship", "relation"))

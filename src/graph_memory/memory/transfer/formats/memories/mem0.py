"""What mem0 gives of its memories: a list of them, or an object that has it as `results`, perhaps with `relations`.

A memory is an observation of whom it is about: a user, an agent, an application or a run.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.memories.json_lines import Object, entries_of, fitting, lines_of, whole
from graph_memory.memory.transfer.formats.memories.rows import (
    EntityRow,
    ObservationRow,
    RelationRow,
    Rows,
    text_in,
    text_of,
)
from graph_memory.memory.transfer.formats.records import Note, Place, Unfit, Unreadable

OWNERS = {"user_id": "user", "agent_id": "agent", "app_id": "app", "run_id": "session"}
"""By what a memory says whom it is about, and the type of entity that this is."""
_NOBODY = "user"
_LEFT_OUT = "metadata, categories, scores and hashes of memories are left out"
_ABOUT = frozenset({"metadata", "categories", "score", "hash", "structured_attributes", "expiration_date", "immutable"})


def read_mem0(path: Path) -> Rows:
    """Yield what is in an export of mem0: JSON, or a memory a line."""
    if path.name.lower().removesuffix(".gz").endswith(".jsonl"):
        yield from lines_of(path, _memory)
        return
    try:
        found = whole(path)
    except Unreadable as error:
        yield error.refused
        return
    yield from fitting(Place(path.name), lambda: _export(found, path.name))


def _export(found: object, file: str) -> Rows:
    told = cast("Object", found) if isinstance(found, dict) else {"results": found}
    name = next((name for name in ("results", "memories") if name in told), None)
    if name is None:
        raise Unfit("The file has no memories", 'It is a list of {"id": …, "memory": …, "user_id": …}.')
    for place, entry in entries_of(told[name], name, file):
        yield from fitting(place, partial(_memory, entry, place))
    for place, entry in entries_of(told.get("relations") or [], "relations", file):
        yield from fitting(place, partial(_relation, entry, place))


def _memory(found: Object, place: Place) -> Rows:
    text = text_of(found, "memory", "data", "text")
    name, kind = _owner(found)
    told = [*(f"{key} {found[key]}" for key in ("id", "run_id") if isinstance(found.get(key), str))]
    yield EntityRow(place=place, name=name, type=kind)
    yield ObservationRow(
        place=place,
        entity=name,
        text=text,
        time=text_in(found, "updated_at", "created_at"),
        source=", ".join(["mem0", *told]),
    )
    if any(found.get(each) for each in _ABOUT):
        yield Note(Place(place.file), _LEFT_OUT)


def _owner(found: Object) -> tuple[str, str]:
    for key, kind in OWNERS.items():
        if (name := text_in(found, key)) is not None:
            return name, kind
    return _NOBODY, "user"


def _relation(found: Object, place: Place) -> Rows:
    start, end = text_of(found, "source"), text_of(found, "target", "destination")
    yield EntityRow(place=place, name=start)
    yield EntityRow(place=place, name=end)
    yield RelationRow(place=place, start=start, end=end, type=text_of(found, "relationship", "relation"))

"""Reads mnemograph's store by replaying its events, from `mnemograph.db` or, before version 0.4, `events.jsonl`.

The store's final state becomes rows with the times and sessions of the events that created them.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.files import MAX_BYTES, Lines, open_source
from graph_memory.memory.transfer.formats.memories.json_lines import Object, as_object
from graph_memory.memory.transfer.formats.memories.rows import (
    EntityRow,
    ObservationRow,
    RelationRow,
    Rows,
    fraction_in,
    text_in,
    text_of,
)
from graph_memory.memory.transfer.formats.records import (
    InvalidRecord,
    InvalidSourceValue,
    Note,
    SourcePosition,
    UnreadableSource,
)
from graph_memory.model.text.wording import quote
from graph_memory.model.values.properties import PropertyValue

DATABASE, EVENTS = "mnemograph.db", "events.jsonl"
SQLITE = b"SQLite format 3\x00"
_SELECT = "SELECT rowid, id, ts, op, session_id, source, data, length(data) FROM events ORDER BY rowid"
_BRANCHES = "branches are left out: only mnemograph's main branch, which contains all data, is read"


@dataclass(frozen=True, slots=True)
class _Event:
    place: SourcePosition
    op: str
    time: str
    session: str
    data: Object


@dataclass(slots=True)
class _Entity:
    row: EntityRow
    observations: dict[str, ObservationRow] = field(default_factory=dict[str, ObservationRow])


@dataclass(slots=True)
class _State:
    entities: dict[str, _Entity] = field(default_factory=dict[str, _Entity])
    relations: dict[str, tuple[str, str, RelationRow]] = field(default_factory=dict[str, tuple[str, str, RelationRow]])


def read_mnemograph(path: Path) -> Rows:
    """Yield the rows of a mnemograph store, given as its folder, its database or its events file."""
    file = path
    if path.is_dir():
        file = path / DATABASE if (path / DATABASE).exists() else path / EVENTS
    events: list[_Event] = []
    refused: list[InvalidRecord] = []
    try:
        with open_source(file) as stream:
            is_database = stream.read(len(SQLITE)) == SQLITE
        for event in _from_database(file) if is_database else _from_lines(file):
            if isinstance(event, InvalidRecord):
                refused.append(event)
            else:
                events.append(event)
    except UnreadableSource as error:
        yield from refused
        yield error.invalid_record
        return
    state = _State()
    for event in _apply_restores(events):
        try:
            _STEPS.get(event.op, _raise_unknown_event)(state, event)
        except InvalidSourceValue as error:
            refused.append(error.at(event.place))
    yield from refused
    if next((file.parent / "branches").rglob("*.json"), None):
        yield Note(SourcePosition(file.name), _BRANCHES)
    yield from _rows(state)


def _from_lines(file: Path) -> Iterator[_Event | InvalidRecord]:
    with open_source(file) as stream:
        lines = Lines(stream, file.name)
        for line in lines:
            if line.strip():
                try:
                    yield _parse_event(as_object(line), lines.place)
                except InvalidSourceValue as error:
                    yield error.at(lines.place)


def _from_database(file: Path) -> Iterator[_Event | InvalidRecord]:
    """Yield the events from a copy of the database, since reading can change the original."""
    try:
        with _copy(file) as copy, closing(sqlite3.connect(copy)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA cell_size_check = ON")
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
            for row, *values, data, _size in db.execute(_SELECT):
                place = SourcePosition(file.name, element=f"event {row}")
                try:
                    names = ("id", "ts", "op", "session_id", "source")
                    yield _parse_event({**dict(zip(names, values, strict=True)), "data": _object(data)}, place)
                except InvalidSourceValue as error:
                    yield error.at(place)
    except sqlite3.Error as error:
        message = "The database of mnemograph cannot be read: it is damaged, or another program wrote it"
        raise UnreadableSource(
            SourcePosition(file.name), message, "Copy it again, or import its events.jsonl."
        ) from error


@contextmanager
def _copy(file: Path) -> Generator[Path]:
    """Yield a private copy of a database and its write-ahead log."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / DATABASE
        shutil.copyfile(file, copy)
        log = file.with_name(file.name + "-wal")
        if log.is_file() and not log.is_symlink():
            shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
        yield copy


def _object(data: object) -> Object:
    if not isinstance(data, str):
        raise InvalidSourceValue("data is not text", None, "data")
    return as_object(data.encode(errors="surrogatepass"))


def _parse_event(object_: Object, place: SourcePosition) -> _Event:
    data = object_.get("data")
    if not isinstance(data, dict):
        raise InvalidSourceValue("data is missing or not an object", None, "data")
    session = text_in(object_, "session_id") or ""
    return _Event(place, text_of(object_, "op"), text_of(object_, "ts"), session, cast("Object", data))


def _apply_restores(events: list[_Event]) -> list[_Event]:
    """Return the events, without the events that a later `restore_to` event undid."""
    restore = next((at for at in range(len(events) - 1, -1, -1) if events[at].op == "restore_to"), None)
    if restore is None:
        return events
    until = _moment(text_in(events[restore].data, "timestamp"))
    kept = [event for event in events[:restore] if until is None or (at := _moment(event.time)) is None or at <= until]
    return _apply_restores(kept) + events[restore + 1 :]


def _moment(text: str | None) -> float | None:
    try:
        return None if text is None else datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None


def _create_entity(state: _State, event: _Event) -> None:
    object_, entity_id = event.data, text_of(event.data, "id")
    row = EntityRow(
        place=event.place,
        name=text_of(object_, "name"),
        type=text_in(object_, "type"),
        properties=_provenance(object_, event),
    )
    entity = _Entity(row)
    observations = object_.get("observations")
    for observation in cast("list[object]", observations) if isinstance(observations, list) else []:
        if not isinstance(observation, dict):
            raise InvalidSourceValue("An observation is not an object", None, "observations")
        _observe(entity, cast("Object", observation), event)
    state.entities[entity_id] = entity


def _provenance(object_: Object, event: _Event) -> dict[str, PropertyValue]:
    """Return the time and the session in which an object was created, as properties.

    graph-memory's log records only the time of the import.
    """
    by = text_in(object_, "created_by") or event.session
    return {"created_at": text_in(object_, "created_at") or event.time, **({"created_by": by} if by else {})}


def _observe(entity: _Entity, object_: Object, event: _Event) -> None:
    source = text_in(object_, "source") or event.session
    entity.observations[text_of(object_, "id")] = ObservationRow(
        place=event.place,
        entity=entity.row.name,
        text=text_of(object_, "text"),
        time=text_in(object_, "ts") or event.time,
        source=source or None,
    )


def _update_entity(state: _State, event: _Event) -> None:
    entity, updates = state.entities.get(text_of(event.data, "id")), event.data.get("updates")
    if entity is None or not isinstance(updates, Mapping):
        return
    object_ = cast("Object", updates)
    name = text_of(object_, "name") if "name" in object_ else entity.row.name
    kind = text_of(object_, "type") if "type" in object_ else entity.row.type
    entity.row = replace(entity.row, name=name, type=kind)


def _delete_entity(state: _State, event: _Event) -> None:
    entity_id = text_of(event.data, "id")
    if state.entities.pop(entity_id, None):
        state.relations = {key: relation for key, relation in state.relations.items() if entity_id not in relation[:2]}


def _create_relation(state: _State, event: _Event) -> None:
    object_ = event.data
    ends = (text_of(object_, "from_entity"), text_of(object_, "to_entity"))
    weight = fraction_in(object_, "explicit_weight")
    properties = _provenance(object_, event) | ({} if weight is None else {"explicit_weight": weight})
    row = RelationRow(place=event.place, start="", end="", type=text_of(object_, "type"), properties=properties)
    state.relations[text_in(object_, "id") or str(len(state.relations))] = (*ends, row)


def _delete_relation(state: _State, event: _Event) -> None:
    relation = tuple(event.data.get(name) for name in ("from_entity", "to_entity", "type"))
    for key, (start, end, row) in state.relations.items():
        if (start, end, row.type) == relation:
            del state.relations[key]
            return


def _add_observation(state: _State, event: _Event) -> None:
    entity, observation = state.entities.get(text_of(event.data, "entity_id")), event.data.get("observation")
    if entity is not None and isinstance(observation, Mapping):
        _observe(entity, cast("Object", observation), event)


def _delete_observation(state: _State, event: _Event) -> None:
    entity = state.entities.get(text_of(event.data, "entity_id"))
    if entity is not None:
        entity.observations.pop(text_of(event.data, "observation_id"), None)


def _update_weight(state: _State, event: _Event) -> None:
    relation_id, weight = text_in(event.data, "relation_id"), fraction_in(event.data, "new_value")
    relation = state.relations.get(relation_id or "")
    if relation is not None and weight is not None and event.data.get("weight_type", "explicit") == "explicit":
        start, end, row = relation
        changed = replace(row, properties={**row.properties, "explicit_weight": weight})
        state.relations[relation_id or ""] = (start, end, changed)


def _clear(state: _State, _: _Event) -> None:
    state.entities.clear()
    state.relations.clear()


def _raise_unknown_event(_: _State, event: _Event) -> None:
    raise InvalidSourceValue(f"mnemograph has no event {quote(event.op)}", None, "op")


_STEPS = {
    "create_entity": _create_entity,
    "update_entity": _update_entity,
    "delete_entity": _delete_entity,
    "create_relation": _create_relation,
    "delete_relation": _delete_relation,
    "add_observation": _add_observation,
    "delete_observation": _delete_observation,
    "update_weight": _update_weight,
    "clear_graph": _clear,
    "compact": _clear,
}


def _rows(state: _State) -> Rows:
    """Yield the rows of the final state. A relation without an existing start or end becomes an invalid record."""
    for entity in state.entities.values():
        yield entity.row
        for observation in entity.observations.values():
            yield replace(observation, entity=entity.row.name)
    for start, end, row in state.relations.values():
        ends = state.entities.get(start), state.entities.get(end)
        if ends[0] is None or ends[1] is None:
            yield InvalidSourceValue("An end of the relation is not an existing entity", None, "from_entity").at(
                row.place
            )
            continue
        yield replace(row, start=ends[0].row.name, end=ends[1].row.name)

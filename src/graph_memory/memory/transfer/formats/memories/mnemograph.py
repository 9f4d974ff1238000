"""The store of mnemograph: its events, in `mnemograph.db` or, before version 0.4, in `events.jsonl`, played back.

What lives at their end is given, with the times and sessions of the events that made it.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import cast

from graph_memory.memory.transfer.formats.files import LONGEST, Lines, opened
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
from graph_memory.memory.transfer.formats.records import Note, Place, Refused, Unfit, Unreadable
from graph_memory.model.text.wording import quoted
from graph_memory.model.values.properties import PropertyValue

DATABASE, EVENTS = "mnemograph.db", "events.jsonl"
SQLITE = b"SQLite format 3\x00"
_SELECT = "SELECT rowid, id, ts, op, session_id, source, data, length(data) FROM events ORDER BY rowid"
_BRANCHES = "branches are left out: mnemograph's main branch, which has everything, is what is read"


@dataclass(frozen=True, slots=True)
class _Event:
    place: Place
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
    """What lives after some events, by the ids of mnemograph."""

    entities: dict[str, _Entity] = field(default_factory=dict[str, _Entity])
    relations: dict[str, tuple[str, str, RelationRow]] = field(default_factory=dict[str, tuple[str, str, RelationRow]])


def read_mnemograph(path: Path) -> Rows:
    """Yield what lives in a store: the folder that has it, its database, or its file of events."""
    file = _file(path)
    refused: list[Refused] = []
    try:
        events = list(_valid(_events(file), refused))
    except Unreadable as error:
        yield from refused
        yield error.refused
        return
    state = _State()
    for event in _restored(events):
        try:
            _STEPS.get(event.op, _nothing)(state, event)
        except Unfit as error:
            refused.append(error.at(event.place))
    yield from refused
    if next((file.parent / "branches").rglob("*.json"), None):
        yield Note(Place(file.name), _BRANCHES)
    yield from _told(state)


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    return path / DATABASE if (path / DATABASE).exists() else path / EVENTS


def _events(file: Path) -> Iterator[_Event | Refused]:
    with opened(file) as stream:
        is_database = stream.read(len(SQLITE)) == SQLITE
    return _from_database(file) if is_database else _from_lines(file)


def _valid(found: Iterable[_Event | Refused], refused: list[Refused]) -> Iterator[_Event]:
    for each in found:
        if isinstance(each, Refused):
            refused.append(each)
        else:
            yield each


def _from_lines(file: Path) -> Iterator[_Event | Refused]:
    with opened(file) as stream:
        lines = Lines(stream, file.name)
        for line in lines:
            if line.strip():
                try:
                    yield _event(as_object(line), lines.place)
                except Unfit as error:
                    yield error.at(lines.place)


def _from_database(file: Path) -> Iterator[_Event | Refused]:
    """Yield the events of a copy of the database: reading it where it stands could change it."""
    try:
        with _copy(file) as copy, closing(sqlite3.connect(copy)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA cell_size_check = ON")
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            for row, *values, data, _size in db.execute(_SELECT):
                place = Place(file.name, element=f"event {row}")
                try:
                    names = ("id", "ts", "op", "session_id", "source")
                    yield _event({**dict(zip(names, values, strict=True)), "data": _object(data)}, place)
                except Unfit as error:
                    yield error.at(place)
    except sqlite3.Error as error:
        message = "The database of mnemograph cannot be read: it is damaged, or another program wrote it"
        raise Unreadable(Place(file.name), message, "Copy it again, or import its events.jsonl.") from error


@contextmanager
def _copy(file: Path) -> Generator[Path]:
    """Give a private copy of a database, with what of it is not in its file yet."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / DATABASE
        shutil.copyfile(file, copy)
        log = file.with_name(file.name + "-wal")
        if log.is_file() and not log.is_symlink():
            shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
        yield copy


def _object(data: object) -> Object:
    if not isinstance(data, str):
        raise Unfit("data is not text", None, "data")
    return as_object(data.encode(errors="surrogatepass"))


def _event(found: Object, place: Place) -> _Event:
    data = found.get("data")
    if not isinstance(data, dict):
        raise Unfit("data is missing or no object", None, "data")
    session = text_in(found, "session_id") or ""
    return _Event(place, text_of(found, "op"), text_of(found, "ts"), session, cast("Object", data))


def _restored(events: list[_Event]) -> list[_Event]:
    """Return the events that count: where the memory was set back to a time, what is later than that does not."""
    last = next((at for at in range(len(events) - 1, -1, -1) if events[at].op == "restore_to"), None)
    if last is None:
        return events
    until = _moment(text_in(events[last].data, "timestamp"))
    before = [event for event in events[:last] if until is None or (at := _moment(event.time)) is None or at <= until]
    return _restored(before) + events[last + 1 :]


def _moment(text: str | None) -> float | None:
    try:
        return None if text is None else datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return None


def _create_entity(state: _State, event: _Event) -> None:
    found, id_ = event.data, text_of(event.data, "id")
    row = EntityRow(
        place=event.place, name=text_of(found, "name"), type=text_in(found, "type"), properties=_made(found, event)
    )
    entity = _Entity(row)
    given = found.get("observations")
    for each in cast("list[object]", given) if isinstance(given, list) else []:
        if not isinstance(each, dict):
            raise Unfit("An observation is no object", None, "observations")
        _observe(entity, cast("Object", each), event)
    state.entities[id_] = entity


def _made(found: Object, event: _Event) -> dict[str, PropertyValue]:
    """Return when something was made, and in which session: the log tells when it was imported."""
    by = text_in(found, "created_by") or event.session
    return {"created_at": text_in(found, "created_at") or event.time, **({"created_by": by} if by else {})}


def _observe(entity: _Entity, found: Object, event: _Event) -> None:
    source = text_in(found, "source") or event.session
    entity.observations[text_of(found, "id")] = ObservationRow(
        place=event.place,
        entity=entity.row.name,
        text=text_of(found, "text"),
        time=text_in(found, "ts") or event.time,
        source=source or None,
    )


def _update_entity(state: _State, event: _Event) -> None:
    entity, updates = state.entities.get(text_of(event.data, "id")), event.data.get("updates")
    if entity is None or not isinstance(updates, Mapping):
        return
    told = cast("Object", updates)
    name = text_of(told, "name") if "name" in told else entity.row.name
    kind = text_of(told, "type") if "type" in told else entity.row.type
    entity.row = replace(entity.row, name=name, type=kind)


def _delete_entity(state: _State, event: _Event) -> None:
    id_ = text_of(event.data, "id")
    if state.entities.pop(id_, None):
        state.relations = {key: each for key, each in state.relations.items() if id_ not in each[:2]}


def _create_relation(state: _State, event: _Event) -> None:
    found = event.data
    ends = (text_of(found, "from_entity"), text_of(found, "to_entity"))
    weight = fraction_in(found, "explicit_weight")
    properties = _made(found, event) | ({} if weight is None else {"explicit_weight": weight})
    row = RelationRow(place=event.place, start="", end="", type=text_of(found, "type"), properties=properties)
    state.relations[text_in(found, "id") or str(len(state.relations))] = (*ends, row)


def _delete_relation(state: _State, event: _Event) -> None:
    wanted = tuple(event.data.get(name) for name in ("from_entity", "to_entity", "type"))
    for key, (start, end, row) in state.relations.items():
        if (start, end, row.type) == wanted:
            del state.relations[key]
            return


def _add_observation(state: _State, event: _Event) -> None:
    entity, found = state.entities.get(text_of(event.data, "entity_id")), event.data.get("observation")
    if entity is not None and isinstance(found, Mapping):
        _observe(entity, cast("Object", found), event)


def _delete_observation(state: _State, event: _Event) -> None:
    entity = state.entities.get(text_of(event.data, "entity_id"))
    if entity is not None:
        entity.observations.pop(text_of(event.data, "observation_id"), None)


def _update_weight(state: _State, event: _Event) -> None:
    id_, weight = text_in(event.data, "relation_id"), fraction_in(event.data, "new_value")
    known = state.relations.get(id_ or "")
    if known is not None and weight is not None and event.data.get("weight_type", "explicit") == "explicit":
        start, end, row = known
        changed = replace(row, properties={**row.properties, "explicit_weight": weight})
        state.relations[id_ or ""] = (start, end, changed)


def _clear(state: _State, _: _Event) -> None:
    state.entities.clear()
    state.relations.clear()


def _nothing(_: _State, event: _Event) -> None:
    raise Unfit(f"mnemograph has no event {quoted(event.op)}", None, "op")


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


def _told(state: _State) -> Rows:
    """Yield what lives; a relation whose end does not is refused."""
    for entity in state.entities.values():
        yield entity.row
        for each in entity.observations.values():
            yield replace(each, entity=entity.row.name)
    for start, end, row in state.relations.values():
        ends = state.entities.get(start), state.entities.get(end)
        if ends[0] is None or ends[1] is None:
            yield Unfit("An end of the relation is no entity that lives", None, "from_entity").at(row.place)
            continue
        yield replace(row, start=ends[0].row.name, end=ends[1].row.name)

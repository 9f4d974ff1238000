"""The projector: converts events to rows for a few static statements, which update the live graph.

Live writes and rebuilds share it. Each step is one file under `cypher/log/`, and the steps run in their order. If a
batch contains several events of a subject, its rows contain the state after the last event.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from graph_memory.model.events import Draft, Event, Op
from graph_memory.model.ontology.indexes import Index, index_name, index_value, indexes_of
from graph_memory.model.ontology.ontology import (
    AnyType,
    ConnectionType,
    NodeType,
    Ontology,
    connection_type_from,
    node_type_from,
)
from graph_memory.model.ontology.types import kind_of_type, subject_of_type, type_state
from graph_memory.model.subjects.kinds import CONTENT, KINDS, TYPE_OF, TYPES, Kind, Step, type_name
from graph_memory.model.subjects.protection import PROTECTION
from graph_memory.model.subjects.subjects import (
    CALLED,
    ENTITY,
    ENTITY_NAME,
    MENTIONED,
    TEXT,
    State,
    StoredValue,
    content_ref,
    entity_key,
    length_state,
    without_nulls,
)
from graph_memory.model.text.search_windows import windows
from graph_memory.model.text.visible import check_visible
from graph_memory.model.values.properties import ANY, PropertyValue

Row = dict[str, object]


@dataclass(slots=True)
class Projection:
    """The changes to a domain's live graph, as rows for each step's statement."""

    domain: str
    rows: dict[Step, list[Row]] = field(default_factory=dict[Step, list[Row]])

    def add(self, step: Step, rows: Iterable[Row]) -> None:
        """Add rows to a step. A step without rows does not run."""
        if new_rows := list(rows):
            self.rows.setdefault(step, []).extend(new_rows)

    @property
    def created_seqs(self) -> set[int]:
        """The numbers of the events that are appended to the log by the rows for new subjects."""
        rows = (row for kind in KINDS.values() if kind.create for row in self.rows.get(kind.create, ()))
        return {cast("Event", row["event"]).seq for row in rows}

    def extend(self, other: Projection) -> None:
        """Add the rows of another projection of the same domain."""
        for step, rows in other.rows.items():
            self.add(step, rows)

    @property
    def size(self) -> int:
        """The number of rows that the projection writes, including derived rows."""
        return sum(row_count(row) for rows in self.rows.values() for row in rows)


def row_count(row: Row) -> int:
    """Return the number of rows that one row of a step writes.

    It is the number of derived rows, at least 1. A row that creates a subject writes 2 more.
    """
    derived = sum(len(cast("list[Row]", row.get(name, ()))) for name in ("rows", "keys", "windows"))
    return 2 + derived if "event" in row else max(1, derived)


def project(domain: str, events: Sequence[Event], ontology: Ontology, *, inline_limit: int | None = None) -> Projection:
    """Return the changes that the events make to the live graph and its derived data.

    `ontology` is the ontology before the events. For events that are not in the log yet, pass `inline_limit`, the
    maximum size in bytes of text that Neo4j stores. The rows of new subjects then also append their events.
    """
    projection = Projection(domain)
    ontology = _ontology_for(events, ontology)
    for is_new, event in _last_events(events):
        step = KINDS[event.draft.kind].create
        if step and inline_limit is not None and is_new and _is_complete(event.draft, inline_limit):
            projection.add(step, [_creation_row(domain, event, ontology)])
        else:
            _project_subject(projection, event)
            _project_derived(projection, event.draft, ontology, is_new=is_new)
        if name := inverse_type(event.draft, ontology):
            is_deleted = event.draft.op is Op.DELETE
            project_inverse(projection, event, name, is_deleted=is_deleted, is_new=is_new)
    return projection


def with_types(ontology: Ontology, drafts: Iterable[Draft]) -> Ontology:
    """Return the ontology with the types that the drafts add or change.

    Raises INVALID_NODE_TYPE if a connection type refers to an undefined node type, and INVALID_ONTOLOGY if there are
    too many types.
    """
    types = [type_from_draft(draft) for draft in drafts]
    return ontology.with_types(
        [declared_type for declared_type in types if isinstance(declared_type, NodeType)],
        [declared_type for declared_type in types if isinstance(declared_type, ConnectionType)],
    )


def ontology_state(ontology: Ontology) -> State:
    """Return the stored state of an ontology: whether it is open, and its description."""
    return without_nulls({"_open": ontology.open, "_description": ontology.description or None})


def new_type_draft(declared_type: AnyType) -> Draft:
    """Return the draft that adds a type with a new name.

    Raises INVALID_ARGUMENT if the name contains invisible characters. Only new names are checked, because older types'
    names may contain such characters.
    """
    kind = "Node type" if isinstance(declared_type, NodeType) else "Connection type"
    for name in (declared_type.name, *([declared_type.inverse] if isinstance(declared_type, ConnectionType) else [])):
        check_visible(kind, name)
    return type_draft(declared_type)


def type_draft(declared_type: AnyType) -> Draft:
    """Return the draft that adds a type. The type may be a copy of an inherited type. Does not check its name."""
    kind = TYPE_OF[kind_of_type(declared_type)]
    return Draft(op=Op.CREATE, kind=kind, subject=subject_of_type(declared_type), state=type_state(declared_type))


def type_from_draft(draft: Draft) -> AnyType:
    """Return the type that the draft adds or changes."""
    return type_from_json(cast("str", (draft.state or {})["_definition"]))


def type_from_json(definition: str) -> AnyType:
    """Return the type that a JSON definition declares."""
    data = json.loads(definition)
    return connection_type_from(data) if "from_types" in data else node_type_from(data)


def _ontology_for(events: Sequence[Event], ontology: Ontology) -> Ontology:
    """Return the ontology with the types that the batch adds or changes."""
    drafts_by_type = {event.draft.subject: event.draft for event in events if event.draft.kind in TYPES}
    changed_types = {subject: draft for subject, draft in drafts_by_type.items() if draft.state is not None}
    is_used = any(f"{event.draft.kind}_type/{event.draft.type}" in changed_types for event in events)
    return with_types(ontology, changed_types.values()) if is_used else ontology


def _last_events(events: Sequence[Event]) -> list[tuple[bool, Event]]:
    """Return each subject's last event, with content from earlier events, and whether the batch creates the subject.

    Subjects that the batch both creates and deletes are omitted.
    """
    by_subject: dict[str, tuple[bool, Event]] = {}
    for event in events:
        is_new, earlier = by_subject.pop(event.draft.subject, (event.draft.op is Op.CREATE, event))
        by_subject[event.draft.subject] = (is_new, _with_content(event, earlier.draft))
    return [(is_new, event) for is_new, event in by_subject.values() if not (is_new and event.draft.op is Op.DELETE)]


def _with_content(event: Event, earlier: Draft) -> Event:
    if event.draft.content is not None or earlier.content is None:
        return event
    return replace(event, draft=replace(event.draft, content=earlier.content, windows=earlier.windows))


def _is_complete(draft: Draft, inline_limit: int) -> bool:
    """Return whether one row can create the subject: its text is in the draft, and small enough for Neo4j."""
    content = draft.content
    if draft.op is not Op.CREATE or content is None:
        return draft.op is Op.CREATE and content_ref(draft.state or {}) is None
    return not content.is_text or content.size <= inline_limit


def _creation_row(domain: str, event: Event, ontology: Ontology) -> Row:
    draft = event.draft
    return {
        "event": event,
        "text": draft.content.text if draft.content else None,
        "keys": key_rows(domain, draft, indexes_in(draft.kind, draft.type or "", ontology)),
        "windows": window_rows(domain, draft) if draft.kind is Kind.NODE else [],
        "ends": _allowed_ends(ontology.find_connection_type(draft.type or "")) if draft.to_id else None,
    }


def _allowed_ends(connection_type: ConnectionType | None) -> Row:
    """Return the allowed node types of the source and of the target. An endpoint that allows all types is omitted.

    The write itself checks the endpoints, because a cached node type can be out of date.
    """
    ends = {"source": connection_type.from_types, "target": connection_type.to_types} if connection_type else {}
    return {side: list(types) for side, types in ends.items() if types != (ANY,)}


def _project_subject(projection: Projection, event: Event) -> None:
    draft = event.draft
    steps = KINDS[draft.kind]
    if draft.op is not Op.DELETE:
        projection.add(steps.put, [_put_row(event)])
    elif steps.drop is not None:
        is_erased = draft.kind is Kind.CONNECTION and draft.type is None
        projection.add(steps.drop, [] if is_erased else [_drop_row(draft)])


def _drop_row(draft: Draft) -> Row:
    if draft.kind in TYPES:
        return {"kind": str(draft.kind), "name": type_name(draft.subject)}
    return {"id": draft.subject, "from": draft.from_id, "to": draft.to_id}


def _put_row(event: Event) -> Row:
    draft = event.draft
    content = content_ref(draft.state or {})
    return {
        "id": draft.subject,
        "type": draft.type,
        "from": draft.from_id,
        "to": draft.to_id,
        "content": content.sha256 if content is not None and content.is_text else None,
        "text": searchable_text(draft),
        "state": live_state(event),
    }


def project_inverse(
    projection: Projection,
    event: Event,
    name: str,
    *,
    is_deleted: bool = False,
    is_new: bool = False,
    kept_type: str = "",
) -> None:
    """Add the row that writes or deletes the inverse relationship of an event's connection.

    `name` is the inverse relationship's type. An existing relationship of the type `kept_type` is kept.
    """
    row = inverse_ends(event.draft)
    if is_deleted:
        projection.add(Step.DROP_INVERSES, [row])
    else:
        row |= {"type": name, "stays": kept_type, "is_new": is_new, "state": inverse_state(event, name)}
        projection.add(Step.PUT_INVERSES, [row])


def inverse_ends(draft: Draft) -> Row:
    """Return the row that identifies a connection's inverse relationship: the connection's id and swapped endpoints."""
    return {"owner": draft.subject, "from": draft.to_id, "to": draft.from_id}


def inverse_type(draft: Draft, ontology: Ontology) -> str:
    """Return the type of a connection's inverse relationship, or an empty string if there is none."""
    connection_type = ontology.find_connection_type(draft.type or "") if draft.kind is Kind.CONNECTION else None
    return connection_type.materialized_as if connection_type else ""


def inverse_state(event: Event, name: str) -> State:
    """Return the properties of a connection's inverse relationship.

    It has no id, so that look-ups of connections do not return it. It has no evidence, content or protection either.
    """
    state = {key: value for key, value in live_state(event).items() if not key.startswith(_OMITTED_PREFIXES)}
    return {**state, "_type": name, INVERSE_OF: event.draft.subject, "_creation_method": "automatic"}


INVERSE_OF = "_inverse_of"
"""The property of an inverse relationship that contains its connection's id."""
_OMITTED_PREFIXES = ("_id", "_evidence", PROTECTION, CONTENT)
"""Prefixes of the properties that an inverse relationship does not have."""


def live_state(event: Event) -> State:
    """Return the properties of the event's subject in the live graph, without the text of its content."""
    draft = event.draft
    header: dict[str, StoredValue] = {"_domain": event.domain, "_id": draft.subject, "_version": event.seq}
    if draft.kind is Kind.DOMAIN:
        return dict(draft.state or {})
    if draft.type is not None:
        header["_type"] = draft.type
    return {**(draft.state or {}), **header, **search_state(draft)}


def search_state(draft: Draft) -> State:
    """Return the properties by which the live graph's indexes find a subject: an entity or observation, or none."""
    state, text = draft.state or {}, searchable_text(draft)
    is_entity = draft.kind is Kind.NODE and ENTITY in state and isinstance(state.get("name"), str)
    name_key: State = {ENTITY_NAME: entity_key(str(state["name"]))} if is_entity else {}
    alias_flag: State = {CALLED: True} if is_entity and isinstance(state.get("aliases"), str) else {}
    return name_key if text is None else {**name_key, **length_state(text), **alias_flag}


def searchable_text(draft: Draft) -> str | None:
    """Return an entity's names and type, one per line, or an observation's text. Return None for other subjects."""
    state = draft.state or {}
    if draft.kind is Kind.OBSERVATION:
        return str(state[TEXT]) if TEXT in state else None
    lines = [state.get("name"), state.get(ENTITY), state.get("aliases")]
    is_searchable = (
        draft.kind is Kind.NODE and all(isinstance(line, str) for line in lines[:2]) and MENTIONED not in state
    )
    return "\n".join(line for line in lines if isinstance(line, str)) if is_searchable else None


def _project_derived(projection: Projection, draft: Draft, ontology: Ontology, *, is_new: bool) -> None:
    """Add a subject's index keys and search windows. The statements do not change existing rows."""
    domain, owner = projection.domain, draft.subject
    indexes = indexes_in(draft.kind, draft.type or "", ontology)
    has_windows = draft.kind is Kind.NODE and (draft.content is not None or draft.windows is not None)
    if draft.op is Op.DELETE:
        projection.add(Step.DROP_KEYS, [{"owner": owner}] if indexes else ())
        projection.add(Step.DROP_WINDOWS, [{"owner": owner}] if draft.kind is Kind.NODE else ())
        return
    may_be_of_another_type = ENTITY in (draft.state or {})
    derived = (
        (Step.PUT_KEYS, bool(indexes) or may_be_of_another_type, key_rows(domain, draft, indexes)),
        (Step.PUT_WINDOWS, has_windows, window_rows(domain, draft) if has_windows else []),
    )
    for step, is_set, rows in derived:
        projection.add(step, [{"owner": owner, "rows": rows}] if is_set and (rows or not is_new) else ())


def indexes_in(kind: Kind, type_name: str, ontology: Ontology) -> tuple[Index, ...]:
    """Return a type's indexes, or none if the ontology does not declare the type."""
    return indexes_of(declared_type(kind, type_name, ontology))


def declared_type(kind: Kind, type_name: str, ontology: Ontology) -> AnyType | None:
    """Return the declared type of nodes or connections with this name, or None if there is none of this kind."""
    find = {Kind.NODE: ontology.find_node_type, Kind.CONNECTION: ontology.find_connection_type}.get(kind)
    return find(type_name) if find else None


def key_rows(domain: str, draft: Draft, indexes: Sequence[Index]) -> list[Row]:
    """Return a subject's `_Key` rows: one for each index whose properties the subject has."""
    state = cast("Mapping[str, PropertyValue]", draft.state or {})
    return [
        {
            "_domain": domain,
            "_kind": str(draft.kind),
            "_type": draft.type,
            "_property": index_name(index),
            "_value": index_value(index, state, draft.subject),
            "_owner": draft.subject,
        }
        for index in indexes
        if all(name in state for name in index)
    ]


def window_rows(domain: str, draft: Draft) -> list[Row]:
    """Return the `_Window` rows of a node's content, which are indexed later. Binary content has no windows."""
    window_texts = draft.windows
    if window_texts is None:
        window_texts = windows((draft.content.text if draft.content else None) or "")
    return [
        {
            "_domain": domain,
            "_owner": draft.subject,
            "_type": draft.type,
            "_place": position,
            "_text": window,
        }
        for position, window in enumerate(window_texts)
    ]

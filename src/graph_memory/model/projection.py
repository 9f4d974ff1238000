"""The projector: turns events into rows for a few static statements.

Live writes and rebuilds share it. Each step is one file under `cypher/log/`; the steps run in their order. If several
events of a batch are about one subject, its rows have the last state.
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
    present,
)
from graph_memory.model.text.search_windows import windows
from graph_memory.model.text.visible import check_visible
from graph_memory.model.values.properties import ANY, PropertyValue

Row = dict[str, object]


@dataclass(slots=True)
class Projection:
    """The rows of each step."""

    domain: str
    rows: dict[Step, list[Row]] = field(default_factory=dict[Step, list[Row]])

    def add(self, step: Step, rows: Iterable[Row]) -> None:
        """Add rows to a step. A step without rows does not run."""
        if new := list(rows):
            self.rows.setdefault(step, []).extend(new)

    @property
    def created_seqs(self) -> set[int]:
        """The numbers of the events that are appended to the log by the rows of new subjects."""
        rows = (row for kind in KINDS.values() if kind.create for row in self.rows.get(kind.create, ()))
        return {cast("Event", row["event"]).seq for row in rows}

    def extend(self, more: Projection) -> None:
        """Add the rows of another projection of the same domain."""
        for step, rows in more.rows.items():
            self.add(step, rows)

    @property
    def size(self) -> int:
        """The number of rows, including derived rows."""
        return sum(row_count(row) for rows in self.rows.values() for row in rows)


def row_count(row: Row) -> int:
    """Return the number of rows that a row counts as: its derived rows, and two more if it creates a subject."""
    derived = sum(len(cast("list[Row]", row.get(name, ()))) for name in ("rows", "keys", "windows"))
    return 2 + derived if "event" in row else max(1, derived)


def project(domain: str, events: Sequence[Event], ontology: Ontology, *, inline_limit: int | None = None) -> Projection:
    """Return the changes that events make to the live graph and the derived rows.

    `ontology` is the ontology before the events.

    Pass `inline_limit` (the maximum size in bytes of text that Neo4j stores) for events that are not in the log yet.
    The rows of new subjects then append their events too.
    """
    projection = Projection(domain)
    ontology = _ontology_for(events, ontology)
    for created_here, event in _last_events(events):
        step = KINDS[event.draft.kind].create
        if step and inline_limit is not None and created_here and _is_complete(event.draft, inline_limit):
            projection.add(step, [_creation_row(domain, event, ontology)])
        else:
            _project_subject(projection, event)
            _project_derived(projection, event.draft, ontology, is_new=created_here)
        if name := inverse_type(event.draft, ontology):
            is_deleted = event.draft.op is Op.DELETE
            project_inverse(projection, event, name, is_deleted=is_deleted, is_new=created_here)
    return projection


def with_types(ontology: Ontology, drafts: Iterable[Draft]) -> Ontology:
    """Return the ontology with the types that drafts add or change.

    Raises INVALID_NODE_TYPE for an end that is not defined, and INVALID_ONTOLOGY for too many types.
    """
    types = [type_from_draft(draft) for draft in drafts]
    return ontology.with_types(
        [declared for declared in types if isinstance(declared, NodeType)],
        [declared for declared in types if isinstance(declared, ConnectionType)],
    )


def ontology_state(ontology: Ontology) -> State:
    """Return the state of an ontology without its types."""
    return present({"_open": ontology.open, "_description": ontology.description or None})


def new_type_draft(declared: AnyType) -> Draft:
    """Return the draft that adds a type under a new name. Raises INVALID_ARGUMENT for invisible characters in it.

    Older stored types may have such characters in their names.
    """
    kind = "Node type" if isinstance(declared, NodeType) else "Connection type"
    for name in (declared.name, *([declared.inverse] if isinstance(declared, ConnectionType) else [])):
        check_visible(kind, name)
    return type_draft(declared)


def type_draft(declared: AnyType) -> Draft:
    """Return the draft that adds a type. The type may be a copy of an inherited one."""
    kind = TYPE_OF[kind_of_type(declared)]
    return Draft(op=Op.CREATE, kind=kind, subject=subject_of_type(declared), state=type_state(declared))


def type_from_draft(draft: Draft) -> AnyType:
    """Return the type that a draft of a type declares."""
    return type_from_json(cast("str", (draft.state or {})["_definition"]))


def type_from_json(definition: str) -> AnyType:
    """Return the type that a JSON definition declares."""
    data = json.loads(definition)
    return connection_type_from(data) if "from_types" in data else node_type_from(data)


def _ontology_for(events: Sequence[Event], ontology: Ontology) -> Ontology:
    """Return the ontology with the types that the batch adds or changes."""
    types = {event.draft.subject: event.draft for event in events if event.draft.kind in TYPES}
    changed = {subject: draft for subject, draft in types.items() if draft.state is not None}
    is_used = any(f"{event.draft.kind}_type/{event.draft.type}" in changed for event in events)
    return with_types(ontology, changed.values()) if is_used else ontology


def _last_events(events: Sequence[Event]) -> list[tuple[bool, Event]]:
    """Return each subject's last event with its content, and whether the batch creates the subject."""
    last: dict[str, tuple[bool, Event]] = {}
    for event in events:
        created_here, earlier = last.pop(event.draft.subject, (event.draft.op is Op.CREATE, event))
        last[event.draft.subject] = (created_here, _with_content(event, earlier.draft))
    return [pair for pair in last.values() if not (pair[0] and pair[1].draft.op is Op.DELETE)]


def _with_content(event: Event, earlier: Draft) -> Event:
    if event.draft.content is not None or earlier.content is None:
        return event
    return replace(event, draft=replace(event.draft, content=earlier.content, windows=earlier.windows))


def _is_complete(draft: Draft, inline_limit: int) -> bool:
    """Return whether one row can create the subject: its content is at hand, and small enough for Neo4j."""
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


def _allowed_ends(declared: ConnectionType | None) -> Row:
    """Return the node types that each restricted end allows.

    The write itself checks the ends, because a cached node type can be out of date.
    """
    ends = {"source": declared.from_types, "target": declared.to_types} if declared else {}
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
    return {
        "id": draft.subject,
        "type": draft.type,
        "from": draft.from_id,
        "to": draft.to_id,
        "content": _text_hash(draft.state or {}),
        "text": searchable_text(draft),
        "state": live_state(event),
    }


def project_inverse(
    projection: Projection, event: Event, name: str, *, is_deleted: bool = False, is_new: bool = False, stays: str = ""
) -> None:
    """Add the row that creates or deletes a connection's inverse relationship of the type `name`.

    An inverse relationship of the type `stays` is not deleted.
    """
    row = inverse_ends(event.draft)
    if is_deleted:
        projection.add(Step.DROP_INVERSES, [row])
    else:
        row |= {"type": name, "stays": stays, "is_new": is_new, "state": inverse_state(event, name)}
        projection.add(Step.PUT_INVERSES, [row])


def inverse_ends(draft: Draft) -> Row:
    """Return the id of the connection that an inverse relationship belongs to, and the connection's ends, swapped."""
    return {"owner": draft.subject, "from": draft.to_id, "to": draft.from_id}


def inverse_type(draft: Draft, ontology: Ontology) -> str:
    """Return the type of a subject's inverse relationship, or empty text if it has none."""
    declared = ontology.find_connection_type(draft.type or "") if draft.kind is Kind.CONNECTION else None
    return declared.materialized_as if declared else ""


def inverse_state(event: Event, name: str) -> State:
    """Return the properties of the inverse relationship of a connection.

    It has no id, so that look-ups of connections do not return it, and no evidence, content or protection.
    """
    state = {key: value for key, value in live_state(event).items() if not key.startswith(_ONLY_FIRST)}
    return {**state, "_type": name, INVERSE_OF: event.draft.subject, "_creation_method": "automatic"}


INVERSE_OF = "_inverse_of"
"""The property of an inverse relationship that has the id of its connection."""
_ONLY_FIRST = ("_id", "_evidence", PROTECTION, CONTENT)
"""Prefixes of the properties that an inverse relationship does not have."""


def _text_hash(state: State) -> StoredValue | None:
    """Return the hash of a state's content if it is text. The live graph also stores small text."""
    ref = content_ref(state)
    return ref.sha256 if ref is not None and ref.is_text else None


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
    """Return the properties that the live graph stores to find an entity or an observation."""
    state, text = draft.state or {}, searchable_text(draft)
    is_entity = draft.kind is Kind.NODE and ENTITY in state and isinstance(state.get("name"), str)
    key: State = {ENTITY_NAME: entity_key(str(state["name"]))} if is_entity else {}
    called: State = {CALLED: True} if is_entity and isinstance(state.get("aliases"), str) else {}
    return key if text is None else {**key, **length_state(text), **called}


def searchable_text(draft: Draft) -> str | None:
    """Return the names and the type of an entity, one per line, or the text of an observation.

    Return None for other subjects.
    """
    state = draft.state or {}
    if draft.kind is Kind.OBSERVATION:
        return str(state[TEXT]) if TEXT in state else None
    texts = [state.get("name"), state.get(ENTITY), state.get("aliases")]
    is_searchable = (
        draft.kind is Kind.NODE and all(isinstance(text, str) for text in texts[:2]) and MENTIONED not in state
    )
    return "\n".join(text for text in texts if isinstance(text, str)) if is_searchable else None


def _project_derived(projection: Projection, draft: Draft, ontology: Ontology, *, is_new: bool) -> None:
    """Add the derived rows of a subject. The statements do not change rows that exist already."""
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
    """Return the indexes of a type, or none if the ontology does not declare the type."""
    return indexes_of(declared_type(kind, type_name, ontology))


def declared_type(kind: Kind, type_name: str, ontology: Ontology) -> AnyType | None:
    """Return the declaration of a type of nodes or connections, or None."""
    find = {Kind.NODE: ontology.find_node_type, Kind.CONNECTION: ontology.find_connection_type}.get(kind)
    return find(type_name) if find else None


def key_rows(domain: str, draft: Draft, indexes: Sequence[Index]) -> list[Row]:
    """Return the `_Key` rows of a subject: one for each index whose properties it has."""
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
    """Return the `_Window` rows of a node's content, which are indexed later. Binary content has none."""
    texts = draft.windows
    if texts is None:
        texts = windows((draft.content.text if draft.content else None) or "")
    return [
        {
            "_domain": domain,
            "_owner": draft.subject,
            "_type": draft.type,
            "_place": place,
            "_text": window,
        }
        for place, window in enumerate(texts)
    ]

"""The one projector: events in, rows for a handful of static statements out.

Live writes and rebuilds share it. Each step is one file under `cypher/log/`, in the order in which they
run; rows of subjects that an earlier event in the same batch touched are folded to their last state.
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
    present,
    searched,
)
from graph_memory.model.text.search_windows import windows
from graph_memory.model.text.visible import check_visible
from graph_memory.model.values.properties import ANY, PropertyValue

Row = dict[str, object]


@dataclass(slots=True)
class Projection:
    """Rows for each step."""

    domain: str
    rows: dict[Step, list[Row]] = field(default_factory=dict[Step, list[Row]])

    def add(self, step: Step, rows: Iterable[Row]) -> None:
        """Add rows to a step; a step without rows is never run."""
        if new := list(rows):
            self.rows.setdefault(step, []).extend(new)

    @property
    def begun(self) -> set[int]:
        """The numbers of the events that the rows of new subjects append."""
        rows = (row for kind in KINDS.values() if kind.create for row in self.rows.get(kind.create, ()))
        return {cast("Event", row["event"]).seq for row in rows}

    def extend(self, more: Projection) -> None:
        """Add the rows of another projection of the same domain."""
        for step, rows in more.rows.items():
            self.add(step, rows)

    @property
    def size(self) -> int:
        """The number of rows, each derived row counted by itself."""
        return sum(weight(row) for rows in self.rows.values() for row in rows)


def weight(row: Row) -> int:
    """Return how many rows there are in one: an owner's holds its derived rows, a new subject's those and its event."""
    derived = sum(len(cast("list[Row]", row.get(name, ()))) for name in ("rows", "keys", "windows"))
    return 2 + derived if "event" in row else max(1, derived)


def project(domain: str, events: Sequence[Event], ontology: Ontology, *, inline_limit: int | None = None) -> Projection:
    """Return what the events do to the live graph and to the derived rows; `ontology` is that before them.

    Events that are not in the log yet are given with the size in bytes up to which text is kept in Neo4j: the rows of
    new subjects then append their events too.
    """
    projection = Projection(domain)
    ontology = _ontology_for(events, ontology)
    for created_here, event in _last_of_each(events):
        step = KINDS[event.draft.kind].create
        if step and inline_limit is not None and created_here and _is_complete(event.draft, inline_limit):
            projection.add(step, [_creation_row(domain, event, ontology)])
        else:
            _project_subject(projection, event)
            _project_derived(projection, event.draft, ontology, is_new=created_here)
        if name := materialized_as(event.draft, ontology):
            is_gone = event.draft.op is Op.DELETE
            project_inverse(projection, event, name, is_gone=is_gone, is_new=created_here)
    return projection


def with_types(ontology: Ontology, drafts: Iterable[Draft]) -> Ontology:
    """Return the ontology with the types that drafts add or change.

    Raises INVALID_NODE_TYPE for an end that is not defined, and INVALID_ONTOLOGY for too many types.
    """
    types = [declared_by(draft) for draft in drafts]
    return ontology.with_types(
        [one for one in types if isinstance(one, NodeType)], [one for one in types if isinstance(one, ConnectionType)]
    )


def ontology_state(ontology: Ontology) -> State:
    """Return what an event keeps of an ontology beside its types."""
    return present({"_open": ontology.open, "_description": ontology.description or None})


def new_type_draft(declared: AnyType) -> Draft:
    """Return the event that adds a type under a name that no type had; raises INVALID_ARGUMENT if it hides characters.

    Types that are stored already may have such names: the rule is younger than they are.
    """
    kind = "Node type" if isinstance(declared, NodeType) else "Connection type"
    for name in (declared.name, *([declared.inverse] if isinstance(declared, ConnectionType) else [])):
        check_visible(kind, name)
    return type_draft(declared)


def type_draft(declared: AnyType) -> Draft:
    """Return the event that adds a type which a domain above has."""
    kind = TYPE_OF[kind_of_type(declared)]
    return Draft(op=Op.CREATE, kind=kind, subject=subject_of_type(declared), state=type_state(declared))


def declared_by(draft: Draft) -> AnyType:
    """Return the type that a draft of one declares."""
    return declared_in(cast("str", (draft.state or {})["_definition"]))


def declared_in(definition: str) -> AnyType:
    """Return the type of a definition in JSON: only connection types have ends."""
    data = json.loads(definition)
    return connection_type_from(data) if "from_types" in data else node_type_from(data)


def _ontology_for(events: Sequence[Event], ontology: Ontology) -> Ontology:
    """Return the ontology with the types that come, or change, in the same batch as something that is of them."""
    types = {event.draft.subject: event.draft for event in events if event.draft.kind in TYPES}
    changed = {subject: draft for subject, draft in types.items() if draft.state is not None}
    is_used = any(f"{event.draft.kind}_type/{event.draft.type}" in changed for event in events)
    return with_types(ontology, changed.values()) if is_used else ontology


def _last_of_each(events: Sequence[Event]) -> list[tuple[bool, Event]]:
    """Return each subject's last event with the batch's content of it, and whether it began within the batch."""
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
    """Say whether a change has all that makes a new subject: what it has for content, and no text that is elsewhere."""
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
    """Return the types that the ends of a connection may have, null for any: they may have been assumed."""
    given = {"source": declared.from_types, "target": declared.to_types} if declared else {}
    return {end: list(types) for end, types in given.items() if types != (ANY,)}


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
    return {"id": draft.subject, "type": draft.type}


def _put_row(event: Event) -> Row:
    draft = event.draft
    return {
        "id": draft.subject,
        "type": draft.type,
        "from": draft.from_id,
        "to": draft.to_id,
        "content": _text_hash(draft.state or {}),
        "text": searched_text(draft),
        "state": live_state(event),
    }


def project_inverse(
    projection: Projection, event: Event, name: str, *, is_gone: bool = False, is_new: bool = False, stays: str = ""
) -> None:
    """Say that the second relationship of a connection, of the type `name`, is to be there, or is to go.

    Another one of the type `stays` is left as it is.
    """
    row = inverse_place(event.draft)
    if is_gone:
        projection.add(Step.DROP_INVERSES, [row])
    else:
        made: Row = {"type": name, "stays": stays, "is_new": is_new, "state": inverse_state(event, name)}
        projection.add(Step.PUT_INVERSES, [{**row, **made}])


def inverse_place(draft: Draft) -> Row:
    """Return whose second relationship it is, and between which nodes it is: those of the connection, turned round."""
    return {"owner": draft.subject, "from": draft.to_id, "to": draft.from_id}


def materialized_as(draft: Draft, ontology: Ontology) -> str:
    """Return the type of the second relationship of a subject, empty where it has none."""
    declared = ontology.find_connection_type(draft.type or "") if draft.kind is Kind.CONNECTION else None
    return declared.materialized_as if declared else ""


def inverse_state(event: Event, name: str) -> State:
    """Return the properties of the second relationship of a connection: those of the first, but for what is the log's.

    It has no id, which keeps it from every look-up of connections, and no content and protection of its own.
    """
    state = {key: value for key, value in live_state(event).items() if not key.startswith(_ONLY_FIRST)}
    return {**state, "_type": name, INVERSE_OF: event.draft.subject, "_creation_method": "automatic"}


INVERSE_OF = "_inverse_of"
"""The property of a second relationship that has the id of its connection."""
_ONLY_FIRST = ("_id", "_evidence", PROTECTION, CONTENT)
"""How the names begin of what only the first relationship has."""


def _text_hash(state: State) -> StoredValue | None:
    """Return the hash of a state's content when that is text, which the live graph shows where it is small."""
    ref = content_ref(state)
    return ref.sha256 if ref is not None and ref.is_text else None


def live_state(event: Event) -> State:
    """Return the properties that the event's subject has in the live graph, but for the text of its content."""
    draft = event.draft
    header: dict[str, StoredValue] = {"_domain": event.domain, "_id": draft.subject, "_version": event.seq}
    if draft.kind is Kind.DOMAIN:
        return dict(draft.state or {})
    if draft.type is not None:
        header["_type"] = draft.type
    return {**(draft.state or {}), **header, **found_by(draft)}


def found_by(draft: Draft) -> State:
    """Return what the live graph has of an entity, or an observation, so that it is found by its names or text."""
    state, text = draft.state or {}, searched_text(draft)
    is_entity = draft.kind is Kind.NODE and ENTITY in state and isinstance(state.get("name"), str)
    key: State = {ENTITY_NAME: entity_key(str(state["name"]))} if is_entity else {}
    called: State = {CALLED: True} if is_entity and isinstance(state.get("aliases"), str) else {}
    return key if text is None else {**key, **searched(text), **called}


def searched_text(draft: Draft) -> str | None:
    """Return the text by which an entity, or an observation, is found: one a line; None for all else."""
    state = draft.state or {}
    if draft.kind is Kind.OBSERVATION:
        return str(state[TEXT]) if TEXT in state else None
    texts = [state.get("name"), state.get(ENTITY), state.get("aliases")]
    is_found = draft.kind is Kind.NODE and all(isinstance(one, str) for one in texts[:2]) and MENTIONED not in state
    return "\n".join(one for one in texts if isinstance(one, str)) if is_found else None


def _project_derived(projection: Projection, draft: Draft, ontology: Ontology, *, is_new: bool) -> None:
    """Say what the derived rows of a subject are to be. Those that are so already are not touched by the statements."""
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
    """Return the indexes of a type of an ontology; none of what has no type, or of a type that is not declared."""
    return indexes_of(declared_type(kind, type_name, ontology))


def declared_type(kind: Kind, type_name: str, ontology: Ontology) -> AnyType | None:
    """Return what an ontology declares of a type of nodes or connections."""
    find = {Kind.NODE: ontology.find_node_type, Kind.CONNECTION: ontology.find_connection_type}.get(kind)
    return find(type_name) if find else None


def key_rows(domain: str, draft: Draft, indexes: Sequence[Index]) -> list[Row]:
    """Return the `_Key` rows of a subject's state; an index of which it lacks a property has none."""
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
    """Return the `_Window` rows of a node's content; binary content has none. They are indexed later."""
    made = draft.windows
    if made is None:
        made = windows((draft.content.text if draft.content else None) or "")
    return [
        {
            "_domain": domain,
            "_owner": draft.subject,
            "_type": draft.type,
            "_place": place,
            "_text": window,
        }
        for place, window in enumerate(made)
    ]

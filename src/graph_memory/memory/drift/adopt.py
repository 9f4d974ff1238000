"""Drafts events for changes made directly in Neo4j. Checks the changes against the ontology. Does no I/O."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from graph_memory.memory.changes.plan import Changeset, Context, Rule, Violation, unique_values
from graph_memory.memory.changes.values import UniqueValue
from graph_memory.memory.graph import connections, nodes
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.projection import INVERSE_OF, live_state
from graph_memory.model.results import Difference
from graph_memory.model.rules import connection_rules
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.subjects.protection import PROTECTION
from graph_memory.model.subjects.subjects import ConnectionState, NodeState, content_ref
from graph_memory.model.text.wording import join_names
from graph_memory.model.values.arguments import check_new_id, check_tags
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.fields import COMPUTED, STORED, NodeFields, fields_from_texts
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.strength import (
    IMPORTANCE,
    NUMBERS,
    PROVENANCE_KEYS,
    STRENGTH,
    Strength,
    check_fraction,
    check_strength,
)
from graph_memory.model.values.titles import title_of

SERVICE_PROPERTIES = frozenset(
    {"_domain", "_id", "_type", "_version", "_created", "_modified", "_tags", "_content", *STORED.values(), *COMPUTED}
    | {"_content_format", "_content_encoding", "_content_size", "_content_sha256", "_valid_from", "_valid_to"}
    | {PROTECTION, *NUMBERS, *PROVENANCE_KEYS.values()}
)
"""Properties that the service writes on nodes and connections. Other names that begin with `_` are invalid."""
FORMAT = "markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftedSubject:
    """A subject that was changed outside graph-memory, with its last event and live state.

    Results list it under `id`.
    """

    id: str
    subject: str
    kind: Kind | None
    type: str | None
    last: Event | None = None
    stored: Mapping[str, object] | None = None
    labels: tuple[str, ...] = ()
    from_id: str | None = None
    to_id: str | None = None
    text: str | None = None
    differences: tuple[Difference, ...] = ()
    is_out_of_place: bool = False
    """Whether the subject is a connection whose type or endpoints differ from the log."""
    element: str | None = None
    """Neo4j's element id of a subject without a domain or id."""

    @property
    def is_in_log(self) -> bool:
        """Whether the subject exists according to the log."""
        return self.last is not None and self.last.draft.op is not Op.DELETE

    @property
    def is_gone(self) -> bool:
        """Whether the log has the subject, but the live graph does not."""
        return self.is_in_log and self.stored is None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftContext:
    """The data from the log and the ontology that is needed to adopt drifted subjects."""

    context: Context
    attached: Mapping[str, Sequence[DriftedSubject]] = field(default_factory=dict[str, Sequence[DriftedSubject]])
    """The subjects that the log attaches to each deleted node."""
    removed_connections: Sequence[DriftedSubject] = ()
    """The logged connections that were deleted or moved in the graph. They may be restored later."""


@dataclass(frozen=True, slots=True)
class Adoption:
    """The drafts that adopt changes, and the errors of changes that cannot be adopted, keyed by id."""

    drafts: tuple[Draft, ...]
    errors: Mapping[str, GraphError]


def plan_adoption(
    changes: Sequence[DriftedSubject], context: DriftContext, head: Head, not_adoptable: Mapping[str, GraphError]
) -> Adoption:
    """Return the drafts that adopt the changes. Rejects a change if it depends on a rejected change."""
    errors_by_change = dict(not_adoptable)
    while True:
        remaining = [change for change in changes if change.id not in errors_by_change]
        drafts, errors = _try_changes(remaining, context, head)
        if not errors:
            return Adoption(tuple(drafts), errors_by_change)
        errors_by_change |= errors


def _try_changes(
    changes_to_try: Sequence[DriftedSubject], context: DriftContext, head: Head
) -> tuple[list[Draft], dict[str, GraphError]]:
    """Return the drafts that adopt the changes, in order, and errors keyed by id.

    If rules are violated, returns no drafts, and only the errors that the first violated rule reports.
    """
    drafts_by_id, rejected = _make_drafts(changes_to_try, context, head)
    if rejected:
        return [], rejected
    changes = Changeset.of(context.context, drafts_by_id.values())
    for rule in changes.checks:
        violations = {change_id: violation for change_id, draft in drafts_by_id.items() if (violation := rule(draft))}
        if violations:
            return [], {change_id: _violation_error(violation, head) for change_id, violation in violations.items()}
    drafts = changes.in_order()
    return drafts, _barred_errors(drafts_by_id, drafts, context, head)


def _make_drafts(
    changes: Sequence[DriftedSubject], context: DriftContext, head: Head
) -> tuple[dict[str, Draft], dict[str, GraphError]]:
    """Return the drafts of the changes that can be adopted, and the errors of all other changes, keyed by id."""
    drafts: dict[str, Draft] = {}
    errors: dict[str, GraphError] = {}
    subjects: set[str] = set()
    for change in changes:
        try:
            if change.subject in subjects and not change.is_gone:
                raise drift_error(f"{change.subject} was created twice", "Remove the _id of one of the two.")
            drafts[change.id] = _draft_of(change, context, head)
            subjects.add(change.subject)
        except GraphError as error:
            errors[change.id] = error
    return drafts, errors


def _barred_errors(
    drafts_by_id: Mapping[str, Draft], drafts: Sequence[Draft], context: DriftContext, head: Head
) -> dict[str, GraphError]:
    """Return the errors of new connections that may break a rule if a removed connection is restored."""
    deleted_subjects = {draft.subject for draft in drafts if draft.op is Op.DELETE}
    removed_connections = [
        subject for subject in context.removed_connections if subject.subject not in deleted_subjects
    ]
    subject_by_claim = {
        claim: subject.id
        for subject in removed_connections
        if subject.last
        for claim in _claimed_ends(subject.last.draft, head)
    }
    errors: dict[str, GraphError] = {}
    for change_id, draft in drafts_by_id.items() if subject_by_claim else ():
        claims = _claimed_ends(draft, head) if draft.op is Op.CREATE else ()
        if removed_id := next((subject_by_claim[claim] for claim in claims if claim in subject_by_claim), None):
            message = (
                "The change cannot be adopted yet: it may break a rule of its type if connection "
                f"{removed_id}, which was removed outside graph-memory, is restored"
            )
            errors[change_id] = GraphError(
                Code.INVALID_TOPOLOGY, message, {"hint": f"Adopt or restore {removed_id} first."}
            )
    return errors


def _claimed_ends(draft: Draft, head: Head) -> list[tuple[str, str, str | None]]:
    """Return the type's rules for a connection, each with the type and the endpoints reserved for this connection."""
    connection_type = head.ontology.find_connection_type(draft.type or "") if draft.kind is Kind.CONNECTION else None
    if connection_type is None:
        return []
    claimed_ends = {"source": draft.from_id, "target": draft.to_id, "pair": f"{draft.from_id} {draft.to_id}"}
    claimed_ends["inverse"] = " ".join(
        sorted((draft.from_id or "", draft.to_id or "", connection_type.name, connection_type.other_name))
    )
    return [
        (rule.name, "" if rule.name == "inverse" else connection_type.name, claimed_ends.get(rule.name))
        for rule in connection_rules(connection_type)
    ]


def _draft_of(change: DriftedSubject, context: DriftContext, head: Head) -> Draft:
    if change.kind is Kind.CONNECTION and change.is_in_log and change.is_out_of_place:
        hint = "Restore it, and create the other connection without its _id."
        raise drift_error("The type and the ends of a connection cannot change, but this connection has others", hint)
    if change.is_gone:
        _check_deletable(change, context)
        return deletion_draft(change)
    match change.kind:
        case Kind.NODE if change.is_in_log:
            return _node_update(change, head)
        case Kind.NODE:
            return _node_creation(change, head)
        case Kind.CONNECTION if change.is_in_log:
            return _connection_update(change, head)
        case Kind.CONNECTION:
            return _connection_creation(change, head)
        case Kind.OBSERVATION | Kind.LINK:
            raise drift_error(f"Only a deleted {change.kind} can be adopted", "Restore it.")
        case Kind.NODE_TYPE | Kind.CONNECTION_TYPE | Kind.ONTOLOGY:
            hint = Hint("Restore it. To add types, use {graph-memory ontology}.")
            raise drift_error("The ontology cannot be changed outside graph-memory", hint)
        case _:
            raise drift_error("It is neither a node nor a connection", "Restore it.")


def _check_deletable(change: DriftedSubject, context: DriftContext) -> None:
    """Raise STORE_CONFLICT if a missing node still has a connection, since it may have lost only its label."""
    attached = context.attached.get(change.subject, ())
    if ids := [subject.id for subject in attached if subject.kind is Kind.CONNECTION and subject.stored is not None]:
        message = f"Its connection {ids[0]} still exists, so the node may have lost only its label _Node"
        raise drift_error(message, "Restore both. Then delete the node if you do not need it.")


def deletion_draft(change: DriftedSubject) -> Draft:
    """Return the draft that adopts a deletion. Raises STORE_CONFLICT for parts of the ontology."""
    if change.kind not in DATA or change.last is None:
        raise drift_error("The ontology cannot be changed outside graph-memory", "Restore it.")
    last = change.last
    return replace(last.draft, op=Op.DELETE, previous=last.seq, state=None, content=None)


def _node_update(change: DriftedSubject, head: Head) -> Draft:
    last, stored = _event_and_stored(change)
    before = NodeState.from_live(live_state(last))
    if set(change.labels) != {before.type}:
        hint = f"Give the node only the labels _Node and {before.type}, or restore the node."
        raise drift_error(
            f"The type of a node cannot change, but this node has the labels {join_names(change.labels)}", hint
        )
    content, properties = _content_of(change, before.content.format), _live_properties(stored)
    text = content.text if content is not None else None
    after = replace(
        before,
        properties=properties,
        tags=_tags_of(stored),
        fields=before.fields.with_changes(_live_fields(stored, before.fields), head.at),
        content=content.ref if content is not None else before.content,
        title=title_of(before.type, properties, text, previous=before.title if text is None else None),
    )
    _check_changes(same_state(after.state(), before.state()))
    state = replace(after, modified=head.at).state()
    return replace(last.draft, op=Op.UPDATE, previous=last.seq, state=state, content=content)


def _connection_update(change: DriftedSubject, head: Head) -> Draft:
    last, stored = _event_and_stored(change)
    before = ConnectionState.from_live(live_state(last), last.draft.from_id or "", last.draft.to_id or "")
    content = _content_of(change, before.content.format if before.content is not None else FORMAT)
    after = replace(
        before,
        properties=_live_properties(stored),
        content=content.ref if content is not None else before.content,
        strength=_strength_of(stored),
        importance=_importance_of(stored),
    )
    _check_changes(same_state(after.state(), before.state()))
    state = replace(after, modified=head.at).state()
    return replace(last.draft, op=Op.UPDATE, previous=last.seq, state=state, content=content)


def _node_creation(change: DriftedSubject, head: Head) -> Draft:
    stored = _require_stored(change)
    if len(change.labels) != 1 or stored.get("_type", change.labels[0]) != change.labels[0]:
        message = f"A node has one type, but this node has the labels {join_names(change.labels)}"
        raise drift_error(message, "Give it one label.")
    head.ontology.node_type(change.labels[0])
    _check_id_is_unused(change)
    new_node = nodes.NewNode(
        id=check_new_id("_id", change.subject),
        type=change.labels[0],
        content=_new_content(change),
        properties=_live_properties(stored),
        tags=_tags_of(stored),
        fields=_live_fields(stored),
    )
    return replace(nodes.creation_draft(head, new_node), windows=None)


def _connection_creation(change: DriftedSubject, head: Head) -> Draft:
    stored, type_name = _require_stored(change), change.type or ""
    if INVERSE_OF in stored:
        hint = "Restore it to remove it."
        raise drift_error(
            "It is marked as the inverse relationship of a connection, which only graph-memory creates", hint
        )
    if change.from_id is None or change.to_id is None:
        raise drift_error("It does not join two nodes of the domain", "Restore it to remove it.")
    head.ontology.connection_type(type_name)
    _check_id_is_unused(change)
    new_connection = connections.NewConnection(
        id=check_new_id("_id", change.subject),
        type=type_name,
        from_id=change.from_id,
        to_id=change.to_id,
        properties=_live_properties(stored),
        content=_new_content(change) if change.text is not None else None,
        strength=_strength_of(stored),
        importance=_importance_of(stored),
    )
    return connections.creation_draft(head, new_connection)


def _check_id_is_unused(change: DriftedSubject) -> None:
    if change.last is not None:
        hint = "Remove or change its _id, or restore it to delete it."
        raise drift_error(f"{change.subject} was deleted, and ids are never reused", hint)


def _check_changes(is_same: bool) -> None:
    if is_same:
        raise drift_error("Only data that graph-memory maintains itself differs", "Restore it.")


def _live_properties(stored: Mapping[str, object]) -> dict[str, PropertyValue]:
    """Return the user's properties of a live subject. Raises INVALID_PROPERTY for a reserved name, such as `_mine`."""
    return check_properties({key: value for key, value in stored.items() if key not in SERVICE_PROPERTIES})


def _tags_of(stored: Mapping[str, object]) -> tuple[str, ...]:
    return check_tags(cast("Sequence[str]", stored.get("_tags") or ()))


def _live_fields(stored: Mapping[str, object], before: NodeFields | None = None) -> dict[str, str | None]:
    """Return the live fields that differ from `before`. Only these are checked, since limits may be new."""
    previous = before or NodeFields()
    stored_values = {name: cast("str | None", stored.get(key)) for name, key in STORED.items()}
    changed_values = {name: value for name, value in stored_values.items() if value != getattr(previous, name)}
    return fields_from_texts({name: value or "" for name, value in changed_values.items()})


def _strength_of(stored: Mapping[str, object]) -> Strength:
    return check_strength({name: stored[key] for key, name in STRENGTH.items() if key in stored})


def _importance_of(stored: Mapping[str, object]) -> float | None:
    return check_fraction("importance", stored[IMPORTANCE]) if IMPORTANCE in stored else None


def _content_of(change: DriftedSubject, content_format: str) -> Content | None:
    """Return a subject's content: the live text if it was changed, otherwise the content in the log."""
    last, _ = _event_and_stored(change)
    ref = content_ref(last.draft.state or {})
    logged_content = last.draft.content
    if change.text is None or (ref and ref.sha256 == hashlib.sha256(change.text.encode()).hexdigest()):
        return logged_content
    if ref is not None and not ref.is_text:
        raise drift_error("Its content is binary, but text was written over it", "Restore it.")
    return content_from(change.text, "utf-8", content_format)


def _new_content(change: DriftedSubject) -> Content:
    content_format = _require_stored(change).get("_content_format")
    return content_from(change.text or "", "utf-8", content_format if isinstance(content_format, str) else FORMAT)


def _event_and_stored(change: DriftedSubject) -> tuple[Event, Mapping[str, object]]:
    return cast("Event", change.last), _require_stored(change)


def _require_stored(change: DriftedSubject) -> Mapping[str, object]:
    if change.stored is None:
        raise drift_error("Only derived rows of the subject are left", "Restore it.")
    return change.stored


def drift_error(message: str, hint: str) -> GraphError:
    """Return the STORE_CONFLICT error for a change that cannot be adopted or restored."""
    return GraphError(Code.STORE_CONFLICT, message, {"hint": hint})


def _violation_error(violation: Violation, head: Head) -> GraphError:
    """Return the error for a violation. The hint for a connection that breaks a rule is to remove it."""
    if violation.rule is not Rule.LINK:
        return violation.to_error(head.domain)
    hint = "Delete the other connection first, or restore this change to remove its connection."
    code = violation.error.code if violation.error else Code.INVALID_TOPOLOGY
    return GraphError(code, f"The change would break a rule: {violation.reason}", {"hint": hint})


def new_unique_values(changes: Iterable[DriftedSubject], head: Head) -> set[UniqueValue]:
    """Return the unique values of the live subjects in the changes."""
    return {
        value
        for change in changes
        if change.kind is not None and change.stored is not None
        for value in unique_values(change.kind, change.type or "", change.stored, head.ontology)
    }

"""Changes made by hand, as the log would have them: checked against the ontology like any write. Pure."""

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
from graph_memory.model.rules import link_rules
from graph_memory.model.subjects.kinds import DATA, Kind
from graph_memory.model.subjects.protection import PROTECTION
from graph_memory.model.subjects.subjects import ConnectionState, NodeState, content_ref
from graph_memory.model.text.wording import listed
from graph_memory.model.values.arguments import check_new_id, check_tags
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.fields import COMPUTED, STORED, NodeFields, fields_told
from graph_memory.model.values.properties import PropertyValue, check_properties
from graph_memory.model.values.strength import IMPORTANCE, MADE, NUMBERS, STRENGTH, Strength, check_strength, fraction
from graph_memory.model.values.titles import title_of

SERVICE = frozenset(
    {"_domain", "_id", "_type", "_version", "_created", "_modified", "_tags", "_content", *STORED.values(), *COMPUTED}
    | {"_content_format", "_content_encoding", "_content_size", "_content_sha256", "_valid_from", "_valid_to"}
    | {PROTECTION, *NUMBERS, *MADE.values()}
)
"""What the service itself keeps on nodes and connections; any other name that begins with `_` is nobody's."""
FORMAT = "markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftedSubject:
    """One subject that a hand changed: as the log has it, and as it was found. `id` names it to people."""

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
    """Whether it is a connection under another type or between other nodes than the log says."""
    element: str | None = None
    """The server's own name for what has no domain or id."""

    @property
    def is_known(self) -> bool:
        """Whether the log has it as something that exists."""
        return self.last is not None and self.last.draft.op is not Op.DELETE

    @property
    def is_gone(self) -> bool:
        """Whether the log has it and the live graph does not."""
        return self.is_known and self.stored is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a decision about changes by hand looks at besides these; the context is as the log has it."""

    context: Context
    attached: Mapping[str, Sequence[DriftedSubject]] = field(default_factory=dict[str, Sequence[DriftedSubject]])
    """For each node that is gone, what the log ties to it."""
    away: Sequence[DriftedSubject] = ()
    """Connections of the log that a hand deleted or moved, and that may be restored."""


@dataclass(frozen=True, slots=True)
class Adoption:
    """The changes to write, and what cannot be adopted, each with its reason."""

    drafts: tuple[Draft, ...]
    refused: Mapping[str, GraphError]


def adoption(
    changes: Sequence[DriftedSubject], around: Around, head: Head, unfit: Mapping[str, GraphError]
) -> Adoption:
    """Return the events that adopt changes; one that is refused takes those with it that need it."""
    refused = dict(unfit)
    while True:
        left = [change for change in changes if change.id not in refused]
        drafts, errors = _attempt(left, around, head)
        if not errors:
            return Adoption(tuple(drafts), refused)
        refused |= errors


def _attempt(left: Sequence[DriftedSubject], context: Around, head: Head) -> tuple[list[Draft], dict[str, GraphError]]:
    """Return the changes, or what refuses some of them; one rule at a time, as what it refuses is asked no other."""
    made, refused = _made(left, context, head)
    if refused:
        return [], refused
    changes = Changeset.of(context.context, made.values())
    for rule in changes.rules:
        against = {id_: violation for id_, draft in made.items() if (violation := rule(draft))}
        if against:
            return [], {id_: _against(violation, head) for id_, violation in against.items()}
    drafts = changes.ordered()
    return drafts, _barring(made, drafts, context, head)


def _made(
    left: Sequence[DriftedSubject], context: Around, head: Head
) -> tuple[dict[str, Draft], dict[str, GraphError]]:
    """Return the change of each by its id, and what refuses to be one."""
    made: dict[str, Draft] = {}
    refused: dict[str, GraphError] = {}
    subjects: set[str] = set()
    for change in left:
        try:
            if change.subject in subjects and not change.is_gone:
                raise _refusal(f"{change.subject} was created twice", "Remove the _id of one.")
            made[change.id] = _draft(change, context, head)
            subjects.add(change.subject)
        except GraphError as error:
            refused[change.id] = error
    return made, refused


def _barring(made: Mapping[str, Draft], drafts: Sequence[Draft], context: Around, head: Head) -> dict[str, GraphError]:
    """Refuse what was made where a connection that could come back bars it, by the rules of their type."""
    gone = {draft.subject for draft in drafts if draft.op is Op.DELETE}
    away = [subject for subject in context.away if subject.subject not in gone]
    claimed = {claim: subject.id for subject in away if subject.last for claim in _claims(subject.last.draft, head)}
    refused: dict[str, GraphError] = {}
    for id_, draft in made.items() if claimed else ():
        claims = _claims(draft, head) if draft.op is Op.CREATE else ()
        if barring := next((claimed[claim] for claim in claims if claim in claimed), None):
            message = f"A rule of its type may forbid it beside {barring}, which was removed outside graph-memory"
            refused[id_] = GraphError(Code.INVALID_TOPOLOGY, message, {"hint": f"Adopt or restore {barring} first."})
    return refused


def _claims(draft: Draft, head: Head) -> list[tuple[str, str, str | None]]:
    """Return what a connection takes for itself, or for the acyclic rest of its type."""
    declared = head.ontology.find_connection_type(draft.type or "") if draft.kind is Kind.CONNECTION else None
    if declared is None:
        return []
    ends = {"source": draft.from_id, "target": draft.to_id, "pair": f"{draft.from_id} {draft.to_id}"}
    ends["inverse"] = " ".join(sorted((draft.from_id or "", draft.to_id or "", declared.name, declared.other_name)))
    return [
        (rule.name, "" if rule.name == "inverse" else declared.name, ends.get(rule.name))
        for rule in link_rules(declared)
    ]


def _draft(change: DriftedSubject, context: Around, head: Head) -> Draft:
    if change.kind is Kind.CONNECTION and change.is_known and change.is_out_of_place:
        hint = "Restore it, and create the other connection without its _id."
        raise _refusal("The type and ends of a connection cannot change, and these did", hint)
    if change.is_gone:
        _check_gone(change, context)
        return gone(change)
    match change.kind:
        case Kind.NODE if change.is_known:
            return _changed_node(change, head)
        case Kind.NODE:
            return _made_node(change, head)
        case Kind.CONNECTION if change.is_known:
            return _changed_connection(change, head)
        case Kind.CONNECTION:
            return _made_connection(change, head)
        case Kind.OBSERVATION | Kind.LINK:
            raise _refusal(f"Only a deleted {change.kind} can be adopted", "Restore it.")
        case Kind.NODE_TYPE | Kind.CONNECTION_TYPE | Kind.ONTOLOGY:
            hint = Hint("Restore it; add types with {graph-memory ontology}.")
            raise _refusal("The ontology cannot be changed outside graph-memory", hint)
        case _:
            raise _refusal("It is neither a node nor a connection", "Restore it.")


def _check_gone(change: DriftedSubject, context: Around) -> None:
    """Raise STORE_CONFLICT for a node that still has a connection: a hand took its label, or moved the connection."""
    attached = context.attached.get(change.subject, ())
    if there := [subject.id for subject in attached if subject.kind is Kind.CONNECTION and subject.stored is not None]:
        message = f"Its connection {there[0]} is still there, so it may have lost only its label _Node"
        raise _refusal(message, "Restore both, then delete it if it should go.")


def gone(change: DriftedSubject) -> Draft:
    """Return the change that adopts a deletion. Raises STORE_CONFLICT for what no hand can delete."""
    if change.kind not in DATA or change.last is None:
        raise _refusal("The ontology cannot be changed outside graph-memory", "Restore it.")
    last = change.last
    return replace(last.draft, op=Op.DELETE, previous=last.seq, state=None, content=None)


def _changed_node(change: DriftedSubject, head: Head) -> Draft:
    last, stored = _both(change)
    before = NodeState.from_live(live_state(last))
    if set(change.labels) != {before.type}:
        hint = f"Give it only the labels _Node and {before.type}, or restore it."
        raise _refusal(f"The type of a node cannot change, and this one has the labels {listed(change.labels)}", hint)
    content, properties = _content(change, before.content.format), _properties(stored)
    text = content.text if content is not None else None
    after = replace(
        before,
        properties=properties,
        tags=_tags(stored),
        fields=before.fields.changed(_fields(stored, before.fields), head.at),
        content=content.ref if content is not None else before.content,
        title=title_of(before.type, properties, text, before=before.title if text is None else None),
    )
    _check_changes(same_state(after.state(), before.state()))
    state = replace(after, modified=head.at).state()
    return replace(last.draft, op=Op.UPDATE, previous=last.seq, state=state, content=content)


def _changed_connection(change: DriftedSubject, head: Head) -> Draft:
    last, stored = _both(change)
    before = ConnectionState.from_live(live_state(last), last.draft.from_id or "", last.draft.to_id or "")
    content = _content(change, before.content.format if before.content is not None else FORMAT)
    after = replace(
        before,
        properties=_properties(stored),
        content=content.ref if content is not None else before.content,
        strength=_strength(stored),
        importance=_importance(stored),
    )
    _check_changes(same_state(after.state(), before.state()))
    state = replace(after, modified=head.at).state()
    return replace(last.draft, op=Op.UPDATE, previous=last.seq, state=state, content=content)


def _made_node(change: DriftedSubject, head: Head) -> Draft:
    stored = _found(change)
    if len(change.labels) != 1 or stored.get("_type", change.labels[0]) != change.labels[0]:
        raise _refusal(f"A node has one type, and this one has the labels {listed(change.labels)}", "Give it one.")
    head.ontology.node_type(change.labels[0])
    _check_fresh(change)
    wanted = nodes.NewNode(
        id=check_new_id("_id", change.subject),
        type=change.labels[0],
        content=_new_content(change),
        properties=_properties(stored),
        tags=_tags(stored),
        fields=_fields(stored),
    )
    return replace(nodes.creation(head, wanted), windows=None)


def _made_connection(change: DriftedSubject, head: Head) -> Draft:
    stored, type_name = _found(change), change.type or ""
    if INVERSE_OF in stored:
        hint = "Restore it, which removes it."
        raise _refusal("It says that it is the second relationship of a connection, which only the service makes", hint)
    if change.from_id is None or change.to_id is None:
        raise _refusal("It does not join two nodes of the domain", "Restore it, which removes it.")
    head.ontology.connection_type(type_name)
    _check_fresh(change)
    wanted = connections.NewConnection(
        id=check_new_id("_id", change.subject),
        type=type_name,
        from_id=change.from_id or "",
        to_id=change.to_id or "",
        properties=_properties(stored),
        content=_new_content(change) if change.text is not None else None,
        strength=_strength(stored),
        importance=_importance(stored),
    )
    return connections.creation(head, wanted)


def _check_fresh(change: DriftedSubject) -> None:
    if change.last is not None:
        hint = "Remove its _id, give it another, or restore it, which removes it."
        raise _refusal(f"{change.subject} was deleted, and ids are never reused", hint)


def _check_changes(is_same: bool) -> None:
    if is_same:
        raise _refusal("Only the service's own data differs", "Restore it.")


def _properties(stored: Mapping[str, object]) -> dict[str, PropertyValue]:
    """Return the properties that a hand left, checked. Raises INVALID_PROPERTY, also for a name such as `_mine`."""
    return check_properties({key: value for key, value in stored.items() if key not in SERVICE})


def _tags(stored: Mapping[str, object]) -> tuple[str, ...]:
    return check_tags(cast("Sequence[str]", stored.get("_tags") or ()))


def _fields(stored: Mapping[str, object], before: NodeFields | None = None) -> dict[str, str | None]:
    """Return the fields that a hand changed, checked; one that it left may be longer than a new one."""
    had = before or NodeFields()
    left = {name: cast("str | None", stored.get(key)) for name, key in STORED.items()}
    changed = {name: value for name, value in left.items() if value != getattr(had, name)}
    return fields_told({name: value or "" for name, value in changed.items()})


def _strength(stored: Mapping[str, object]) -> Strength:
    return check_strength({name: stored[key] for key, name in STRENGTH.items() if key in stored})


def _importance(stored: Mapping[str, object]) -> float | None:
    return fraction("importance", stored[IMPORTANCE]) if IMPORTANCE in stored else None


def _content(change: DriftedSubject, content_format: str) -> Content | None:
    """Return the content that a known subject gets: the text that a hand wrote, else the log's own, to be put right."""
    last, _ = _both(change)
    ref = content_ref(last.draft.state or {})
    kept = last.draft.content
    if change.text is None or (ref and ref.sha256 == hashlib.sha256(change.text.encode()).hexdigest()):
        return kept
    if ref is not None and not ref.is_text:
        raise _refusal("Its content is binary, but text was written over it", "Restore it.")
    return content_from(change.text, "utf-8", content_format)


def _new_content(change: DriftedSubject) -> Content:
    given = _found(change).get("_content_format")
    return content_from(change.text or "", "utf-8", given if isinstance(given, str) else FORMAT)


def _both(change: DriftedSubject) -> tuple[Event, Mapping[str, object]]:
    return cast("Event", change.last), _found(change)


def _found(change: DriftedSubject) -> Mapping[str, object]:
    if change.stored is None:
        raise _refusal("Only rows that the service derived are left", "Restore it.")
    return change.stored


def _refusal(message: str, hint: str) -> GraphError:
    return GraphError(Code.STORE_CONFLICT, message, {"hint": hint})


def _against(violation: Violation, head: Head) -> GraphError:
    """Return the refusal of a change. A connection that breaks a rule of its type is there, and can go."""
    if violation.rule is not Rule.LINK:
        return violation.refusal(head.domain)
    hint = "Delete the other connection first, or restore this one, which removes it."
    code = violation.error.code if violation.error else Code.INVALID_TOPOLOGY
    return GraphError(code, f"It is not allowed: {violation.reason}", {"hint": hint})


def wanted_values(changes: Iterable[DriftedSubject], head: Head) -> set[UniqueValue]:
    """Return the unique values that changes would give."""
    return {
        value
        for change in changes
        if change.kind is not None and change.stored is not None
        for value in unique_values(change.kind, change.type or "", change.stored, head.ontology)
    }

"""Creates a domain's ontology, adds types to it, and declares the ad-hoc types of an open ontology."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END, Revision
from graph_memory.memory.domains.tree import domain_draft, read_nothing
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Event, Head, Op
from graph_memory.model.ontology.inheritance import has_own_declarations, types_not_inherited
from graph_memory.model.ontology.ontology import ANY, ConnectionType, NodeType, Ontology
from graph_memory.model.ontology.types import subject_of_type
from graph_memory.model.projection import new_type_draft, ontology_state
from graph_memory.model.results import OntologyChangeResult
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import DomainState
from graph_memory.model.text.wording import kind_of
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.ontologies import with_standard_types
from graph_memory.storage.log.ontologies import ontology_from_definitions
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.log.work import Decision
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

_EMPTY_ONTOLOGY_SEQ = 1
"""The log position of the event for an empty ontology, which `create_domain` writes first.

Other logs start with the event for the domain.
"""
LOGGED_TYPES = query("graph/logged_ontology", dict[str, object])


async def create_ontology(
    core: Core, domain: str, ontology: Ontology, *, has_standard: bool = True
) -> OntologyChangeResult:
    """Create an ontology and its domain. By default, an open ontology also declares the standard connection types.

    Raises ONTOLOGY_ALREADY_EXISTS if the domain already has an ontology with types.
    """
    check_ontology(ontology)
    current_ontology = await core.log.ontology(domain) or Ontology()
    if has_own_declarations(current_ontology):
        raise _already_exists_error(domain)
    ontology = with_standard_types(ontology, current_ontology) if has_standard else ontology

    def decide(head: Head, last: Event | None) -> Decision[None]:
        if last is not None and last.seq != _EMPTY_ONTOLOGY_SEQ:
            raise _already_exists_error(domain)
        return Decision(decide_ontology(head, ontology, last), None)

    written = await core.log.write(
        "create_ontology", domain, core.origin, last_ontology_event, decide, creates_domain=True
    )
    return OntologyChangeResult(version=written.receipt.seq or 0)


async def add_node_type(core: Core, domain: str, node_type: NodeType) -> OntologyChangeResult:
    """Add a node type. Raises ONTOLOGY_NOT_FOUND and TYPE_ALREADY_EXISTS."""

    def decide(head: Head, _: None) -> Decision[None]:
        head.ontology.with_node_type(node_type)
        return Decision([new_type_draft(node_type)], None)

    written = await core.log.write("add_node_type", domain, core.origin, read_nothing, decide)
    return OntologyChangeResult(version=written.receipt.seq or 0)


async def add_connection_type(core: Core, domain: str, connection_type: ConnectionType) -> OntologyChangeResult:
    """Add a connection type.

    Raises ONTOLOGY_NOT_FOUND, TYPE_ALREADY_EXISTS, and INVALID_NODE_TYPE if it refers to an undefined node type.
    """

    def decide(head: Head, _: None) -> Decision[None]:
        head.ontology.with_connection_type(connection_type)
        return Decision([new_type_draft(connection_type)], None)

    written = await core.log.write("add_connection_type", domain, core.origin, read_nothing, decide)
    return OntologyChangeResult(version=written.receipt.seq or 0)


async def types_at(reader: Reader, revision: Revision) -> list[Event]:
    """Return the last events of an ontology and its types at a revision.

    Raises INVALID_ARGUMENT if the domain did not exist yet.
    """
    events = await read_logged_types(reader, revision.domain, revision.seq)
    if not events:
        hint = Hint("Pass a later log number.", " Use {memory_log} to find event numbers.")
        raise invalid_argument("at", f"Domain {revision.domain} did not exist yet at event {revision.seq}", hint)
    return events


async def read_logged_types(reader: Reader, domain: str, until: int = END) -> list[Event]:
    """Return the last events of a domain's ontology and types up to a log position."""
    return [Event.from_row(row) for row in await reader.read(LOGGED_TYPES, domain=domain, until=until)]


def ontology_from_events(types: Iterable[Event]) -> Ontology:
    """Return the ontology that the given last events of its types define."""
    states = [(event.draft.kind, event.draft.state or {}) for event in types]
    return ontology_from_definitions(
        [str(state["_definition"]) for kind, state in states if kind is Kind.NODE_TYPE],
        [str(state["_definition"]) for kind, state in states if kind is Kind.CONNECTION_TYPE],
        is_open=any(state.get("_open") is True for kind, state in states if kind is Kind.ONTOLOGY),
        description=next((str(state.get("_description", "")) for kind, state in states if kind is Kind.ONTOLOGY), ""),
    )


def check_ontology(value: object) -> None:
    """Raise INVALID_ARGUMENT if the value is not an `Ontology`, for example if it is a dict as in tool arguments."""
    if not isinstance(value, Ontology):
        message = f"The ontology must be an Ontology, not {kind_of(value)}"
        raise invalid_argument("ontology", message, "Create one with ontology_from({...}) or parse_ontology(text).")


def decide_ontology(head: Head, ontology: Ontology, last: Event | None = None) -> list[Draft]:
    """Return the events that create an ontology, in an empty log or after the `last` event of an empty ontology.

    Types that the domain inherits unchanged are omitted. Raises ONTOLOGY_ALREADY_EXISTS if the ontology has types.
    """
    if not can_create_ontology(head):
        raise _already_exists_error(head.domain)
    types = types_not_inherited(head.ontology, (*ontology.node_types, *ontology.connection_types))
    state, ontology_draft = ontology_state(ontology), Draft(op=Op.CREATE, kind=Kind.ONTOLOGY, subject="ontology")
    if last is not None:
        ontology_draft = replace(ontology_draft, op=Op.UPDATE, previous=last.seq)
    is_changed = last is None or state != last.draft.state
    return [
        *([] if head.seq else [domain_draft(DomainState(created=head.at))]),
        *([replace(ontology_draft, state=state)] if is_changed else []),
        *map(new_type_draft, types),
    ]


def can_create_ontology(head: Head) -> bool:
    """Return whether an ontology can be created, that is, whether the domain has no ontology or an empty one."""
    return head.seq == 0 or not has_own_declarations(head.ontology)


def with_ad_hoc_type(head: Head, draft: Draft, limit: int) -> list[Draft]:
    """Return the draft. If an open ontology lacks its type, a draft that declares the ad-hoc type precedes it.

    An ad-hoc connection type allows endpoints of any type. Raises INVALID_NODE_TYPE or INVALID_CONNECTION_TYPE
    if a closed ontology lacks the type, TYPE_LIMIT_REACHED if an open ontology may not have more ad-hoc types, and
    INVALID_ARGUMENT if the name of the type is invalid.
    """
    ontology, name = head.ontology, draft.type or ""
    stored, is_inverted = ontology.stored_type(name)
    is_node = draft.kind is Kind.NODE
    if not ontology.open:
        _ = ontology.node_type(name) if is_node else ontology.connection_type(name)
        return [draft]
    if (ontology.find_node_type(name) if is_node else ontology.find_connection_type(name)) is not None:
        return [draft]
    if is_inverted and not is_node:
        hint = f"Create a {stored} connection from {draft.to_id} to {draft.from_id}."
        message = f"Connections of type {name} are stored as their inverse, {stored}"
        raise GraphError(Code.INVALID_CONNECTION_TYPE, message, {"type": name, "hint": hint})
    check_type_limit(ontology, head.domain, limit)
    new_type = NodeType(name, ad_hoc=True) if is_node else ConnectionType(name, (ANY,), (ANY,), ad_hoc=True)
    return [new_type_draft(new_type), draft]


def ad_hoc_types(ontology: Ontology) -> int:
    """Return the number of ad-hoc types of an ontology, not counting inherited types."""
    types = (
        declared_type for declared_type in (*ontology.node_types, *ontology.connection_types) if declared_type.ad_hoc
    )
    return sum(subject_of_type(declared_type) not in ontology.inherited for declared_type in types)


def check_type_limit(ontology: Ontology, domain: str, limit: int) -> None:
    """Raise TYPE_LIMIT_REACHED if an open ontology already has the maximum number of ad-hoc types."""
    count = ad_hoc_types(ontology)
    if count >= limit:
        message = f"The open ontology of domain {domain} has {count} ad-hoc types, which is the limit"
        hint = Hint("Use an existing type", ", or declare the type with {add_node_type}", ".")
        raise GraphError(Code.TYPE_LIMIT_REACHED, message, {"limit": limit, "hint": hint})


async def last_ontology_event(reader: Reader, head: Head) -> Event | None:
    """Return the last event of a domain's ontology, or None if the domain does not exist."""
    return await last_event(reader, head.domain, "ontology") if head.seq else None


def _already_exists_error(domain: str) -> GraphError:
    more = " Add types with {add_node_type} and {add_connection_type}, or apply an ontology."
    hint = Hint("Use {get_ontology} to see it.", more)
    return GraphError(
        Code.ONTOLOGY_ALREADY_EXISTS, f"Domain {domain} already has an ontology", {"domain": domain, "hint": hint}
    )

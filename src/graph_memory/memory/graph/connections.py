"""Connections: create, read, update, delete. Each write is what to read and a pure decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from graph_memory.memory.changes.context import living_of, owners_of, read_context
from graph_memory.memory.changes.plan import Changeset, Context, unique_values
from graph_memory.memory.changes.rules import broken_rules
from graph_memory.memory.core import (
    Core,
    LastState,
    SubjectRow,
    check_version,
    last_state,
    used_ids,
    version_after,
)
from graph_memory.memory.graph.ontology import with_ad_hoc_type
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Head, Op, new_id
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import Changed, ConnectionCreated
from graph_memory.model.rules import link_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, ConnectionState
from graph_memory.model.text.wording import quoted, shown
from graph_memory.model.values.arguments import check_new_id, fault
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.properties import ANY, PropertyValue, check_name, check_properties, equal_values
from graph_memory.model.values.strength import Provenance, Strength, check_strength, fraction
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.schema import ensure_connection_type
from graph_memory.storage.store import Reader

FORMAT = "markdown"
"""The format of a connection's content: notes for people."""


GET = query("graph/connection", SubjectRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConnection:
    """A connection that was asked for, its arguments checked."""

    id: str
    type: str
    from_id: str
    to_id: str
    properties: Mapping[str, PropertyValue]
    content: Content | None
    strength: Strength = field(default_factory=Strength)
    importance: float | None = None
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionEdit:
    """What an update asks for, its arguments checked; None leaves as it is."""

    properties: Mapping[str, PropertyValue]
    content: Content | None
    expected_version: int | None
    strength: Strength = field(default_factory=Strength)
    importance: float | None = None


async def create_connection(
    core: Core,
    domain: str,
    type_name: str,
    from_node_id: str,
    to_node_id: str,
    *,
    properties: Mapping[str, object] | None,
    content: str | None,
    strength: object,
    given_id: str | None,
) -> ConnectionCreated:
    """Create a connection and return its id. `Memory.create_connection` tells the rest."""
    wanted = new_connection(
        check_new_id("id", given_id) if given_id is not None else new_id("conn"),
        type_name,
        from_node_id,
        to_node_id,
        properties=properties,
        content=content,
        strength=strength,
    )
    wanted = made_by(core.origin.actor, wanted)
    await _prepare(core, domain, wanted)
    if wanted.content is not None:
        await core.contents.put(domain, wanted.content)

    async def read(reader: Reader, head: Head) -> tuple[ConnectionState | None, Context]:
        context = await _context(reader, head, wanted, given_id)
        return None if given_id is not None else await _existing(reader, head, wanted, context), context

    def decide(head: Head, pair: tuple[ConnectionState | None, Context]) -> Decision[ConnectionState | None]:
        existing, context = pair
        drafts = [] if existing else decide_create(head, wanted, context, open_type_limit=core.open_type_limit)
        return Decision(drafts, existing)

    written = await core.log.write("create_connection", domain, core.origin, read, decide)
    if existing := written.report:
        return ConnectionCreated(connection_id=existing.id, version=existing.version, existing=True)
    return ConnectionCreated(connection_id=wanted.id, version=version_after(written.receipt.version_of(wanted.id), 0))


def new_connection(
    connection_id: str,
    type_name: str,
    from_node_id: str,
    to_node_id: str,
    *,
    properties: Mapping[str, object] | None,
    content: str | None,
    strength: object = None,
) -> NewConnection:
    """Return a checked new connection. Raises INVALID_PROPERTY, INVALID_ENCODING and INVALID_ARGUMENT."""
    return NewConnection(
        id=connection_id,
        type=type_name,
        from_id=from_node_id,
        to_id=to_node_id,
        properties=check_properties(properties or {}),
        content=content_from(content, "utf-8", FORMAT) if content is not None else None,
        strength=check_strength(strength),
    )


def made_by(actor: str | None, wanted: NewConnection) -> NewConnection:
    """Return a new connection with who makes it; one that is loaded may say who made it first."""
    return (
        wanted
        if actor is None or wanted.provenance.actor
        else replace(wanted, provenance=replace(wanted.provenance, actor=actor))
    )


async def _prepare(core: Core, domain: str, wanted: NewConnection) -> None:
    """Refuse what is sure to be refused before anything lasting is made: a blob, or the constraint of an ad-hoc type.

    The decision checks it all again under the lock. A type that was there once has its constraint for ever.
    """
    needs_blob = wanted.content is not None and not core.contents.is_inline(wanted.content.ref)
    remembered = core.log.cached_ontology(domain)
    if remembered and remembered.has(Kind.CONNECTION, wanted.type) and not needs_blob:
        return
    head = Head(domain, 0, utc_now(), await core.log.require_ontology(domain))
    stored, _ = head.ontology.stored_as(wanted.type)
    is_ad_hoc = head.ontology.open and head.ontology.find_connection_type(stored) is None
    if not is_ad_hoc and not needs_blob:
        return
    if is_ad_hoc:
        check_name("Connection type", wanted.type)
    context = Context(
        ontology=head.ontology, living=await living_of(core.store, domain, [wanted.from_id, wanted.to_id])
    )
    decide_create(head, wanted, context, open_type_limit=core.open_type_limit)
    if is_ad_hoc:
        await ensure_connection_type(core.store, wanted.type)


async def _context(reader: Reader, head: Head, wanted: NewConnection, given_id: str | None) -> Context:
    likely = likely_ends(head.ontology, wanted) if given_id is None else None
    if likely and reader.assumes(*likely):
        return Context(ontology=head.ontology, living=likely)
    drafts = [creation(head, wanted)]
    context = await read_context(reader, head, drafts)
    used = await used_ids(reader, head.domain, given_id)
    also = ("pair",) if head.ontology.stored_as(wanted.type)[1] else ()
    broken = await broken_rules(reader, head.domain, drafts, head.ontology, also=also)
    return replace(context, used=used, broken=broken)


async def _existing(reader: Reader, head: Head, wanted: NewConnection, context: Context) -> ConnectionState | None:
    """Return the connection that says the same already, under the other name; None where it says something else."""
    broken = context.broken.get(wanted.id)
    is_told_otherwise = head.ontology.stored_as(wanted.type)[1]
    if broken is None or broken.other is None or broken.rule != ("pair" if is_told_otherwise else "inverse"):
        return None
    state, _ = await _found(reader, head.domain, broken.other)
    has, strength = state.properties, state.strength.with_changes(wanted.strength)
    is_same = (
        wanted.content is None
        and strength == state.strength
        and all(name in has and equal_values(has[name], value) for name, value in wanted.properties.items())
    )
    return state if is_same else None


def likely_ends(ontology: Ontology, wanted: NewConnection) -> Mapping[str, str] | None:
    """Return types with which the ends of a connection are as they must be, None where there is more to look at."""
    declared = ontology.find_connection_type(wanted.type)
    if declared is None or link_rules(declared) or any(rule.unique for rule in declared.properties):
        return None
    if wanted.from_id == wanted.to_id or not ontology.node_types:
        return None
    any_type = ontology.node_types[0].name
    ends = {wanted.from_id: declared.from_types, wanted.to_id: declared.to_types}
    return {node: any_type if types == (ANY,) else types[0] for node, types in ends.items()}


def decide_create(head: Head, wanted: NewConnection, context: Context, *, open_type_limit: int) -> list[Draft]:
    """Return the events that create a connection.

    Raises INVALID_CONNECTION_TYPE, NODE_NOT_FOUND, INVALID_TOPOLOGY, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY,
    UNIQUE_PROPERTY_TAKEN, CONNECTION_ALREADY_EXISTS and TYPE_LIMIT_REACHED.
    """
    return Changeset.of(context, with_ad_hoc_type(head, creation(head, wanted), open_type_limit)).checked(head.domain)


def creation(head: Head, wanted: NewConnection) -> Draft:
    """Return the change that creates a connection, unchecked; by the inverse of a type, one of that type."""
    type_name, is_turned = head.ontology.stored_as(wanted.type)
    state = ConnectionState(
        id=wanted.id,
        type=type_name,
        from_node_id=wanted.to_id if is_turned else wanted.from_id,
        to_node_id=wanted.from_id if is_turned else wanted.to_id,
        created=head.at,
        modified=head.at,
        content=wanted.content.ref if wanted.content else None,
        properties=wanted.properties,
        strength=wanted.strength,
        importance=wanted.importance,
        provenance=wanted.provenance,
    )
    return _draft(Op.CREATE, state, wanted.content)


async def update_connection(core: Core, domain: str, connection_id: str, edit: ConnectionEdit) -> Changed:
    """Change a connection and return its version. `Memory.update_connection` tells the rest."""
    if edit.content is not None:
        if not core.contents.is_inline(edit.content.ref):
            await _found(core.store, domain, connection_id)
        await core.contents.put(domain, edit.content)

    async def read(reader: Reader, head: Head) -> tuple[ConnectionState, Context]:
        state, _ = await _found(reader, domain, connection_id)
        values = unique_values(Kind.CONNECTION, state.type, edit.properties, head.ontology)
        return state, Context(ontology=head.ontology, owners=await owners_of(reader, domain, values))

    def decide(head: Head, pair: tuple[ConnectionState, Context]) -> Decision[int]:
        before, context = pair
        return Decision(decide_update(head, before, edit, context), before.version)

    written = await core.log.write("update_connection", domain, core.origin, read, decide)
    return Changed(version=version_after(written.receipt.version_of(connection_id), written.report))


def decide_update(head: Head, before: ConnectionState, edit: ConnectionEdit, context: Context) -> list[Draft]:
    """Return the event that updates a connection, none when it changes nothing.

    Raises VERSION_CONFLICT, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY and UNIQUE_PROPERTY_TAKEN.
    """
    draft = editing(head, before, edit)
    drafts = Changeset.of(context, [draft]).checked(head.domain)
    return [] if same_state(draft.state or {}, before.state(), MODIFIED) else drafts


def editing(head: Head, before: ConnectionState, edit: ConnectionEdit) -> Draft:
    """Return the change that updates a connection, unchecked but for its version. Raises VERSION_CONFLICT."""
    check_version("Connection", before.id, before.version, edit.expected_version)
    after = replace(
        before,
        properties={**before.properties, **edit.properties},
        content=edit.content.ref if edit.content else before.content,
        strength=before.strength.with_changes(edit.strength),
        importance=before.importance if edit.importance is None else edit.importance,
        modified=head.at,
    )
    return _draft(Op.UPDATE, after, edit.content)


async def delete_connection(core: Core, domain: str, connection_id: str, expected_version: int | None) -> Changed:
    """Delete a connection; its nodes stay."""

    async def read(reader: Reader, _: Head) -> ConnectionState:
        return (await _found(reader, domain, connection_id))[0]

    def decide(_: Head, state: ConnectionState) -> Decision[None]:
        return Decision([deletion(state, expected_version)], None)

    written = await core.log.write("delete_connection", domain, core.origin, read, decide)
    return Changed(version=version_after(written.receipt.version_of(connection_id), 0))


def deletion(found: ConnectionState, expected_version: int | None) -> Draft:
    """Return the change that deletes a connection. Raises VERSION_CONFLICT."""
    check_version("Connection", found.id, found.version, expected_version)
    return replace(_draft(Op.DELETE, found, None), state=None)


def edit_of(
    *,
    properties: Mapping[str, object] | None,
    content: str | None,
    expected_version: int | None,
    strength: object = None,
) -> ConnectionEdit:
    """Return a checked edit. Raises INVALID_ARGUMENT for a wrong strength, and when there is nothing to update."""
    if properties is None and content is None and strength is None:
        raise fault("properties", "Nothing to update", "Give properties, content or strength.")
    return ConnectionEdit(
        properties=check_properties(properties or {}),
        content=content_from(content, "utf-8", FORMAT) if content is not None else None,
        expected_version=expected_version,
        strength=check_strength(strength),
    )


def importance_edit(importance: float, expected_version: int | None) -> ConnectionEdit:
    """Return the edit that says how important a connection is. Raises INVALID_ARGUMENT."""
    value = fraction("importance", importance)
    return ConnectionEdit(properties={}, content=None, importance=value, expected_version=expected_version)


async def the_connection(reader: Reader, domain: str, connection_id: str) -> ConnectionState:
    """Return a connection as it is. Raises ONTOLOGY_NOT_FOUND and CONNECTION_NOT_FOUND."""
    return (await _found(reader, domain, connection_id))[0]


async def _found(
    reader: Reader, domain: str, connection_id: str, *, with_text: bool = False
) -> tuple[ConnectionState, str | None]:
    """Return a connection, and its small text if asked for. Raises ONTOLOGY_NOT_FOUND and CONNECTION_NOT_FOUND."""
    row = await last_of(reader, domain, connection_id, with_text=with_text)
    return connection_of(row), row.text


async def last_of(reader: Reader, domain: str, connection_id: str, *, with_text: bool = False) -> LastState:
    """Return a connection as its last event has it. Raises ONTOLOGY_NOT_FOUND and CONNECTION_NOT_FOUND."""
    row = await last_state(reader, GET, domain, connection_id, with_text=with_text)
    if row is None:
        raise connection_not_found(domain, connection_id)
    return row


def connection_of(last: LastState) -> ConnectionState:
    """Return the connection that a last state is of."""
    return ConnectionState.from_live(last.state, str(last.state["_from"]), str(last.state["_to"]))


def _draft(op: Op, connection: ConnectionState, content: Content | None) -> Draft:
    return Draft(
        op=op,
        kind=Kind.CONNECTION,
        subject=connection.id,
        type=connection.type,
        from_id=connection.from_node_id,
        to_id=connection.to_node_id,
        previous=connection.version or None,
        state=connection.state(),
        content=content,
    )


def connection_not_found(domain: str, connection_id: str) -> GraphError:
    """Return the error for an id that the domain does not have."""
    hint = Hint("Find connections with {query_connections}.", " Ids belong to one domain.")
    return GraphError(
        Code.CONNECTION_NOT_FOUND,
        f"Connection {shown(connection_id) or quoted(connection_id)} does not exist",
        {"connection_id": shown(connection_id), "domain": domain, "hint": hint},
    )

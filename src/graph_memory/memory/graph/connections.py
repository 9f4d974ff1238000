"""Creates, reads, updates and deletes connections. A write first reads the stored state, then decides what to log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from graph_memory.memory.changes.context import owners_of, read_context, types_of_existing
from graph_memory.memory.changes.plan import Changeset, Context, unique_values
from graph_memory.memory.changes.rules import find_broken_rules
from graph_memory.memory.core import Core, LastState, SubjectRow, check_version, last_state, used_ids, version_after
from graph_memory.memory.graph.ontology import with_ad_hoc_type
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import ChangeResult, ConnectionCreationResult
from graph_memory.model.rules import connection_rules
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import MODIFIED, ConnectionState
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.content import Content, content_from
from graph_memory.model.values.exact import same_state
from graph_memory.model.values.properties import ANY, PropertyValue, check_properties, equal_values
from graph_memory.model.values.strength import Provenance, Strength, check_fraction, check_strength
from graph_memory.storage.log.work import Decision
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

FORMAT = "markdown"
"""The format of a connection's content."""

GET = query("graph/connection", SubjectRow)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConnection:
    """A connection to create. Its arguments are already validated."""

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
    """The validated changes of an update. None leaves a value unchanged."""

    properties: Mapping[str, PropertyValue]
    content: Content | None
    expected_version: int | None
    strength: Strength = field(default_factory=Strength)
    importance: float | None = None


async def create_connection(
    core: Core, domain: str, connection: NewConnection, *, has_requested_id: bool
) -> ConnectionCreationResult:
    """Create a connection and return its id. See `Memory.create_connection`."""
    connection = with_creator(core.origin.actor, connection)
    await _check_before_blob(core, domain, connection)
    if connection.content is not None:
        await core.contents.put(domain, connection.content)

    async def read(reader: Reader, head: Head) -> tuple[ConnectionState | None, Context]:
        context = await _read_context(reader, head, connection, has_requested_id=has_requested_id)
        if has_requested_id:
            return None, context
        return await _read_equal_inverse(reader, head, connection, context), context

    def decide(head: Head, stored: tuple[ConnectionState | None, Context]) -> Decision[ConnectionState | None]:
        existing, context = stored
        drafts = [] if existing else decide_create(head, connection, context, open_type_limit=core.open_type_limit)
        return Decision(drafts, existing)

    written = await core.log.write("create_connection", domain, core.origin, read, decide)
    if existing := written.report:
        return ConnectionCreationResult(connection_id=existing.id, version=existing.version, existing=True)
    return ConnectionCreationResult(
        connection_id=connection.id, version=version_after(written.receipt.version_of(connection.id), 0)
    )


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
    """Validate the arguments of a new connection, and return the connection to create.

    Raises INVALID_PROPERTY if a property is invalid, INVALID_ENCODING if the content is not valid text, and
    INVALID_ARGUMENT if the strength is invalid.
    """
    return NewConnection(
        id=connection_id,
        type=type_name,
        from_id=from_node_id,
        to_id=to_node_id,
        properties=check_properties(properties or {}),
        content=content_from(content, "utf-8", FORMAT) if content is not None else None,
        strength=check_strength(strength),
    )


def with_creator(actor: str | None, connection: NewConnection) -> NewConnection:
    """Return a new connection with `actor` as its creator. A connection that already has a creator keeps it."""
    return (
        connection
        if actor is None or connection.provenance.actor
        else replace(connection, provenance=replace(connection.provenance, actor=actor))
    )


async def _check_before_blob(core: Core, domain: str, connection: NewConnection) -> None:
    """Validate a connection before its large text is stored as a blob. The write validates it again, under the lock."""
    if connection.content is None or core.contents.is_inline(connection.content.ref):
        return
    head = Head(domain, 0, utc_now(), await core.log.require_ontology(domain))
    context = Context(
        ontology=head.ontology,
        existing_node_types=await types_of_existing(core.store, domain, [connection.from_id, connection.to_id]),
    )
    decide_create(head, connection, context, open_type_limit=core.open_type_limit)


async def _read_context(reader: Reader, head: Head, connection: NewConnection, *, has_requested_id: bool) -> Context:
    assumed_types = None if has_requested_id else assume_end_types(head.ontology, connection)
    if assumed_types and reader.assumes(*assumed_types):
        return Context(ontology=head.ontology, existing_node_types=assumed_types)
    drafts = [creation_draft(head, connection)]
    context = await read_context(reader, head, drafts)
    used = await used_ids(reader, head.domain, connection.id if has_requested_id else None)
    extra_rules = ("pair",) if head.ontology.stored_type(connection.type)[1] else ()
    broken = await find_broken_rules(reader, head.domain, drafts, head.ontology, extra=extra_rules)
    return replace(context, used_ids=used, broken_rules=broken)


async def _read_equal_inverse(
    reader: Reader, head: Head, connection: NewConnection, context: Context
) -> ConnectionState | None:
    """Return a stored connection in the inverse direction with the same values, or None."""
    broken = context.broken_rules.get(connection.id)
    is_inverted = head.ontology.stored_type(connection.type)[1]
    if broken is None or broken.other is None or broken.rule != ("pair" if is_inverted else "inverse"):
        return None
    state = await read_connection(reader, head.domain, broken.other)
    stored, strength = state.properties, state.strength.with_changes(connection.strength)
    is_same = (
        connection.content is None
        and strength == state.strength
        and all(name in stored and equal_values(stored[name], value) for name, value in connection.properties.items())
    )
    return state if is_same else None


def assume_end_types(ontology: Ontology, connection: NewConnection) -> Mapping[str, str] | None:
    """Return types for the endpoints that the connection type allows, or None if the stored nodes must be read."""
    connection_type = ontology.find_connection_type(connection.type)
    if (
        connection_type is None
        or connection_rules(connection_type)
        or any(rule.unique for rule in connection_type.properties)
    ):
        return None
    if connection.from_id == connection.to_id or not ontology.node_types:
        return None
    any_type = ontology.node_types[0].name
    ends = {connection.from_id: connection_type.from_types, connection.to_id: connection_type.to_types}
    return {node: any_type if types == (ANY,) else types[0] for node, types in ends.items()}


def decide_create(head: Head, connection: NewConnection, context: Context, *, open_type_limit: int) -> list[Draft]:
    """Return the events that create a connection.

    Raises INVALID_CONNECTION_TYPE, NODE_NOT_FOUND, INVALID_TOPOLOGY, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY,
    UNIQUE_PROPERTY_TAKEN, CONNECTION_ALREADY_EXISTS and TYPE_LIMIT_REACHED.
    """
    return Changeset.of(context, with_ad_hoc_type(head, creation_draft(head, connection), open_type_limit)).validate(
        head.domain
    )


def creation_draft(head: Head, connection: NewConnection) -> Draft:
    """Return the draft that creates a connection, without validating it. An inverse type name swaps start and end."""
    type_name, is_inverted = head.ontology.stored_type(connection.type)
    state = ConnectionState(
        id=connection.id,
        type=type_name,
        from_node_id=connection.to_id if is_inverted else connection.from_id,
        to_node_id=connection.from_id if is_inverted else connection.to_id,
        created=head.at,
        modified=head.at,
        content=connection.content.ref if connection.content else None,
        properties=connection.properties,
        strength=connection.strength,
        importance=connection.importance,
        provenance=connection.provenance,
    )
    return _draft(Op.CREATE, state, connection.content)


async def update_connection(core: Core, domain: str, connection_id: str, edit: ConnectionEdit) -> ChangeResult:
    """Update a connection and return its version. See `Memory.update_connection`."""
    if edit.content is not None:
        if not core.contents.is_inline(edit.content.ref):
            await read_connection(core.store, domain, connection_id)
        await core.contents.put(domain, edit.content)

    async def read(reader: Reader, head: Head) -> tuple[ConnectionState, Context]:
        state = await read_connection(reader, domain, connection_id)
        values = unique_values(Kind.CONNECTION, state.type, edit.properties, head.ontology)
        return state, Context(ontology=head.ontology, owners=await owners_of(reader, domain, values))

    def decide(head: Head, stored: tuple[ConnectionState, Context]) -> Decision[int]:
        before, context = stored
        return Decision(decide_update(head, before, edit, context), before.version)

    written = await core.log.write("update_connection", domain, core.origin, read, decide)
    return ChangeResult(version=version_after(written.receipt.version_of(connection_id), written.report))


def decide_update(head: Head, before: ConnectionState, edit: ConnectionEdit, context: Context) -> list[Draft]:
    """Return the event that updates a connection, or no event if nothing changes.

    Raises VERSION_CONFLICT, REQUIRED_PROPERTY_MISSING, INVALID_PROPERTY and UNIQUE_PROPERTY_TAKEN.
    """
    draft = update_draft(head, before, edit)
    drafts = Changeset.of(context, [draft]).validate(head.domain)
    return [] if same_state(draft.state or {}, before.state(), MODIFIED) else drafts


def update_draft(head: Head, before: ConnectionState, edit: ConnectionEdit) -> Draft:
    """Return the draft that updates a connection, without validating the new values. Raises VERSION_CONFLICT."""
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


async def delete_connection(core: Core, domain: str, connection_id: str, expected_version: int | None) -> ChangeResult:
    """Delete a connection. Its nodes are kept. See `Memory.delete_connection`."""

    async def read(reader: Reader, _: Head) -> ConnectionState:
        return await read_connection(reader, domain, connection_id)

    def decide(_: Head, state: ConnectionState) -> Decision[None]:
        return Decision([deletion_draft(state, expected_version)], None)

    written = await core.log.write("delete_connection", domain, core.origin, read, decide)
    return ChangeResult(version=version_after(written.receipt.version_of(connection_id), 0))


def deletion_draft(connection: ConnectionState, expected_version: int | None) -> Draft:
    """Return the draft that deletes a connection. Raises VERSION_CONFLICT if it has another version than expected."""
    check_version("Connection", connection.id, connection.version, expected_version)
    return replace(_draft(Op.DELETE, connection, None), state=None)


def edit_of(
    *,
    properties: Mapping[str, object] | None,
    content: str | None,
    expected_version: int | None,
    strength: object = None,
) -> ConnectionEdit:
    """Validate changes to a connection, and return them.

    Raises INVALID_ARGUMENT if the strength is invalid or no field is given, INVALID_PROPERTY if a property is invalid,
    and INVALID_ENCODING if the content is not valid text.
    """
    if properties is None and content is None and strength is None:
        raise invalid_argument("properties", "Nothing to update", "Pass properties, content or strength.")
    return ConnectionEdit(
        properties=check_properties(properties or {}),
        content=content_from(content, "utf-8", FORMAT) if content is not None else None,
        expected_version=expected_version,
        strength=check_strength(strength),
    )


def importance_edit(importance: float, expected_version: int | None) -> ConnectionEdit:
    """Return the edit that sets the importance of a connection. Raises INVALID_ARGUMENT if it is not from 0 to 1."""
    value = check_fraction("importance", importance)
    return ConnectionEdit(properties={}, content=None, importance=value, expected_version=expected_version)


async def read_connection(reader: Reader, domain: str, connection_id: str) -> ConnectionState:
    """Return the current state of a connection. Raises ONTOLOGY_NOT_FOUND and CONNECTION_NOT_FOUND."""
    return connection_of(await read_last_state(reader, domain, connection_id))


async def read_last_state(reader: Reader, domain: str, connection_id: str, *, with_text: bool = False) -> LastState:
    """Return the last state of a connection. Raises ONTOLOGY_NOT_FOUND and CONNECTION_NOT_FOUND."""
    row = await last_state(reader, GET, domain, connection_id, with_text=with_text)
    if row is None:
        raise connection_not_found_error(domain, connection_id)
    return row


def connection_of(last: LastState) -> ConnectionState:
    """Convert the last state of a connection, as read from the database, to a `ConnectionState`."""
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


def connection_not_found_error(domain: str, connection_id: str) -> GraphError:
    """Return the error for a connection id that does not exist in the domain."""
    hint = Hint("Find connections with {query_connections}.", " An id is valid only in its domain.")
    return GraphError(
        Code.CONNECTION_NOT_FOUND,
        f"Connection {quote(connection_id)} does not exist",
        {"connection_id": printable(connection_id), "domain": domain, "hint": hint},
    )

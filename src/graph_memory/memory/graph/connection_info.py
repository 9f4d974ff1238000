"""The details of one connection, in the form that callers receive."""

from __future__ import annotations

from collections.abc import Sequence

from graph_memory.memory.core import Core
from graph_memory.memory.graph.connections import connection_of, read_last_state
from graph_memory.memory.graph.describe import protection_info
from graph_memory.memory.graph.premises import evidence_of, lost_premises
from graph_memory.model.results import ConnectionInfo
from graph_memory.model.subjects.subjects import ConnectionState
from graph_memory.model.values.content import Content
from graph_memory.storage.log.writing import utc_now


async def get_connection(core: Core, domain: str, connection_id: str, *, include_content: bool) -> ConnectionInfo:
    """Return the details of a connection. See `Memory.get_connection`."""
    row = await read_last_state(core.store, domain, connection_id, with_text=include_content)
    state, content = connection_of(row), None
    if include_content and state.content is not None:
        content = await core.contents.fetch(domain, state.content, row.text)
    inverse, is_transitive = row.state.get("_inverse"), row.state.get("_transitive") is True
    lost = (await lost_premises(core, domain, [connection_id])).get(connection_id) if evidence_of(row.state) else ()
    return connection_info(state, content, str(inverse or ""), is_transitive=is_transitive, lost=lost)


def connection_info(
    connection: ConnectionState,
    content: Content | None,
    inverse: str,
    *,
    is_transitive: bool,
    lost: Sequence[str] | None = (),
) -> ConnectionInfo:
    """Return the details of a connection, including its inverse name and whether its type is transitive."""
    return ConnectionInfo(
        id=connection.id,
        type=connection.type,
        from_node_id=connection.from_node_id,
        to_node_id=connection.to_node_id,
        created=connection.created,
        modified=connection.modified,
        properties=dict(connection.properties),
        has_content=connection.content is not None,
        version=connection.version,
        content=content.encoded if content is not None else None,
        valid_from=connection.validity.valid_from,
        valid_to=connection.validity.valid_to,
        inverse=inverse or None,
        bidirectional=True if inverse else None,
        transitive=True if is_transitive else None,
        protection=protection_info(connection.protection, utc_now()),
        strength=connection.strength.to_dict() or None,
        importance=connection.importance,
        creation_method=connection.provenance.method,
        created_by=connection.provenance.actor,
        evidence=connection.provenance.evidence,
        premises_lost=tuple(lost) if lost else None,
    )

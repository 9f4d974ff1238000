"""Finding nodes and connections by type, properties and neighbourhood. Ids come in order, page by page on request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.memory.core import Core
from graph_memory.memory.nodes import node_not_found
from graph_memory.model.arguments import UNLIMITED, check_cursor, check_direction, check_limit, cursor_after
from graph_memory.model.moments import instant
from graph_memory.model.ontology import Ontology
from graph_memory.model.projection import indexed_rules
from graph_memory.model.properties import PropertyValue, check_properties, key_value
from graph_memory.model.results import ConnectionIds, Direction, NodeIds, Validity
from graph_memory.model.subjects import Kind
from graph_memory.storage.log import utc_now
from graph_memory.storage.ontologies import Remembered, no_ontology
from graph_memory.storage.queries import query


@dataclass(frozen=True, slots=True)
class IdRow:
    """One match."""

    id: str


@dataclass(frozen=True, slots=True)
class KeyedRow:
    """The matches that an indexed property led to, and the edition of the domain."""

    edition: str
    ids: list[str]


@dataclass(frozen=True, slots=True)
class ConnectedRow:
    """Whether the node exists, and the nodes around it."""

    found: bool
    ids: list[str]


NODES = query("query/nodes", IdRow)
NODES_OF_TYPE = query("query/nodes_of_type", IdRow)
NODES_BY_KEY = query("query/nodes_by_key", KeyedRow)
CONNECTIONS = query("query/connections", IdRow)
CONNECTIONS_OF_TYPE = query("query/connections_of_type", IdRow)
CONNECTIONS_BY_KEY = query("query/connections_by_key", KeyedRow)
BY_KEY = {Kind.NODE: NODES_BY_KEY, Kind.CONNECTION: CONNECTIONS_BY_KEY}
CONNECTIONS_FROM = query("query/connections_from", IdRow)
CONNECTIONS_TO = query("query/connections_to", IdRow)
CONNECTIONS_BETWEEN = query("query/connections_between", IdRow)
CONNECTED_NODES = query("query/connected_nodes", ConnectedRow)


@dataclass(frozen=True, slots=True)
class Page:
    """The part of the results that was asked for: after an id, at most so many, and if so what holds at a time."""

    after: str
    limit: int
    valid_at: datetime | None = None

    @classmethod
    def of(cls, limit: int | None, cursor: str | None, valid_at: datetime | str | None = None) -> Page:
        """Return the page for the arguments of that name. Raises INVALID_ARGUMENT."""
        holds = None if valid_at is None else instant("valid_at", valid_at, utc_now())
        return cls(after=check_cursor(cursor), limit=check_limit(limit), valid_at=holds)

    @property
    def params(self) -> dict[str, object]:
        """The page as statements take it: one result more than asked for tells whether there are others."""
        return {"after": self.after, "limit": min(self.limit + 1, UNLIMITED)}

    @property
    def selection(self) -> dict[str, object]:
        """The page as statements take it that look at when things hold."""
        return {"valid_at": self.valid_at, **self.params}

    def cut(self, ids: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
        """Return the page's ids, and the cursor of the next page when there is one."""
        page = tuple(ids[: self.limit])
        return page, cursor_after(page[-1]) if len(ids) > self.limit else None


async def query_nodes(
    core: Core, domain: str, page: Page, *, type_name: str | None, properties: Mapping[str, object] | None
) -> NodeIds:
    """Return the nodes that match. `Memory.query_nodes` tells the rest."""
    wanted = check_properties(properties or {})
    params = {"domain": domain, "filter": wanted, **page.selection}
    if type_name is None:
        found = _ids(await core.store.read(NODES, **params))
    else:
        found = await _by_key(core, Kind.NODE, type_name, wanted, params)
        if found is None:
            found = _ids(await core.store.read(NODES_OF_TYPE, type=type_name, **params))
    ids, cursor = page.cut(found)
    return NodeIds(node_ids=ids, next_cursor=cursor)


async def query_connections(
    core: Core,
    domain: str,
    page: Page,
    *,
    from_node_id: str | None,
    to_node_id: str | None,
    type_name: str | None,
    properties: Mapping[str, object] | None,
) -> ConnectionIds:
    """Return the connections that match. `Memory.query_connections` tells the rest."""
    wanted = check_properties(properties or {})
    everywhere: dict[str, object] = {"domain": domain, "filter": wanted, **page.selection}
    params = {"type": type_name, **everywhere}
    if from_node_id is not None and to_node_id is not None:
        found = _ids(await core.store.read(CONNECTIONS_BETWEEN, from_id=from_node_id, to_id=to_node_id, **params))
    elif from_node_id is not None:
        found = _ids(await core.store.read(CONNECTIONS_FROM, from_id=from_node_id, **params))
    elif to_node_id is not None:
        found = _ids(await core.store.read(CONNECTIONS_TO, to_id=to_node_id, **params))
    elif type_name is None:
        found = _ids(await core.store.read(CONNECTIONS, **everywhere))
    else:
        found = await _by_key(core, Kind.CONNECTION, type_name, wanted, everywhere)
        if found is None:
            found = _ids(await core.store.read(CONNECTIONS_OF_TYPE, **params))
    ids, cursor = page.cut(found)
    return ConnectionIds(connection_ids=ids, next_cursor=cursor)


def _ids(rows: Sequence[IdRow]) -> list[str]:
    return [row.id for row in rows]


async def _by_key(
    core: Core, kind: Kind, type_name: str, wanted: Mapping[str, PropertyValue], params: Mapping[str, Any]
) -> list[str] | None:
    """Return what an indexed property leads to, None when none of the properties is indexed in the type.

    The ontology that this process remembers will do if the domain is still of the same edition: types are only
    added within it.
    """
    domain, statement = str(params["domain"]), BY_KEY[kind]
    for _ in range(2 if wanted else 0):
        known = await _known(core, domain, kind, type_name)
        key = _key(known.ontology, kind, type_name, wanted) if known else None
        if known is None or key is None:
            return None
        row = await core.store.one(statement, type=type_name, **key, **params)
        if row is not None and row.edition == known.edition:
            return row.ids
        core.log.forget(domain)
    return None


async def _known(core: Core, domain: str, kind: Kind, type_name: str) -> Remembered | None:
    """Return what is remembered of a domain, read anew if that does not have the type."""
    known = core.log.remembered(domain)
    if known is None or not known.has(kind, type_name):
        await core.log.ontology(domain)
        known = core.log.remembered(domain)
    return known


def _key(
    ontology: Ontology, kind: Kind, type_name: str, wanted: Mapping[str, PropertyValue]
) -> dict[str, object] | None:
    """Return the key to look for when one of the properties is indexed in the type; `unique` ones first."""
    rules = indexed_rules(kind, type_name, ontology)
    rule = next((rule for rule in sorted(rules, key=lambda rule: not rule.unique) if rule.name in wanted), None)
    return {"property": rule.name, "value": key_value(wanted[rule.name])} if rule else None


async def get_connected_nodes(
    core: Core, domain: str, node_id: str, page: Page, *, direction: Direction, connection_type: str | None
) -> NodeIds:
    """Return the nodes at the other ends. `Memory.get_connected_nodes` tells the rest."""
    check_direction(direction)
    row = await core.store.one(
        CONNECTED_NODES,
        domain=domain,
        id=node_id,
        type=connection_type,
        outgoing=direction in ("out", "both"),
        incoming=direction in ("in", "both"),
        **page.selection,
    )
    if row is None:
        raise no_ontology(domain)
    if not row.found:
        raise node_not_found(domain, node_id)
    ids, cursor = page.cut(row.ids)
    return NodeIds(node_ids=ids, next_cursor=cursor)


async def validate_connection(
    core: Core, domain: str, connection_type: str, from_node_type: str, to_node_type: str
) -> Validity:
    """Return whether the ontology allows such a connection.

    Unknown types are not allowed, save that an open ontology takes a new connection type between known nodes' types.
    """
    ontology = await core.log.require_ontology(domain)
    if ontology.open and ontology.find_connection_type(connection_type) is None:
        known = ontology.find_node_type(from_node_type) and ontology.find_node_type(to_node_type)
        return Validity(valid=known is not None)
    return Validity(valid=ontology.can_connect(connection_type, from_node_type, to_node_type))

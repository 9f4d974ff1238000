"""Paged queries of nodes and connections by type, properties and ends. Ids are returned in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar, cast

from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.consistent_read import (
    ConcurrentChange,
    MarkedRows,
    fetch_concurrent_changes,
    read_id_page,
    read_marked,
)
from graph_memory.memory.graph.describe import connection_briefs, node_briefs
from graph_memory.memory.graph.empty_result_warnings import warnings_of
from graph_memory.memory.graph.stored_type_names import read_cached_ontology, with_names
from graph_memory.model.errors import GraphError, Hint, Reference
from graph_memory.model.matching import Criteria, FieldFilter
from graph_memory.model.ontology.indexes import (
    Index,
    IndexRange,
    cursor_of,
    index_name,
    indexes_of,
    owner_of,
    unique_properties,
)
from graph_memory.model.ontology.ontology import Ontology, TypeNames
from graph_memory.model.projection import declared_type
from graph_memory.model.results import ConnectionIds, NodeIds, Validity
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.wording import join_names, printable
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import UNLIMITED, check_cursor, check_limit, cursor_after, invalid_argument
from graph_memory.model.values.fields import NAMESPACE, ROOT
from graph_memory.model.values.properties import check_properties, key_value
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import Mark, Query, query, with_mark

R = TypeVar("R")

Ids = Mark | Sequence[str | None]
"""The rows of a statement that returns ids. The id of an incompletely read match is null."""


def id_query(name: str) -> Query[Ids]:
    """Return the marked statement of a Cypher file that returns ids."""
    return with_mark(query(name, cast("type[str | None]", str)))


NODES = id_query("graph/nodes")
NODES_OF_TYPE = id_query("graph/nodes_of_type")
NODES_BY_KEY = id_query("graph/nodes_by_key")
NODES_UNDER_PATH = id_query("graph/nodes_under_path")
NODES_IN_NAMESPACE = id_query("graph/nodes_in_namespace")
NODES_CREATED = id_query("graph/nodes_created")
CONNECTIONS = id_query("graph/connections")
CONNECTIONS_OF_TYPE = id_query("graph/connections_of_type")
CONNECTIONS_BY_KEY = id_query("graph/connections_by_key")
_EARLIEST, _LATEST = (bound.replace(tzinfo=UTC) for bound in (datetime.min, datetime.max))
BY_KEY = {Kind.NODE: NODES_BY_KEY, Kind.CONNECTION: CONNECTIONS_BY_KEY}
CONNECTIONS_FROM = id_query("graph/connections_from")
CONNECTIONS_TO = id_query("graph/connections_to")
CONNECTIONS_BETWEEN = id_query("graph/connections_between")
IN_ORDER = {False: id_query("graph/in_order"), True: id_query("graph/in_reverse_order")}


@dataclass(frozen=True, slots=True)
class Order:
    """The property that orders results, and the direction."""

    by: str
    descending: bool


@dataclass(frozen=True, slots=True)
class Page:
    """The requested part of the results: after an id, up to a limit, and optionally valid at a time."""

    after: str
    limit: int
    valid_at: datetime | None = None
    order: Order | None = None

    @classmethod
    def of(
        cls,
        limit: int | None,
        cursor: str | None,
        valid_at: datetime | str | None = None,
        *,
        order_by: str | None = None,
        descending: bool = False,
    ) -> Page:
        """Return the page for these arguments. Raises INVALID_ARGUMENT."""
        holds = None if valid_at is None else parse_instant("valid_at", valid_at, utc_now())
        order = None if order_by is None else Order(order_by, descending)
        return cls(after=check_cursor(cursor), limit=check_limit(limit), valid_at=holds, order=order)

    @property
    def size(self) -> int:
        """The number of results to read: one more than the limit, to detect a next page."""
        return min(self.limit + 1, UNLIMITED)

    def cut(self, ids: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
        """Return the ids of the page and the cursor of the next page, if any. With an order, `ids` are sort keys."""
        page = tuple(ids[: self.limit])
        has_next = len(ids) > self.limit
        if self.order is None:
            return page, cursor_after(page[-1]) if has_next else None
        return tuple(map(owner_of, page)), cursor_after(cursor_of(page[-1])) if has_next else None

    async def warnings(self, core: Core, domain: str, wanted: Criteria, ids: Sequence[str]) -> tuple[str, ...] | None:
        """Return possible reasons for an empty first page, or None."""
        return None if ids or self.after else await warnings_of(core, domain, wanted)


async def node_page(
    core: Core, domain: str, page: Page, wanted: Criteria, matches: Sequence[str], *, detail: bool, at: int = END
) -> NodeIds:
    """Return the page of node ids, with `detail` also the nodes' state at a log position."""
    ids, cursor = page.cut(matches)
    nodes = await node_briefs(core, domain, ids, at) if detail else None
    warnings = await page.warnings(core, domain, wanted, ids)
    return NodeIds(node_ids=ids, nodes=nodes, next_cursor=cursor, warnings=warnings)


async def connection_page(
    core: Core, domain: str, page: Page, wanted: Criteria, matches: Sequence[str], *, detail: bool, at: int = END
) -> ConnectionIds:
    """Return the page of connection ids, with `detail` also the connections' state at a log position."""
    ids, cursor = page.cut(matches)
    connections = await connection_briefs(core, domain, ids, wanted, at) if detail else None
    warnings = await page.warnings(core, domain, wanted, ids)
    return ConnectionIds(connection_ids=ids, connections=connections, next_cursor=cursor, warnings=warnings)


async def query_nodes(
    core: Core,
    domain: str,
    page: Page,
    *,
    type_name: str | None,
    properties: Mapping[str, object] | None,
    fields: FieldFilter,
    detail: bool,
) -> NodeIds:
    """Return the nodes that match. See `Memory.query_nodes`."""
    wanted = wanted_nodes(page, type_name, properties, fields)
    results = await _find_ids(core, domain, page, wanted, _statement_for(wanted))
    return await node_page(core, domain, page, wanted, results, detail=detail)


def wanted_nodes(
    page: Page, type_name: str | None, properties: Mapping[str, object] | None, fields: FieldFilter
) -> Criteria:
    """Return the filter of a node query. Raises INVALID_PROPERTY."""
    filtered = check_properties(properties or {})
    return Criteria(kind=Kind.NODE, type=type_name, properties=filtered, valid_at=page.valid_at, fields=fields)


def _statement_for(wanted: Criteria) -> Query[Ids]:
    """Return the statement whose index probably returns the fewest nodes. Default values are not indexed."""
    fields = wanted.fields
    if fields.path_prefix not in (None, ROOT):
        return NODES_UNDER_PATH
    if fields.namespace not in (None, NAMESPACE):
        return NODES_IN_NAMESPACE
    if fields.created_after is not None or (fields.created_before is not None and wanted.type is None):
        return NODES_CREATED
    return NODES if wanted.type is None else NODES_OF_TYPE


def wanted_connections(
    page: Page, from_id: str | None, to_id: str | None, type_name: str | None, properties: Mapping[str, object] | None
) -> Criteria:
    """Return the filter of a connection query. Raises INVALID_PROPERTY."""
    return Criteria(
        kind=Kind.CONNECTION,
        type=type_name,
        properties=check_properties(properties or {}),
        valid_at=page.valid_at,
        from_id=from_id,
        to_id=to_id,
    )


async def query_connections(core: Core, domain: str, page: Page, wanted: Criteria, *, detail: bool) -> ConnectionIds:
    """Return the connections that match. See `Memory.query_connections`."""

    async def read(names: TypeNames | None) -> tuple[Criteria, list[str]]:
        named = replace(wanted, names=names)
        return named, await find_connection_ids(core, domain, page, named)

    named, results = await with_names(core, domain, wanted.type, read)
    return await connection_page(core, domain, page, named, results, detail=detail)


async def find_connection_ids(core: Core, domain: str, page: Page, wanted: Criteria) -> list[str]:
    """Return the ids of matching connections, at most one more than fit on the page."""
    if wanted.from_id is not None and wanted.to_id is not None:
        statement = CONNECTIONS_BETWEEN
    elif wanted.from_id is not None:
        statement = CONNECTIONS_FROM
    elif wanted.to_id is not None:
        statement = CONNECTIONS_TO
    else:
        statement = CONNECTIONS if wanted.type is None else CONNECTIONS_OF_TYPE
    return await _find_ids(core, domain, page, wanted, statement)


async def _find_ids(core: Core, domain: str, page: Page, wanted: Criteria, statement: Query[Ids]) -> list[str]:
    """Return the ids of the matching subjects. Uses the index of a filtered property if there is one."""
    if page.order is not None:
        return await _find_sort_keys(core, domain, page, wanted, page.order)
    has_key = wanted.type is not None and wanted.from_id is None and wanted.to_id is None

    async def read(after: str, limit: int) -> MarkedRows[str | None]:
        bounds = {"after": after, "limit": limit}
        marked_rows = await _find_by_key(core, domain, wanted, bounds) if has_key else None
        return marked_rows or await read_marked(
            core, statement, domain, **statement_params(statement, wanted), **bounds
        )

    async def matches(row: ConcurrentChange) -> bool:
        return wanted.matches(row.event)

    return await read_id_page(core, domain, page.after, page.size, read, matches)


def statement_params(statement: Query[R], wanted: Criteria) -> dict[str, object]:
    """Return the parameters of a statement for a filter."""
    stored, fields = wanted.stored_names, wanted.fields
    arguments = {
        "from_id": wanted.from_id,
        "to_id": wanted.to_id,
        "type": wanted.type,
        "types": stored and stored.types,
        "along": stored and stored.along,
        "against": stored.against if stored else (),
        "fields": fields.params(),
        "path": fields.path_prefix,
        "namespace": fields.namespace,
        "since": fields.created_after or _EARLIEST,
        "until": fields.created_before or _LATEST,
    }
    named = {name: value for name, value in arguments.items() if name in statement.params}
    return {**named, "filter": wanted.properties, "valid_at": wanted.valid_at}


async def _find_sort_keys(core: Core, domain: str, page: Page, wanted: Criteria, order: Order) -> list[str]:
    """Return the sort keys of a page and one more. Raises INVALID_ARGUMENT if no index fits."""
    check_ordered(wanted)
    is_fresh = False
    while cached := await read_cached_ontology(core, domain, wanted.kind, wanted.type or ""):
        index = _ordered_index(cached.ontology, wanted, order)
        if index is None and is_fresh:
            raise _no_index(cached.ontology, wanted, order)
        is_fresh = index is None
        if index is None:  # another process may have declared it
            core.log.forget(domain)
            continue
        entries = IndexRange(index, wanted.properties, order.descending)
        sort_keys = await _read_sort_keys(core, domain, page, wanted, entries, cached.epoch)
        if sort_keys is not None:
            return sort_keys
        core.log.forget(domain)
    return []


def not_ordered_with(other: str) -> GraphError:
    """Return the error for `order_by` together with an argument that no index supports."""
    message = Hint("order_by cannot be combined with {other}", other=Reference((other,)))
    return invalid_argument("order_by", message, "Omit one of them.")


def check_ordered(wanted: Criteria) -> None:
    """Raise INVALID_ARGUMENT if a filter is set that no index supports."""
    arguments: dict[str, object] = {
        "from_node_id": wanted.from_id,
        "to_node_id": wanted.to_id,
        "valid_at": wanted.valid_at,
        "namespace, path_prefix, created_… and modified_…": wanted.fields.params(),
    }
    for name, value in arguments.items():
        if value is not None:
            raise not_ordered_with(name)


def _ordered_index(ontology: Ontology, wanted: Criteria, order: Order) -> Index | None:
    for index in _common_indexes(ontology, wanted):
        if index[-1] == order.by and set(index[:-1]) == set(wanted.properties):
            return index
    return None


def _common_indexes(ontology: Ontology, wanted: Criteria) -> list[Index]:
    types = wanted.stored_names.types if wanted.stored_names else ()
    indexes_by_type = [indexes_of(declared_type(wanted.kind, name, ontology)) for name in types]
    return [
        index
        for index in (indexes_by_type[0] if indexes_by_type else ())
        if len(index) > 1 and all(index in indexes for indexes in indexes_by_type)
    ]


def _no_index(ontology: Ontology, wanted: Criteria, order: Order) -> GraphError:
    needed = join_names([*wanted.properties, order.by])
    available = " or ".join(join_names(index) for index in _common_indexes(ontology, wanted))
    hint = f"Declare `indexes: [{needed}]` in the type with apply_ontology, or omit order_by."
    if available:
        hint = f"It has {available}: pass all but the last as properties, and order by the last."
    message = f"{printable(wanted.type or 'No type')} has no index {needed}"
    return invalid_argument("order_by", message, hint)


async def _read_sort_keys(
    core: Core, domain: str, page: Page, wanted: Criteria, entries: IndexRange, epoch: str
) -> list[str] | None:
    """Return the sort keys of a page and one more, or None if the domain's epoch has changed."""
    types = wanted.stored_names.types if wanted.stored_names else ()
    arguments = {
        "kind": str(wanted.kind),
        "types": types,
        "index": index_name(entries.index),
        "until": entries.bounds[1],
    }
    after, results = entries.after(page.after), list[str]()
    while True:
        marked_rows = await read_marked(
            core, IN_ORDER[entries.descending], domain, **arguments, after=after, limit=page.size
        )
        if marked_rows.epoch not in (epoch, ""):
            return None
        keys = {key for key in marked_rows.rows if key is not None}
        is_last = len(marked_rows.rows) < page.size
        horizon = None if is_last or not keys else entries.between(keys, after)[-1]
        for row in await fetch_concurrent_changes(core, domain, marked_rows):
            keys = {key for key in keys if owner_of(key) != row.subject}
            key = entries.sort_key(row.event, row.subject) if row.event and wanted.matches(row.event) else None
            keys |= {key} if key else set()
        returned = set(map(owner_of, results))  # a subject may move on between two reads
        results += [key for key in entries.between(keys, after, horizon) if owner_of(key) not in returned]
        if is_last or len(results) >= page.size:
            return results[: page.size]
        after = horizon or after


async def _find_by_key(
    core: Core, domain: str, wanted: Criteria, bounds: Mapping[str, object]
) -> MarkedRows[str | None] | None:
    # The cached ontology is sufficient if the epoch has not changed: within an epoch, types are only added.
    for _ in range(2 if wanted.properties else 0):
        cached = await read_cached_ontology(core, domain, wanted.kind, wanted.type or "")
        key = _key(cached.ontology, wanted) if cached else None
        if cached is None or key is None:
            return None
        statement = BY_KEY[wanted.kind]
        marked_rows = await read_marked(core, statement, domain, **key, **statement_params(statement, wanted), **bounds)
        if marked_rows.epoch == cached.epoch:
            return marked_rows
        core.log.forget(domain)
    return None


def _key(ontology: Ontology, wanted: Criteria) -> dict[str, object] | None:
    types = wanted.stored_names.types if wanted.stored_names else ()
    declared = [declared_type(wanted.kind, name, ontology) for name in types]
    common = [name for name in wanted.properties if all((name,) in indexes_of(defined) for defined in declared)]
    unique = [name for name in common if all(name in unique_properties(defined) for defined in declared)]
    name = next(iter([*unique, *common]), None)
    return {"property": name, "value": key_value(wanted.properties[name])} if name is not None else None


async def validate_connection(
    core: Core, domain: str, connection_type: str, from_node_type: str, to_node_type: str
) -> Validity:
    """Return whether the domain's ontology allows such a connection, and if not, why."""
    return validity_of(await core.log.require_ontology(domain), connection_type, from_node_type, to_node_type)


def validity_of(ontology: Ontology, connection_type: str, from_node_type: str, to_node_type: str) -> Validity:
    """Return whether an ontology allows such a connection, and if not, why.

    Unknown types are not allowed. However, an open ontology allows a new connection type between known node types.
    """
    try:
        if ontology.open and ontology.find_connection_type(ontology.stored_type(connection_type)[0]) is None:
            ontology.node_type(from_node_type)
            ontology.node_type(to_node_type)
        else:
            ontology.check_topology(connection_type, from_node_type, to_node_type)
    except GraphError as error:
        return Validity(valid=False, reason=f"{error.message}. {error.hint}")
    return Validity(valid=True)

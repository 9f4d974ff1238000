"""Paged queries of nodes and connections by type, properties, and start or end node, sorted by id or a property."""

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
from graph_memory.storage.queries import LogMark, Query, query, with_mark

R = TypeVar("R")

Ids = LogMark | Sequence[str | None]
"""The rows of a statement that returns ids. If a match was only partly read, its id is null."""


def id_query(name: str) -> Query[Ids]:
    """Return the statement of a Cypher file that returns ids, and a mark at the end."""
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
    """The property that results are sorted by, and whether the order is descending."""

    by: str
    descending: bool


@dataclass(frozen=True, slots=True)
class Page:
    """The requested page of results: the id before its first result, the limit, and optionally a time of validity."""

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
        """Return the page that these arguments request. Raises INVALID_ARGUMENT if an argument is invalid."""
        valid_time = None if valid_at is None else parse_instant("valid_at", valid_at, utc_now())
        order = None if order_by is None else Order(order_by, descending)
        return cls(after=check_cursor(cursor), limit=check_limit(limit), valid_at=valid_time, order=order)

    @property
    def size(self) -> int:
        """The number of results to read: one more than the limit, to detect a next page."""
        return min(self.limit + 1, UNLIMITED)

    def cut(self, ids: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
        """Return the ids of the page, and the cursor of the next page or None. With an order, `ids` are sort keys."""
        page = tuple(ids[: self.limit])
        has_next = len(ids) > self.limit
        if self.order is None:
            return page, cursor_after(page[-1]) if has_next else None
        return tuple(map(owner_of, page)), cursor_after(cursor_of(page[-1])) if has_next else None

    async def warnings(self, core: Core, domain: str, criteria: Criteria, ids: Sequence[str]) -> tuple[str, ...] | None:
        """Return possible reasons for an empty first page, or None."""
        return None if ids or self.after else await warnings_of(core, domain, criteria)


async def node_page(
    core: Core, domain: str, page: Page, criteria: Criteria, matches: Sequence[str], *, detail: bool, at: int = END
) -> NodeIds:
    """Return a page of the ids in `matches`. With `detail`, it describes the nodes at the log position `at`."""
    ids, cursor = page.cut(matches)
    nodes = await node_briefs(core, domain, ids, at) if detail else None
    warnings = await page.warnings(core, domain, criteria, ids)
    return NodeIds(node_ids=ids, nodes=nodes, next_cursor=cursor, warnings=warnings)


async def connection_page(
    core: Core, domain: str, page: Page, criteria: Criteria, matches: Sequence[str], *, detail: bool, at: int = END
) -> ConnectionIds:
    """Return a page of the ids in `matches`. With `detail`, it describes the connections at the log position `at`."""
    ids, cursor = page.cut(matches)
    connections = await connection_briefs(core, domain, ids, criteria, at) if detail else None
    warnings = await page.warnings(core, domain, criteria, ids)
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
    """Return a page of the nodes that match the arguments. See `Memory.query_nodes`."""
    criteria = node_criteria(page, type_name, properties, fields)
    results = await _find_ids(core, domain, page, criteria, _statement_for(criteria))
    return await node_page(core, domain, page, criteria, results, detail=detail)


def node_criteria(
    page: Page, type_name: str | None, properties: Mapping[str, object] | None, fields: FieldFilter
) -> Criteria:
    """Return the filter of a node query. Raises INVALID_PROPERTY if a property is invalid."""
    filtered = check_properties(properties or {})
    return Criteria(kind=Kind.NODE, type=type_name, properties=filtered, valid_at=page.valid_at, fields=fields)


def _statement_for(criteria: Criteria) -> Query[Ids]:
    """Return the statement with the most selective index. The root path and the default namespace have no index."""
    fields = criteria.fields
    if fields.path_prefix not in (None, ROOT):
        return NODES_UNDER_PATH
    if fields.namespace not in (None, NAMESPACE):
        return NODES_IN_NAMESPACE
    if fields.created_after is not None or (fields.created_before is not None and criteria.type is None):
        return NODES_CREATED
    return NODES if criteria.type is None else NODES_OF_TYPE


def connection_criteria(
    page: Page, from_id: str | None, to_id: str | None, type_name: str | None, properties: Mapping[str, object] | None
) -> Criteria:
    """Return the filter of a connection query. Raises INVALID_PROPERTY if a property is invalid."""
    return Criteria(
        kind=Kind.CONNECTION,
        type=type_name,
        properties=check_properties(properties or {}),
        valid_at=page.valid_at,
        from_id=from_id,
        to_id=to_id,
    )


async def query_connections(core: Core, domain: str, page: Page, criteria: Criteria, *, detail: bool) -> ConnectionIds:
    """Return a page of the connections that match the filter. See `Memory.query_connections`."""

    async def read(names: TypeNames | None) -> tuple[Criteria, list[str]]:
        resolved = replace(criteria, names=names)
        return resolved, await find_connection_ids(core, domain, page, resolved)

    resolved, results = await with_names(core, domain, criteria.type, read)
    return await connection_page(core, domain, page, resolved, results, detail=detail)


async def find_connection_ids(core: Core, domain: str, page: Page, criteria: Criteria) -> list[str]:
    """Return the ids of matching connections, including one id beyond the page to detect a next page."""
    if criteria.from_id is not None and criteria.to_id is not None:
        statement = CONNECTIONS_BETWEEN
    elif criteria.from_id is not None:
        statement = CONNECTIONS_FROM
    elif criteria.to_id is not None:
        statement = CONNECTIONS_TO
    else:
        statement = CONNECTIONS if criteria.type is None else CONNECTIONS_OF_TYPE
    return await _find_ids(core, domain, page, criteria, statement)


async def _find_ids(core: Core, domain: str, page: Page, criteria: Criteria, statement: Query[Ids]) -> list[str]:
    """Return the ids of the matching subjects. If a property in the filter has an index, uses that index."""
    if page.order is not None:
        return await _find_sort_keys(core, domain, page, criteria, page.order)
    has_key = criteria.type is not None and criteria.from_id is None and criteria.to_id is None

    async def read(after: str, limit: int) -> MarkedRows[str | None]:
        bounds = {"after": after, "limit": limit}
        marked = await _find_by_key(core, domain, criteria, bounds) if has_key else None
        return marked or await read_marked(core, statement, domain, **statement_params(statement, criteria), **bounds)

    async def matches(row: ConcurrentChange) -> bool:
        return criteria.matches(row.event)

    return await read_id_page(core, domain, page.after, page.size, read, matches)


def statement_params(statement: Query[R], criteria: Criteria) -> dict[str, object]:
    """Return the parameters of a statement that express the filter `criteria`."""
    stored, fields = criteria.stored_names, criteria.fields
    arguments = {
        "from_id": criteria.from_id,
        "to_id": criteria.to_id,
        "type": criteria.type,
        "types": stored and stored.types,
        "along": stored and stored.forward_types,
        "against": stored.reverse_types if stored else (),
        "fields": fields.params(),
        "path": fields.path_prefix,
        "namespace": fields.namespace,
        "since": fields.created_after or _EARLIEST,
        "until": fields.created_before or _LATEST,
    }
    used_params = {name: value for name, value in arguments.items() if name in statement.params}
    return {**used_params, "filter": criteria.properties, "valid_at": criteria.valid_at}


async def _find_sort_keys(core: Core, domain: str, page: Page, criteria: Criteria, order: Order) -> list[str]:
    """Return the sort keys of a page and the key after it. Raises INVALID_ARGUMENT if no index supports the order."""
    check_ordered(criteria)
    is_fresh = False
    while cached := await read_cached_ontology(core, domain, criteria.kind, criteria.type or ""):
        index = _ordered_index(cached.ontology, criteria, order)
        if index is None and is_fresh:
            raise _no_index_error(cached.ontology, criteria, order)
        is_fresh = index is None
        if index is None:  # another process may have declared it
            core.log.forget(domain)
            continue
        entries = IndexRange(index, criteria.properties, order.descending)
        sort_keys = await _read_sort_keys(core, domain, page, criteria, entries, cached.epoch)
        if sort_keys is not None:
            return sort_keys
        core.log.forget(domain)
    return []


def order_conflict_error(other: str) -> GraphError:
    """Return the error for an argument that cannot be combined with `order_by`."""
    message = Hint("order_by cannot be combined with {other}", other=Reference((other,)))
    return invalid_argument("order_by", message, Hint("Omit order_by, or omit {other}.", other=Reference((other,))))


def check_ordered(criteria: Criteria) -> None:
    """Raise INVALID_ARGUMENT if a filter cannot be combined with `order_by`."""
    arguments: dict[str, object] = {
        "from_node_id": criteria.from_id,
        "to_node_id": criteria.to_id,
        "valid_at": criteria.valid_at,
        "namespace, path_prefix, created_… and modified_…": criteria.fields.params(),
    }
    for name, value in arguments.items():
        if value is not None:
            raise order_conflict_error(name)


def _ordered_index(ontology: Ontology, criteria: Criteria, order: Order) -> Index | None:
    for index in _common_indexes(ontology, criteria):
        if index[-1] == order.by and set(index[:-1]) == set(criteria.properties):
            return index
    return None


def _common_indexes(ontology: Ontology, criteria: Criteria) -> list[Index]:
    types = criteria.stored_names.types if criteria.stored_names else ()
    indexes_by_type = [indexes_of(declared_type(criteria.kind, name, ontology)) for name in types]
    return [
        index
        for index in (indexes_by_type[0] if indexes_by_type else ())
        if len(index) > 1 and all(index in indexes for indexes in indexes_by_type)
    ]


def _no_index_error(ontology: Ontology, criteria: Criteria, order: Order) -> GraphError:
    needed = join_names([*criteria.properties, order.by])
    available = " or ".join(join_names(index) for index in _common_indexes(ontology, criteria))
    hint = f"Declare `indexes: [{needed}]` in the type with apply_ontology, or omit order_by."
    if available:
        hint = f"Use one of the indexes {available}: pass all names but the last as properties, and order by the last."
    message = f"{printable(criteria.type or 'No type')} has no index {needed}"
    return invalid_argument("order_by", message, hint)


async def _read_sort_keys(
    core: Core, domain: str, page: Page, criteria: Criteria, entries: IndexRange, epoch: str
) -> list[str] | None:
    """Return the sort keys of a page and the key after it, or None if the domain's epoch has changed."""
    types = criteria.stored_names.types if criteria.stored_names else ()
    arguments = {
        "kind": str(criteria.kind),
        "types": types,
        "index": index_name(entries.index),
        "until": entries.bounds[1],
    }
    after, results = entries.after(page.after), list[str]()
    while True:
        marked = await read_marked(
            core, IN_ORDER[entries.descending], domain, **arguments, after=after, limit=page.size
        )
        if marked.epoch not in (epoch, ""):
            return None
        keys = {key for key in marked.rows if key is not None}
        is_last = len(marked.rows) < page.size
        horizon = None if is_last or not keys else entries.between(keys, after)[-1]
        for row in await fetch_concurrent_changes(core, domain, marked):
            keys = {key for key in keys if owner_of(key) != row.subject}
            key = entries.sort_key(row.event, row.subject) if row.event and criteria.matches(row.event) else None
            keys |= {key} if key else set()
        returned = set(map(owner_of, results))  # a subject's sort key may change between two reads
        results += [key for key in entries.between(keys, after, horizon) if owner_of(key) not in returned]
        if is_last or len(results) >= page.size:
            return results[: page.size]
        after = horizon or after


async def _find_by_key(
    core: Core, domain: str, criteria: Criteria, bounds: Mapping[str, object]
) -> MarkedRows[str | None] | None:
    # The cached ontology is sufficient if the epoch has not changed: within an epoch, types are only added.
    for _ in range(2 if criteria.properties else 0):
        cached = await read_cached_ontology(core, domain, criteria.kind, criteria.type or "")
        key = _key_filter(cached.ontology, criteria) if cached else None
        if cached is None or key is None:
            return None
        statement = BY_KEY[criteria.kind]
        marked = await read_marked(core, statement, domain, **key, **statement_params(statement, criteria), **bounds)
        if marked.epoch == cached.epoch:
            return marked
        core.log.forget(domain)
    return None


def _key_filter(ontology: Ontology, criteria: Criteria) -> dict[str, object] | None:
    types = criteria.stored_names.types if criteria.stored_names else ()
    declared = [declared_type(criteria.kind, name, ontology) for name in types]
    indexed_names = [
        name for name in criteria.properties if all((name,) in indexes_of(defined) for defined in declared)
    ]
    unique_names = [name for name in indexed_names if all(name in unique_properties(defined) for defined in declared)]
    name = next(iter([*unique_names, *indexed_names]), None)
    return {"property": name, "value": key_value(criteria.properties[name])} if name is not None else None


async def validate_connection(
    core: Core, domain: str, connection_type: str, from_node_type: str, to_node_type: str
) -> Validity:
    """Return whether the domain's ontology allows a connection between these node types. See `validity_of`."""
    return validity_of(await core.log.require_ontology(domain), connection_type, from_node_type, to_node_type)


def validity_of(ontology: Ontology, connection_type: str, from_node_type: str, to_node_type: str) -> Validity:
    """Return whether an ontology allows a connection between these node types. If not, includes the reason.

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

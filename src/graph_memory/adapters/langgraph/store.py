"""LangGraph's long-term memory in the graph: `GraphStore`, a `BaseStore`.

with open_memory_sync() as memory:
    graph = builder.compile(store=GraphStore(memory, domain="assistant"))

An item is stored as a node of type `StoreItem`. The path of the node is the namespace, its title is the key, and its
metadata is the value, of up to 64 kB as JSON. Its content is the text that searches read: the whole value, or the
fields that `index` lists, or no text if `index` is False. The validity of an item with a TTL ends when it expires. The
store does not return it after that time. Queries of the memory without `valid_at` still return it until `sweep_ttl`
deletes it.
"""

from __future__ import annotations

import json
import operator
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    validate_op_namespace,
)
from typing_extensions import override

from graph_memory.adapters.running import Runner, path_of, title_of
from graph_memory.layers import add_missing_types
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import NodeType, PropertyRule
from graph_memory.model.results import NodeDescription
from graph_memory.model.text.wording import quote
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.model.values.fields import check_metadata
from graph_memory.model.values.properties import PropertyType
from graph_memory.sync import SyncMemory

Namespace = tuple[str, ...]

ACTOR = "langgraph"
"""Default actor of the changes in the log."""
_TYPE = "StoreItem"
_ID, _TTL, _INDEXED, _UPDATED = "item", "ttl", "indexed", "updated"
ITEM = NodeType(
    _TYPE,
    "An item of a LangGraph store. Its path is the namespace, its title the key, its metadata the value.",
    (
        PropertyRule(_ID, PropertyType.STRING, "The labels of the namespace and the key, as JSON.", unique=True),
        PropertyRule(_TTL, PropertyType.NUMBER, "Minutes after the last access at which it expires; 0: never."),
        PropertyRule(_INDEXED, PropertyType.BOOLEAN, "Whether searches by text return it."),
        PropertyRule(_UPDATED, PropertyType.STRING, "When its value was put, in UTC as RFC 3339.", required=True),
    ),
)
_PAGE_SIZE = 100
"""Number of hits per page of a text search."""
_FOREVER = "open"
_IGNORED_REFRESH_ERRORS = (Code.PROTECTED, Code.DOMAIN_BUSY, Code.INSUFFICIENT_RIGHTS)
"""Errors that are ignored when a read refreshes a TTL, so that the read itself succeeds."""
_MAX_TTL = 100 * 366 * 24 * 60
"""Maximum TTL in minutes: one century."""
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class GraphStore(BaseStore):
    """A LangGraph store on a domain of a memory that was opened with `open_memory_sync` or `open_memory`.

    If the memory is async, create the store within its event loop. If no query is given, `search` returns the items in
    order of their last change, newest first. A get or a search with `refresh_ttl` restarts the TTL of the items that it
    returns.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        session: str | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        self._runner = Runner(memory, domain, actor, session)
        self.ttl_config = ttl

    @override
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        operations = list(ops)
        return self._runner.run(lambda memory: _execute(memory, operations))

    @override
    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        operations = list(ops)
        return await self._runner.arun(lambda memory: _execute(memory, operations))

    def sweep_ttl(self) -> int:
        """Delete the expired items, and return their number."""
        return self._runner.run(_sweep)

    async def asweep_ttl(self) -> int:
        """Delete the expired items, and return their number."""
        return await self._runner.arun(_sweep)


@dataclass(frozen=True, slots=True)
class _StoredItem:
    node: NodeDescription
    namespace: Namespace
    key: str

    @classmethod
    def of(cls, node: NodeDescription) -> _StoredItem:
        *namespace, key = cast("list[str]", json.loads(str(node.properties[_ID])))
        return cls(node, tuple(namespace), key)

    @property
    def value(self) -> dict[str, Any]:
        return dict(self.node.metadata or {})

    def to_item(self) -> Item:
        return Item(value=self.value, key=self.key, namespace=self.namespace, **self._times)

    def to_search_item(self, score: float | None) -> SearchItem:
        return SearchItem(self.namespace, self.key, self.value, score=score, **self._times)

    @property
    def updated(self) -> datetime:
        """The time at which the value was last stored. Refreshing the TTL does not change it."""
        return datetime.fromisoformat(str(self.node.properties[_UPDATED]))

    @property
    def _times(self) -> dict[str, datetime]:
        return {"created_at": self.node.created, "updated_at": self.updated}


async def _execute(memory: Memory, operations: Sequence[Op]) -> list[Result]:
    """Return the results of the operations.

    Reads see the state before the writes. All writes are in one transaction.
    """
    for operation in operations:
        validate_op_namespace(operation)
    results: list[Result] = []
    refreshed_items: dict[str, _StoredItem] = {}
    for operation in operations:
        items: list[_StoredItem] = []
        match operation:
            case GetOp():
                items = await _read(memory, item_id=_id_of(operation.namespace, operation.key))
                results.append(items[0].to_item() if items else None)
            case SearchOp():
                scored = await _search(memory, operation)
                items = [item for item, _ in scored]
                results.append([item.to_search_item(score) for item, score in scored])
            case ListNamespacesOp():
                results.append(await _list_namespaces(memory, operation))
            case PutOp():
                results.append(None)
        if getattr(operation, "refresh_ttl", False):
            refreshed_items.update((item.node.id, item) for item in items if item.node.properties.get(_TTL))
    puts = {(put.namespace, put.key): put for put in operations if isinstance(put, PutOp)}
    await _write(memory, list(puts.values()))
    await _refresh(memory, list(refreshed_items.values()))
    return results


async def _read(
    memory: Memory, *, item_id: str | None = None, prefix: str | None = None, with_expired: bool = False
) -> list[_StoredItem]:
    """Return the stored items, oldest first: all of them, one item, or the items under a path."""
    properties = None if item_id is None else {_ID: item_id}
    valid_at = None if with_expired else "now"
    page = await memory.query_nodes(type=_TYPE, properties=properties, path_prefix=prefix, valid_at=valid_at)
    return [_StoredItem.of(node) for node in (await memory.describe_nodes(page.node_ids) if page.node_ids else ())]


async def _search(memory: Memory, operation: SearchOp) -> Sequence[tuple[_StoredItem, float | None]]:
    prefix = path_of(operation.namespace_prefix)
    items = await _read(memory, prefix=prefix)
    matching_items = {
        item.node.id: item
        for item in sorted(items, key=lambda item: item.updated, reverse=True)
        if _matches_conditions(item.value, operation.filter)
    }
    start, end = operation.offset, operation.offset + operation.limit
    if not operation.query:
        return [(item, None) for item in matching_items.values()][start:end]
    scores: dict[str, float | None] = {}
    async for hit_id, score in _search_text(memory, operation.query, prefix):
        if hit_id in matching_items and matching_items[hit_id].node.properties.get(_INDEXED) is not False:
            scores.setdefault(hit_id, score)
        if len(scores) >= end:
            break
    ordered_ids = [*scores, *(node_id for node_id in matching_items if node_id not in scores)]
    return [(matching_items[node_id], scores.get(node_id)) for node_id in ordered_ids[start:end]]


async def _search_text(memory: Memory, query: str, prefix: str) -> AsyncIterator[tuple[str, float | None]]:
    """Yield the ids and scores of the items that match the query, best first."""
    filters = {"node_types": [_TYPE], "path_prefix": prefix}
    cursor: str | None = None
    try:
        while True:
            page = await memory.recall.search_memories(
                query, filters=filters, valid_at="now", max_results=_PAGE_SIZE, cursor=cursor
            )
            for hit in page.hits:
                yield hit.id, hit.score
            if (cursor := page.next_cursor) is None:
                return
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise


async def _list_namespaces(memory: Memory, operation: ListNamespacesOp) -> list[Namespace]:
    conditions = operation.match_conditions or ()
    namespaces = {item.namespace for item in await _read(memory)}
    matching = (name for name in namespaces if all(_matches_namespace(condition, name) for condition in conditions))
    shortened = sorted({name[: operation.max_depth] for name in matching})
    return shortened[operation.offset : operation.offset + operation.limit]


def _matches_namespace(condition: MatchCondition, namespace: Namespace) -> bool:
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(expected in ("*", label) for expected, label in zip(path, part, strict=True))


def _matches_conditions(value: Mapping[str, object], conditions: Mapping[str, object] | None) -> bool:
    return all(_equals(value.get(key), expected) for key, expected in (conditions or {}).items())


def _equals(value: object, expected: object) -> bool:
    """Return whether a value matches a filter.

    The filter is an object of operators such as `$gt`, or a value that must match completely.
    """
    match expected:
        case dict():
            parts = cast("dict[str, object]", expected)
            if any(key.startswith("$") for key in parts):
                return all(_compare(value, name, operand) for name, operand in parts.items())
            return isinstance(value, dict) and _matches_conditions(cast("dict[str, object]", value), parts)
        case list() | tuple():
            entries = cast("Sequence[object]", expected)
            if not isinstance(value, list | tuple):
                return False
            values = cast("Sequence[object]", value)
            return len(values) == len(entries) and all(map(_equals, values, entries))
        case _:
            return value == expected


def _compare(value: object, name: str, operand: object) -> bool:
    """Return whether a value matches an operator, such as `$gt`. Raises ValueError if the operator is unknown."""
    if name in ("$eq", "$ne"):
        return (value == operand) is (name == "$eq")
    if name not in _ORDERS:
        raise ValueError(f"Unsupported operator: {name}")
    return value is not None and _ORDERS[name](float(cast("str", value)), float(cast("str", operand)))


async def _write(memory: Memory, puts: Sequence[PutOp]) -> None:
    has_values = any(put.value is not None for put in puts)
    if has_values:
        await add_missing_types(memory, ITEM)
    if not puts:
        return
    try:
        async with memory.transaction() as transaction:
            for put in puts:
                await _put(transaction, put)
    except GraphError as error:
        if has_values or error.code is not Code.ONTOLOGY_NOT_FOUND:  # else there is nothing to delete
            raise


async def _refresh(memory: Memory, items: Sequence[_StoredItem]) -> None:
    """Restart the TTL of the items. On an error in `_IGNORED_REFRESH_ERRORS`, no TTL is restarted."""
    if not items:
        return
    try:
        async with memory.transaction() as transaction:
            for node in await transaction.describe_nodes([item.node.id for item in items]):
                if ttl := node.properties.get(_TTL):
                    await _expire(transaction, node.id, float(ttl))
    except GraphError as error:
        if error.code not in _IGNORED_REFRESH_ERRORS:
            raise


async def _put(memory: Memory, put: PutOp) -> None:
    stored_items = await _read(memory, item_id=_id_of(put.namespace, put.key), with_expired=True)
    if put.value is None:
        for item in stored_items:
            await memory.delete_node(item.node.id)
        return
    if put.ttl is not None and not 0 < put.ttl <= _MAX_TTL:
        message = f"A TTL of {put.ttl} minutes is out of range"
        raise invalid_argument("ttl", message, f"Use more than 0 and at most {_MAX_TTL:,} minutes, or None.")
    value, text = _checked_value(put), _text_of(put)
    updated = datetime.now(UTC).isoformat(timespec="microseconds")
    properties = {_TTL: put.ttl or 0, _INDEXED: put.index is not False, _UPDATED: updated}
    if stored_items:
        node_id = stored_items[0].node.id
        await memory.update_node(node_id, content=text, encoding="utf-8", properties=properties, metadata=value)
    else:
        created = await memory.create_node(
            _TYPE,
            text,
            format="text",
            properties={**properties, _ID: _id_of(put.namespace, put.key)},
            metadata=value,
            path=path_of(put.namespace),
            title=title_of(put.key) or _TYPE,
        )
        node_id = created.node_id
    if put.ttl or (stored_items and stored_items[0].node.properties.get(_TTL)):
        await _expire(memory, node_id, put.ttl)


async def _expire(memory: Memory, node_id: str, minutes: float | None) -> None:
    """Set the item to expire in `minutes` minutes. None or 0 means never."""
    await memory.set_validity(node_id, valid_to=datetime.now(UTC) + timedelta(minutes=minutes) if minutes else _FOREVER)


async def _sweep(memory: Memory) -> int:
    stored_items = await _read(memory, with_expired=True)
    valid_ids = {item.node.id for item in await _read(memory)}  # read last, so that an item put meanwhile is among them
    expired_nodes = [
        item.node for item in stored_items if item.node.properties.get(_TTL) and item.node.id not in valid_ids
    ]
    return sum([await _delete_unchanged(memory, node) for node in expired_nodes])


async def _delete_unchanged(memory: Memory, node: NodeDescription) -> bool:
    """Delete an expired item unless another call has changed it in the meantime. Return whether it was deleted."""
    try:
        await memory.delete_node(node.id, expected_version=node.version)
    except GraphError as error:
        if error.code not in (Code.VERSION_CONFLICT, Code.NODE_NOT_FOUND):
            raise
        return False
    return True


def _checked_value(put: PutOp) -> Mapping[str, object]:
    """Return the value to store. Raises INVALID_ARGUMENT if the value is not JSON or is too large."""
    value = put.value or {}
    try:
        check_metadata(value)
    except GraphError as error:
        message = f"The value of {quote(put.key)} cannot be stored: {error.message}"
        hint = "Use JSON of up to 64 kB. Keep larger texts as files or nodes."
        raise invalid_argument("value", message, hint) from error
    return value


def _text_of(put: PutOp) -> str:
    """Return the searchable text of an item: its whole value, or only the fields that `index` lists."""
    value = dict(put.value or {})
    if put.index is None:
        return "\n".join(
            f"{key}: {entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)}"
            for key, entry in value.items()
        )
    return "\n".join(text for path in put.index or () for text in get_text_at_path(value, path))


def _id_of(namespace: Namespace, key: str) -> str:
    return json.dumps([*namespace, key], ensure_ascii=False)

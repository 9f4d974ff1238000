"""Sessions of the OpenAI Agents SDK in the graph: `GraphSession`.

async with open_memory() as memory:
    session = GraphSession("ann-1", memory, domain="assistant")
    await Runner.run(agent, "What did I ask?", session=session)

An item is stored as a node of type `SessionItem`, with its session and its position. The content of the node is the
text of the item, so that search finds it, and its metadata is the item. If the item is larger than 64 kB, the limit of
metadata, the content is the item as JSON. The log records the session of each change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from agents import TResponseInputItem
from agents.memory import SessionABC, SessionSettings
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit
from typing_extensions import override

from graph_memory.adapters.messages import fits_metadata
from graph_memory.adapters.running import Runner, has_type
from graph_memory.layers import add_missing_types
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import NodeType, PropertyRule
from graph_memory.model.results import NodeDescription
from graph_memory.model.values.properties import PropertyType
from graph_memory.sync import SyncMemory

ACTOR = "openai-agents"
"""Default actor of the changes in the log."""
_TYPE = "SessionItem"
_SESSION, _POSITION, _LARGE = "session", "position", "is_large"
_TEXT_FIELDS = ("content", "text", "name", "arguments", "output", "summary")
_TITLE_LIMIT = 200
SESSION_ITEM = NodeType(
    _TYPE,
    "An item of a session of the OpenAI Agents SDK: a message, a call of a tool, or its output.",
    (
        PropertyRule(_SESSION, PropertyType.STRING, "The id of the session.", required=True),
        PropertyRule(_POSITION, PropertyType.INTEGER, "Its place in the session.", required=True),
        PropertyRule(_LARGE, PropertyType.BOOLEAN, "Whether the content is the item as JSON."),
    ),
    indexes=((_SESSION, _POSITION),),
)


class GraphSession(SessionABC):
    """A session on a domain of a memory that was opened with `open_memory` or `open_memory_sync`.

    If the memory is async, create the session within its event loop. Each change is one transaction, so several
    processes can share a session.
    """

    def __init__(
        self,
        session_id: str,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = coerce_session_settings(session_settings or {})
        self._runner = Runner(memory, domain, actor, session_id)

    @override
    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return all items in order, or the last `limit` items."""
        max_items = resolve_session_limit(limit, self.session_settings)

        async def read(memory: Memory) -> list[TResponseInputItem]:
            nodes = await self._nodes(memory, None if max_items is None or max_items < 0 else max_items)
            items = [await _read_item(memory, node) for node in reversed(nodes)]
            return [item for item in items if item is not None]

        return [] if max_items == 0 else await self._runner.arun(read)

    @override
    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items to the end of the session. If an item cannot be stored, no item is added."""

        async def add(memory: Memory) -> None:
            await add_missing_types(memory, SESSION_ITEM)
            async with memory.transaction() as transaction:
                last_nodes = await self._nodes(transaction, 1)
                last_position = int(last_nodes[0].properties[_POSITION]) if last_nodes else 0
                for position, item in enumerate(items, last_position + 1):
                    await self._add_item(transaction, item, position)

        if items:
            await self._runner.arun(add)

    @override
    async def pop_item(self) -> TResponseInputItem | None:
        """Delete and return the last item. Returns None if the session is empty."""

        async def pop(memory: Memory) -> TResponseInputItem | None:
            if not await has_type(memory, SESSION_ITEM):
                return None
            async with memory.transaction() as transaction:
                for node in await self._nodes(transaction, 1):
                    item = await _item_of(transaction, node)
                    await transaction.delete_node(node.id)
                    return item
            return None

        return await self._runner.arun(pop)

    @override
    async def clear_session(self) -> None:
        """Delete all items of the session. They stay in the log."""

        async def clear(memory: Memory) -> None:
            if not await has_type(memory, SESSION_ITEM):
                return
            async with memory.transaction() as transaction:
                for node in await self._nodes(transaction, None):
                    await transaction.delete_node(node.id)

        await self._runner.arun(clear)

    async def _nodes(self, memory: Memory, limit: int | None) -> Sequence[NodeDescription]:
        """Return the nodes of the last items of the session, newest first."""
        if not await has_type(memory, SESSION_ITEM):
            return ()
        page = await memory.query_nodes(
            type=_TYPE, properties={_SESSION: self.session_id}, order_by=_POSITION, descending=True, limit=limit
        )
        return await memory.describe_nodes(page.node_ids) if page.node_ids else ()

    async def _add_item(self, memory: Memory, item: TResponseInputItem, position: int) -> None:
        text = json.dumps(item)
        value = cast("dict[str, object]", json.loads(text))
        is_large = not fits_metadata(value)
        properties = {_SESSION: self.session_id, _POSITION: position, _LARGE: is_large}
        title = f"{value.get('role') or value.get('type') or 'item'} {position}"
        await memory.create_node(
            _TYPE,
            text if is_large else _text_of(value),
            format="json" if is_large else "text",
            properties=properties,
            metadata=None if is_large else value,
            title=title if title.isprintable() and len(title) < _TITLE_LIMIT else f"item {position}",
        )


async def _read_item(memory: Memory, node: NodeDescription) -> TResponseInputItem | None:
    """Return the item of a node, or None if another process has deleted it in the meantime."""
    try:
        return await _item_of(memory, node)
    except GraphError as error:
        if error.code is not Code.NODE_NOT_FOUND:
            raise
        return None


async def _item_of(memory: Memory, node: NodeDescription) -> TResponseInputItem:
    if node.properties.get(_LARGE) is True:
        return cast("TResponseInputItem", json.loads((await memory.get_node_content(node.id)).content))
    return cast("TResponseInputItem", node.metadata or {})


def _text_of(value: object) -> str:
    """Return the texts of an item: messages, and the arguments and outputs of tool calls."""
    match value:
        case dict():
            fields = cast("dict[str, Any]", value)
            texts = (_text_of(fields.get(name)) for name in _TEXT_FIELDS)
        case list():
            texts = map(_text_of, cast("list[object]", value))
        case str():
            return value
        case _:
            return ""
    return "\n".join(filter(None, texts))

"""Stores messages of conversations as nodes, for frameworks that search earlier conversations."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graph_memory.adapters.running import has_type, path_of, title_of
from graph_memory.hooks.fence import fence
from graph_memory.layers import add_missing_types
from graph_memory.memory.api.memory import Memory
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import NodeType, PropertyRule
from graph_memory.model.results import NodeDescription
from graph_memory.model.values.fields import check_metadata
from graph_memory.model.values.properties import PropertyType

KEY, SCOPE, ID, SESSION = "message", "scope", "message_id", "session"
AUTHOR, TIME, DELETED = "author", "time", "deleted"
MESSAGE = NodeType(
    "ConversationMessage",
    "A message of a conversation. Its content is the text, its metadata the whole message, if that fits.",
    (
        PropertyRule(KEY, PropertyType.STRING, "Scope, session and id, as JSON.", unique=True),
        PropertyRule(
            SCOPE,
            PropertyType.STRING,
            "The owner of the conversation, such as a user, as JSON.",
            indexed=True,
        ),
        PropertyRule(ID, PropertyType.STRING, "The id in the framework.", indexed=True),
        PropertyRule(SESSION, PropertyType.STRING, "The session in which it was said."),
        PropertyRule(AUTHOR, PropertyType.STRING, "Who said it."),
        PropertyRule(TIME, PropertyType.DATETIME, "When it was said."),
        PropertyRule(DELETED, PropertyType.BOOLEAN, "Whether it was deleted, and is not to be added again."),
    ),
)
_MAX_QUERY_CHARACTERS = 2_000
"""Maximum number of characters of a query. The search ignores the end of a longer text."""
Scope = tuple[str, ...]
"""The owner of conversations, such as an application and a user."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to store. Its id is unique within its scope and session.

    A message without an id gets an id derived from its author, its text, and the number of identical messages before it
    in the list.
    """

    id: str | None
    text: str
    author: str | None = None
    session: str | None = None
    time: str | None = None
    data: Mapping[str, Any] | None = None

    def key(self, scope: Scope) -> str:
        """Return the message's scope, session and id as one property value."""
        return json.dumps([*scope, self.session, self.id], ensure_ascii=False)


async def add_messages(memory: Memory, scope: Scope, messages: Sequence[Message]) -> None:
    """Store the new messages in one transaction. Messages without text are not stored."""
    messages_by_key = _by_key(scope, messages)
    if not messages_by_key:
        return
    await add_missing_types(memory, MESSAGE)
    async with memory.transaction() as transaction:
        deleted_ids = await _deleted_ids(transaction, scope)
        for key, message in messages_by_key.items():
            stored = await transaction.query_nodes(type=MESSAGE.name, properties={KEY: key})
            if not stored.node_ids and message.id not in deleted_ids:
                await transaction.create_node(MESSAGE.name, **_fields_of(scope, message))


async def replace_messages(memory: Memory, scope: Scope, session: str, messages: Sequence[Message]) -> None:
    """Replace the stored messages of a session in one transaction. Forgotten messages are not stored again."""
    messages_by_key = _by_key(scope, messages)
    await add_missing_types(memory, MESSAGE)
    async with memory.transaction() as transaction:
        deleted_ids = await _deleted_ids(transaction, scope)
        nodes = await _find(transaction, {SCOPE: _scope_of(scope), SESSION: session})
        nodes_by_key = {str(node.properties[KEY]): node for node in nodes if not node.properties.get(DELETED)}
        for key, node in nodes_by_key.items():
            if key not in messages_by_key:
                await transaction.delete_node(node.id)
        for key, message in messages_by_key.items():
            if message.id in deleted_ids:
                continue
            fields = _fields_of(scope, message)
            if key in nodes_by_key:
                await transaction.update_node(nodes_by_key[key].id, **fields)
            else:
                await transaction.create_node(MESSAGE.name, **fields)


def _by_key(scope: Scope, messages: Sequence[Message]) -> Mapping[str, Message]:
    """Return the messages with text, keyed by `Message.key`. Messages without an id get a derived id."""
    occurrences: Counter[tuple[str | None, str]] = Counter()
    messages_by_key: dict[str, Message] = {}
    for message in messages:
        if not message.text.strip():
            continue
        author_and_text = (message.author, message.text)
        occurrences[author_and_text] += 1
        digest = hashlib.sha256(json.dumps([*author_and_text, occurrences[author_and_text]]).encode()).hexdigest()
        identified = message if message.id else replace(message, id=digest)
        messages_by_key[identified.key(scope)] = identified
    return messages_by_key


async def _deleted_ids(memory: Memory, scope: Scope) -> Collection[str]:
    nodes = await _find(memory, {SCOPE: _scope_of(scope), DELETED: True})
    return {str(node.properties[ID]) for node in nodes}


def _fields_of(scope: Scope, message: Message) -> dict[str, Any]:
    optional = {SESSION: message.session, AUTHOR: message.author, TIME: message.time}
    return {
        "content": message.text,
        "format": "text",
        "properties": {
            KEY: message.key(scope),
            SCOPE: _scope_of(scope),
            ID: message.id,
            **{name: value for name, value in optional.items() if value},
        },
        "metadata": message.data if message.data and fits_metadata(message.data) else {},
        "path": path_of(scope),
        "title": title_of(f"{message.author or 'message'}: {message.text[:80]}"),
    }


async def forget_message(memory: Memory, scope: Scope, message_id: str) -> None:
    """Remove the text of the messages with this id, in all sessions. A message added later with this id is ignored."""
    if not await has_type(memory, MESSAGE):
        return
    async with memory.transaction() as transaction:
        for node in await _find(transaction, {SCOPE: _scope_of(scope), ID: message_id}):
            properties = {DELETED: True}
            await transaction.update_node(node.id, content="", metadata={}, title="deleted", properties=properties)


async def search_messages(
    memory: Memory, scope: Scope, query: str, limit: int
) -> Sequence[tuple[NodeDescription, str]]:
    """Return the nodes and texts of the messages in a scope that match a query, best first."""
    if not query.strip() or not await has_type(memory, MESSAGE):
        return ()
    filters = {"node_types": [MESSAGE.name], "path_prefix": path_of(scope)}
    result = await memory.recall.search_memories(query[:_MAX_QUERY_CHARACTERS], filters=filters, max_results=limit)
    nodes = await memory.describe_nodes([hit.id for hit in result.hits]) if result.hits else ()
    own_nodes = [node for node in nodes if node.properties.get(SCOPE) == _scope_of(scope) and node.content_size]
    return [(node, (await memory.get_node_content(node.id)).content) for node in own_nodes]


async def _find(memory: Memory, properties: Mapping[str, object]) -> Sequence[NodeDescription]:
    page = await memory.query_nodes(type=MESSAGE.name, properties=properties)
    return await memory.describe_nodes(page.node_ids) if page.node_ids else ()


def _scope_of(scope: Scope) -> str:
    return json.dumps(scope, ensure_ascii=False)


def fits_metadata(value: Mapping[str, object]) -> bool:
    """Return whether the object can be the metadata of a node: it is valid JSON and not too large."""
    try:
        check_metadata(value)
    except GraphError:
        return False
    return True


async def recall_about(memory: Memory, text: str, max_tokens: int) -> str | None:
    """Return the memories about a text, fenced as data. Returns None if there are none."""
    query = text[:_MAX_QUERY_CHARACTERS]
    if not query.strip():
        return None
    try:
        await memory.recall.search_memories(query, max_results=1)  # waits for the index; the recall does not
    except GraphError as error:
        if error.code is not Code.ONTOLOGY_NOT_FOUND:
            raise
        return None
    result, node_ids = await memory.entities.session_context(query, max_tokens=max_tokens)
    return fence(str(result.content), "recall", result.tokens_used) if node_ids else None

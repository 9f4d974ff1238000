"""An adapter for Google ADK: `GraphMemoryService`, a memory service.

async with open_memory() as memory:
    runner = Runner(agent=agent, memory_service=GraphMemoryService(memory, domain="assistant"), …)

An event is stored as a node of type `ConversationMessage`. The content of the node is the text of the event, so that
search finds it. The metadata of the node is the content of the event, if that has at most 64 kB as JSON. The log
records the session of the event.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from uuid import uuid4

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, Part
from pydantic import ValidationError
from typing_extensions import override

from graph_memory.adapters import messages
from graph_memory.adapters.messages import Message
from graph_memory.adapters.running import Runner
from graph_memory.memory.api.memory import Memory
from graph_memory.model.results import NodeDescription
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.sync import SyncMemory

ACTOR = "google-adk"
"""Default actor of the changes in the log."""
_MAX_LIMIT = 100
_DEFAULT_LIMIT = 10
"""Default maximum number of memories per search, as in ADK's in-memory service."""


class GraphMemoryService(BaseMemoryService):
    """A memory service on a domain of a memory that was opened with `open_memory` or `open_memory_sync`.

    If the memory is async, create the service within its event loop. A search returns at most `limit` memories (from 1
    to 100): first the messages that match by words or meaning, then messages shortly before or after a match.
    `custom_metadata` is not stored. Raises INVALID_ARGUMENT if `limit` is not between 1 and 100.
    """

    def __init__(
        self,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        limit: int = _DEFAULT_LIMIT,
    ) -> None:
        if not 1 <= limit <= _MAX_LIMIT:
            message = f"A search cannot return {limit} memories"
            raise invalid_argument("limit", message, f"Pass a limit from 1 to {_MAX_LIMIT}.")
        self._runner = Runner(memory, domain, actor, None)
        self._limit = limit

    @override
    async def add_session_to_memory(self, session: Session) -> None:
        """Store the events of a session in one transaction.

        Replaces stored events that have changed, and deletes stored events that the session no longer contains.
        """
        scope, new_messages = (session.app_name, session.user_id), _messages_of(session.events, session.id)
        await self._runner.arun(
            lambda memory: messages.replace_messages(memory, scope, session.id, new_messages), session.id
        )

    @override
    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store the events that are not stored yet. Events that were deleted from the memory are not stored again."""
        new_messages = _messages_of(events, session_id)
        scope = (app_name, user_id)
        await self._runner.arun(lambda memory: messages.add_messages(memory, scope, new_messages), session_id)

    @override
    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store memories that belong to no session. A memory without an id gets a generated id."""
        new_messages = [_message_of_entry(entry) for entry in memories]
        await self._runner.arun(lambda memory: messages.add_messages(memory, (app_name, user_id), new_messages))

    @override
    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the user's memories that best match the query, by words and meaning."""
        hits = await self._runner.arun(
            lambda memory: messages.search_messages(memory, (app_name, user_id), query, self._limit)
        )
        return SearchMemoryResponse(memories=[_entry_of(node, text) for node, text in hits])

    @override
    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Delete the memory with this id. If no id is given, delete nothing.

        If the memory's event is added again, it is ignored. The log keeps the text until you erase it.
        """
        if memory_id:
            await self._runner.arun(lambda memory: messages.forget_message(memory, (app_name, user_id), memory_id))


def _messages_of(events: Sequence[Event], session: str | None) -> list[Message]:
    return [
        Message(
            id=event.id,
            text=_text_of(event.content),
            author=event.author,
            session=session,
            time=datetime.fromtimestamp(event.timestamp, UTC).isoformat(),
            data=event.content.model_dump(mode="json", exclude_none=True),
        )
        for event in events
        if event.content
    ]


def _message_of_entry(entry: MemoryEntry) -> Message:
    return Message(
        id=entry.id or str(uuid4()),
        text=_text_of(entry.content),
        author=entry.author,
        data=entry.content.model_dump(mode="json", exclude_none=True),
    )


def _text_of(content: Content) -> str:
    return " ".join(part.text for part in content.parts or () if part.text)


def _entry_of(node: NodeDescription, text: str) -> MemoryEntry:
    properties = node.properties
    author, time = properties.get(messages.AUTHOR), properties.get(messages.TIME)
    return MemoryEntry(
        id=str(properties[messages.ID]),
        content=_content_of(node, text),
        author=str(author) if author else None,
        timestamp=str(time) if time else None,
    )


def _content_of(node: NodeDescription, text: str) -> Content:
    """Return the content of an event from its node. If the metadata is not valid content, return only the text."""
    try:
        return Content.model_validate(node.metadata or {"parts": [{"text": text}]})
    except ValidationError:
        return Content(parts=[Part(text=text)])

"""LlamaIndex's long-term memory in the graph: `GraphMemoryBlock`, a memory block.

async with open_memory() as memory:
    block = GraphMemoryBlock(memory, domain="assistant")
    chat = Memory.from_defaults(session_id="monday", memory_blocks=[block])

Messages that leave the short-term memory are stored as nodes of type `ConversationMessage`. The text of the block is
what the memory knows about the last message, fenced as data. The log records the session of the chat.
"""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory import BaseMemoryBlock
from typing_extensions import override

from graph_memory.adapters import messages as conversations
from graph_memory.adapters.running import Runner
from graph_memory.memory.api.memory import Memory
from graph_memory.sync import SyncMemory

ACTOR = "llama-index"
"""Default actor of the changes in the log."""
_SESSION = "session_id"


class GraphMemoryBlock(BaseMemoryBlock[str]):
    """A memory block on a domain of a memory that was opened with `open_memory` or `open_memory_sync`.

    If the memory is async, create the block within its event loop, and use `aget` and `aput` of the chat memory. `get`
    and `put` would block the loop forever, so they need a memory that was opened with `open_memory_sync`. `max_tokens`
    limits the size of the block.
    """

    max_tokens: int = 0
    _runner: Runner = PrivateAttr()

    def __init__(
        self,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        name: str = "graph-memory",
        priority: int = 0,
        max_tokens: int = 1_000,
    ) -> None:
        super().__init__(name=name, priority=priority)
        self.max_tokens = max_tokens
        self._runner = Runner(memory, domain, actor, None)

    @override
    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        query = next((text for message in reversed(messages or []) if (text := message.content)), "")
        text = await self._runner.arun(lambda memory: conversations.recall_about(memory, query, self.max_tokens))
        return text or ""

    @override
    async def _aput(self, messages: list[ChatMessage]) -> None:
        sessions = {message.additional_kwargs.get(_SESSION) for message in messages}
        for session in sessions:
            session_messages = [message for message in messages if message.additional_kwargs.get(_SESSION) == session]
            await self._add_to_session(None if session is None else str(session), session_messages)

    async def _add_to_session(self, session: str | None, messages: list[ChatMessage]) -> None:
        new_messages = [
            conversations.Message(
                id=None,
                text=message.content or "",
                author=message.role.value,
                session=session,
                data=message.model_dump(mode="json", exclude_none=True),
            )
            for message in messages
        ]
        await self._runner.arun(lambda memory: conversations.add_messages(memory, (self.name,), new_messages), session)

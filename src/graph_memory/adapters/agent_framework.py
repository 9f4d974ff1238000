"""An adapter for Microsoft Agent Framework: `GraphContextProvider`, a context provider.

async with open_memory() as memory:
    agent = Agent(client, context_providers=[GraphContextProvider(memory, domain="assistant")])

Before a run, the agent gets what the memory knows about the new messages, fenced as data. After a run, the new messages
and the answer are stored as nodes of type `ConversationMessage`. The log records the session of the agent.
"""

from __future__ import annotations

from typing import Any

from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun
from typing_extensions import override

from graph_memory.adapters import messages
from graph_memory.adapters.running import Runner
from graph_memory.memory.api.memory import Memory
from graph_memory.sync import SyncMemory

ACTOR = "agent-framework"
"""Default actor of the changes in the log."""


class GraphContextProvider(ContextProvider):
    """A context provider on a domain of a memory that was opened with `open_memory` or `open_memory_sync`.

    If the memory is async, create the provider within its event loop. `max_tokens` limits the text that a run gets from
    the memory.
    """

    def __init__(
        self,
        memory: Memory | SyncMemory,
        *,
        domain: str | None = None,
        actor: str = ACTOR,
        max_tokens: int = 1_000,
        source_id: str = "graph-memory",
    ) -> None:
        super().__init__(source_id)
        self._runner = Runner(memory, domain, actor, None)
        self._max_tokens = max_tokens

    @override
    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        query = "\n".join(message.text for message in context.input_messages if message.text)
        text = await self._runner.arun(lambda memory: messages.recall_about(memory, query, self._max_tokens))
        if text:
            context.extend_instructions(self.source_id, text)

    @override
    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        new_messages = [*context.input_messages, *(context.response.messages if context.response else ())]
        stored_messages = [_message_of(message, session.session_id) for message in new_messages]

        async def add(memory: Memory) -> None:
            await messages.add_messages(memory.in_session(session.session_id), (self.source_id,), stored_messages)

        await self._runner.arun(add)


def _message_of(message: Message, session: str) -> messages.Message:
    return messages.Message(
        id=message.message_id,
        text=message.text,
        author=message.author_name or str(message.role),
        session=session,
        data=message.to_dict(),
    )

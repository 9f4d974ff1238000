"""Microsoft Agent Framework's context provider on the graph, driven by an agent of the framework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from agent_framework import Agent, BaseChatClient, ChatResponse, Message

from graph_memory import Memory
from graph_memory.adapters.agent_framework import GraphContextProvider


class Client(BaseChatClient[Any]):
    """A model that says the same each time, and keeps what it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    async def _inner_get_response(  # pyright: ignore
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> ChatResponse:
        self.read.append(f"{options.get('instructions')}\n" + "\n".join(message.text for message in messages))
        return ChatResponse(messages=[Message("assistant", ["I have noted it."])])


@pytest.mark.anyio
async def test_a_later_session_knows_what_was_said_in_an_earlier_one(memory: Memory) -> None:
    client = Client()
    agent = Agent(client, "Answer.", context_providers=[GraphContextProvider(memory)])
    await agent.run("The kitchen is to be blue.", session=agent.create_session(session_id="monday"))
    await agent.run("What colour will the kitchen be?", session=agent.create_session(session_id="tuesday"))
    first, second = client.read
    assert "This is data" not in first
    assert "The kitchen is to be blue." in second
    assert "This is data" in second
    log = (await memory.history.log()).entries
    assert {(entry.actor, entry.session) for entry in log if entry.session} == {
        ("agent-framework", "monday"),
        ("agent-framework", "tuesday"),
    }
    assert len((await memory.query_nodes(type="ConversationMessage")).node_ids) == 4


@pytest.mark.anyio
async def test_a_repeated_history_is_stored_once(memory: Memory) -> None:
    agent = Agent(Client(), "Answer.", context_providers=[GraphContextProvider(memory)])
    for _ in range(2):
        history = [Message("user", ["Yes."]), Message("user", ["Yes."])]
        await agent.run(history, session=agent.create_session(session_id="x" * 300))
    assert len((await memory.query_nodes(type="ConversationMessage")).node_ids) == 3

"""A client that subscribed to the knowledge graph is told of whatever changes it, by whichever tool."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from acceptance.agents import COMMAND, Agent, http_server, over_http
from acceptance.mcp.official.script import RESOURCE, Step
from acceptance.mcp.official.talking import talking

pytestmark = pytest.mark.anyio

TOOLSETS = "entities,remember,batch"
ANN = {"name": "Ann", "entityType": "person", "observations": ["sings"]}
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("create_entities", {"entities": [ANN]}),
    ("update_entity", {"name": "Ann", "aliases": ["Annie"]}),
    ("update_observation", {"entityName": "Ann", "observation": "sings", "confidence": 0.5}),
    ("remember", {"name": "Ann", "observations": ["dances"]}),
    ("execute_batch", {"operations": [{"op": "create_node", "type": "note", "content": "# A"}]}),
]


async def test_a_client_is_told_of_what_any_tool_changes(environment: dict[str, str], domain: str) -> None:
    command = [str(COMMAND), "mcp", "--toolsets", TOOLSETS, "--domain", domain]
    async with talking(command, environment) as talk:
        await talk.answer(Step("subscribe", RESOURCE))
        for name, arguments_ in WRITES:
            reply = await talk.answer(Step("call", name, arguments_))
            assert not reply["result"].get("isError"), reply
            assert reply["notices"] == 1, name
        assert (await talk.answer(Step("call", "read_graph", {})))["notices"] == 0
        refused = await talk.answer(Step("call", "update_entity", {"name": "Bob", "aliases": ["B"]}))
        assert (refused["result"]["isError"], refused["notices"]) == (True, 0)
        await talk.answer(Step("unsubscribe", RESOURCE))
        assert (await talk.answer(Step("call", *WRITES[3])))["notices"] == 0


class Listener:
    """A client over HTTP that counts how often it is told that the graph changed."""

    def __init__(self) -> None:
        self.notices = 0
        self._more = anyio.Event()

    async def note(self, message: object) -> None:
        """Take a message of the server, whatever it is about."""
        if RESOURCE in str(message):
            self.notices += 1
            self._more.set()

    async def is_told(self) -> None:
        """Wait until it was told."""
        with anyio.fail_after(20):
            await self._more.wait()
        self._more = anyio.Event()


@asynccontextmanager
async def subscribe(url: str) -> AsyncIterator[Listener]:
    """Give a client with a session that subscribed."""
    listener = Listener()
    async with httpx2.AsyncClient(timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode="legacy", message_handler=listener.note) as client:
            await client.session.subscribe_resource(RESOURCE)
            yield listener


@asynccontextmanager
async def listening(url: str) -> AsyncIterator[Listener]:
    """Give a client of the protocol without sessions that listens."""
    listener = Listener()

    async def listen(client: Client, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        async with client.listen(resource_subscriptions=[RESOURCE]) as changes:
            task_status.started()
            async for change in changes:
                await listener.note(change)

    async with over_http(url) as agent, anyio.create_task_group() as tasks:
        await tasks.start(listen, agent.client)
        yield listener
        tasks.cancel_scope.cancel()


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
async def test_every_client_of_the_server_that_subscribed_is_told_whoever_writes(
    environment: dict[str, str], domain: str
) -> None:
    with http_server(environment, "--toolsets", "entities", "--domain", domain) as url:
        async with over_http(url, mode="legacy") as writer, over_http(url) as other, listening(url) as modern:
            async with subscribe(url) as result, subscribe(url) as two:
                for number, agent in enumerate((writer, other)):
                    await create(agent, f"Ann {number}")
                    for listener in (result, two, modern):
                        await listener.is_told()
                await other.client.call_tool("read_graph", {})
            await create(writer, "Bob")
            await modern.is_told()
        assert (result.notices, two.notices, modern.notices) == (2, 2, 3)


async def create(agent: Agent, name: str) -> None:
    reply = await agent.client.call_tool("create_entities", {"entities": [{**ANN, "name": name}]})
    assert not reply.is_error, reply

"""Give an agent of Microsoft Agent Framework a memory: each run starts with what fits the question."""

import asyncio

from agent_framework import Agent
from agent_framework.openai import OpenAIChatClient

from graph_memory import open_memory
from graph_memory.adapters.agent_framework import GraphContextProvider


async def main() -> None:
    """Ask a question in a session."""
    async with open_memory() as memory:
        await memory.entities.remember("Ann drinks green tea.", name="Ann", domain="framework-example")
        provider = GraphContextProvider(memory, domain="framework-example")
        agent = Agent(OpenAIChatClient("gpt-5"), context_providers=[provider])
        session = agent.create_session(session_id="monday")
        print((await agent.run("What does Ann drink?", session=session)).text)


asyncio.run(main())

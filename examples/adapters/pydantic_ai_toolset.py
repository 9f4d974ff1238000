"""Give an agent of Pydantic AI the tools of the memory: each run starts with what the memory knows."""

import asyncio

from pydantic_ai import Agent

from graph_memory import open_memory
from graph_memory.adapters.pydantic_ai import GraphToolset


async def main() -> None:
    """Ask a question about what was stored."""
    async with open_memory() as memory:
        await memory.entities.remember("Ann drinks green tea.", name="Ann", domain="pydantic-example")
        agent = Agent("openai-responses:gpt-5", toolsets=[GraphToolset(memory, domain="pydantic-example")])
        print((await agent.run("What does Ann drink?", conversation_id="monday")).output)


asyncio.run(main())

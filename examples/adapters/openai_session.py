"""Give an agent of the OpenAI Agents SDK a session that lasts: its items are in the graph, with their history."""

import asyncio

from agents import Agent, Runner

from graph_memory import open_memory
from graph_memory.adapters.openai_agents import GraphSession


async def main() -> None:
    """Ask a question in a session."""
    async with open_memory() as memory:
        session = GraphSession("ann-1", memory, domain="agents-example")
        agent = Agent(name="Assistant", instructions="Answer in one sentence.")
        result = await Runner.run(agent, "What colour will the kitchen be?", session=session)
        print(result.final_output)


asyncio.run(main())

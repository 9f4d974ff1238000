"""Give an agent of Google ADK a memory service: sessions are in the graph, and search finds what was said."""

import asyncio

from google.adk.events.event import Event
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from graph_memory import open_memory
from graph_memory.adapters.google_adk import GraphMemoryService


async def main() -> None:
    """Store a session, and search it, as the tool `load_memory` does."""
    async with open_memory() as memory:
        service = GraphMemoryService(memory, domain="adk-example")
        event = Event(id="1", author="ann", content=Content(parts=[Part(text="The kitchen is to be blue.")]))
        await service.add_session_to_memory(Session(id="monday", app_name="house", user_id="ann", events=[event]))
        response = await service.search_memory(app_name="house", user_id="ann", query="What about the kitchen?")
        print([part.text for entry in response.memories for part in entry.content.parts or ()])


asyncio.run(main())

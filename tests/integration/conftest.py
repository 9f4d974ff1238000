"""Fixtures of the tests with a real Neo4j that the others do not need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anyio.from_thread import start_blocking_portal

from graph_memory import Settings, open_memory
from support import Conversation


@pytest.fixture(scope="module")
def talk(settings: Settings) -> Iterator[Conversation]:
    """One open memory on an event loop of its own, for callers that are not asynchronous."""
    with (
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(open_memory(settings)) as memory,
    ):
        yield Conversation(portal, memory)

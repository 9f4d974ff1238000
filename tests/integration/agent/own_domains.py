"""A memory whose domains of users and of the agent no other test has."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from graph_memory import Memory, Settings, open_memory


@pytest.fixture
def own(settings: Settings, domain: str) -> Settings:
    """Settings with domains of users and of the agent that no other test has."""
    return settings.model_copy(update={"users_domain": f"{domain}-users", "agent_domain": f"{domain}-agent"})


@pytest.fixture
async def memory(own: Settings, domain: str) -> AsyncIterator[Memory]:
    """A memory with these settings, in a domain that nobody has used."""
    async with open_memory(own) as opened:
        yield opened.in_domain(domain)

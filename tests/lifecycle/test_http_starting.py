"""A server over HTTP whose Neo4j is not there yet: it answers at once, and it ends at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acceptance.agents import OFFERED, environment_of, http_server, over_http
from graph_memory import Settings, local
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


async def test_tools_are_listed_while_neo4j_starts_and_calls_wait_for_it(
    settings: Settings, tmp_path: Path, domain: str
):
    new = Settings(home=tmp_path / "new", cache=settings.cache)
    try:
        with http_server(environment_of(new)) as url:
            async with over_http(url, domain) as agent, over_http(url, domain, "legacy") as other:
                assert await agent.tools() == OFFERED
                assert local.status(new).state is not local.State.RUNNING
                errors = await asyncio.gather(agent.error_of("get_ontology"), other.error_of("get_ontology"))
        assert [error.code for error in errors] == [Code.ONTOLOGY_NOT_FOUND] * 2
    finally:
        local.stop(new)


async def test_a_server_ends_well_while_neo4j_starts(settings: Settings, tmp_path: Path):
    new = Settings(home=tmp_path / "new", cache=settings.cache)
    try:
        with http_server(environment_of(new)) as url:
            async with over_http(url) as agent:
                assert await agent.tools() == OFFERED
                assert local.status(new).state is not local.State.RUNNING
    finally:
        local.stop(new)

"""A server whose Neo4j is not there yet, or cannot be had: it answers at once, and says what it is waiting for."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from acceptance.agents import COMMAND, OFFERED, connect, environment_of
from graph_memory import Settings, local
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


@pytest.fixture
def new(settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """The settings of a user who has the jars of Neo4j, but has never started it."""
    new = Settings(home=tmp_path / "new", cache=settings.cache)
    yield new
    local.stop(new)


@pytest.mark.long
async def test_tools_are_listed_while_neo4j_starts_and_calls_wait_for_it(new: Settings, domain: str):
    environment = environment_of(new)
    began = time.monotonic()
    async with connect({**environment, "GRAPH_MEMORY_STARTING_WAIT": "0.2"}, domain=domain, mode="legacy") as hasty:
        assert await hasty.tools() == OFFERED
        assert time.monotonic() - began < 8
        assert local.status(new).state is not local.State.RUNNING
        error = await hasty.error_of("get_ontology")
        assert error.code is Code.STARTING
        assert "hint" in error.details
        faulty = await hasty.error_of("get_node")
        assert faulty.code is Code.INVALID_ARGUMENT

        stages: list[str | None] = []

        async def tell(_: float, __: float | None, stage: str | None) -> None:
            stages.append(stage)

        async with connect(environment, domain=domain) as patient:
            arguments = {"node_types": ["Project"], "connection_types": [], "domain": domain}
            answer = await patient.client.call_tool("create_ontology", arguments, progress_callback=tell)
            assert not answer.is_error
            assert all(stages)
            assert stages
            node = await patient.node("Project", "first")

        for _ in range(50):
            if not (await hasty.client.call_tool("query_nodes", {"domain": domain})).is_error:
                break
        assert await hasty.content(node) == "first"


@pytest.mark.long
async def test_a_neo4j_that_cannot_be_reached_is_told_in_every_call(new: Settings):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        uri = f"bolt://127.0.0.1:{unused.getsockname()[1]}"
        async with connect({**environment_of(new), "NEO4J_URI": uri, "NEO4J_PASSWORD": "secret-word"}) as agent:
            assert await agent.tools() == OFFERED
            for _ in range(2):
                error = await agent.error_of("query_nodes")
                assert error.code is Code.STORE_UNAVAILABLE
                assert uri in error.message + str(error.details)
                assert error.details["hint"]
                assert "secret-word" not in str(error)
    assert local.status(new).state is local.State.STOPPED


@pytest.mark.long
async def test_a_home_that_cannot_be_used_says_what_to_do_and_tells_clients_no_path(new: Settings, tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("no folder")
    environment = environment_of(new, GRAPH_MEMORY_HOME=str(file))
    async with connect(environment) as agent:
        error = await agent.error_of("query_nodes")
    assert error.code is Code.STORE_UNAVAILABLE
    assert "GRAPH_MEMORY_HOME" in error.details["hint"]
    assert str(tmp_path) not in f"{error.message} {error.details}"
    process = await anyio.run_process([COMMAND, "query"], env={**os.environ, **environment}, check=False)
    assert f"Path: {file}" in process.stderr.decode()


@pytest.mark.long
async def test_credentials_that_neo4j_refuses_are_told(new: Settings, settings: Settings):
    running = local.ensure_running(settings)
    # A name that is not there: on a server that is not ours, wrong passwords of the real one lock everybody out.
    credentials = {"NEO4J_URI": running.uri, "NEO4J_USERNAME": "nobody", "NEO4J_PASSWORD": "secret-word"}
    async with connect({**environment_of(new), **credentials}) as agent:
        error = await agent.error_of("query_nodes")
    assert error.code is Code.STORE_UNAVAILABLE
    text = f"{error.message} {error.details['hint']}".lower()
    assert "password" in text or "credentials" in text
    assert "secret-word" not in str(error)

"""One server for all tests of a worker, in its process; each test works in a domain of its own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest

from acceptance.agents import GTD, Agent, environment_of, serve_agent
from container.images import address_of
from graph_memory import Settings


@pytest.fixture(scope="session")
def environment(settings: Settings) -> dict[str, str]:
    """The environment in which a process connects to the run's Neo4j."""
    return environment_of(settings)


@pytest.fixture(scope="module")
def own_home(environment: dict[str, str], settings: Settings) -> Iterator[dict[str, str]]:
    """The environment of a home without other servers, on the run's Neo4j."""
    address = address_of(settings)
    neo4j = {"NEO4J_URI": address.uri, "NEO4J_USERNAME": address.username, "NEO4J_PASSWORD": address.password}
    with TemporaryDirectory(prefix="gm-") as home:
        yield {**os.environ, **environment, **neo4j, "GRAPH_MEMORY_HOME": home}


@pytest.fixture
def variables(environment: dict[str, str], domain: str) -> dict[str, str]:
    """The environment of a command that works in the test's domain, as Ann."""
    return {**environment, "GRAPH_MEMORY_DOMAIN": domain, "GRAPH_MEMORY_ACTOR": "ann"}


@pytest.fixture(scope="session")
async def server(environment: dict[str, str], anyio_backend: str) -> AsyncIterator[Agent]:
    """An agent whose server all tests of the worker share."""
    async with serve_agent(environment) as agent:
        yield agent


@pytest.fixture(scope="session")
async def historian(environment: dict[str, str], anyio_backend: str) -> AsyncIterator[Agent]:
    """An agent whose server also has the tools of the past, of domains and of batches; a worker has one."""
    async with serve_agent(environment, "--toolsets", "graph,history,domains,batch,meaning") as agent:
        yield agent


@pytest.fixture(scope="session")
async def constant(server: Agent) -> Agent:
    """An agent in a domain that has the types of `GTD` and that no test changes: for calls that are refused."""
    shared = server.within(f"constant-{uuid4().hex[:20]}")
    await shared.call("create_ontology", **GTD)
    return shared


@pytest.fixture
def agent(server: Agent, domain: str) -> Agent:
    """An agent in a domain that nobody has used, without an ontology."""
    return server.within(domain)


@pytest.fixture
async def gtd(agent: Agent) -> Agent:
    """An agent in a fresh domain that has the types of `GTD`."""
    await agent.call("create_ontology", **GTD)
    return agent


@pytest.fixture
async def elsewhere(server: Agent, domain: str) -> Agent:
    """An agent in another fresh domain that has the types of `GTD`, for what must not be seen from the first."""
    other = server.within(f"{domain}-2")
    await other.call("create_ontology", **GTD)
    return other

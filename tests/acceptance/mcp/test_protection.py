"""An agent makes what it has settled read-only, and is stopped from changing it by mistake."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from acceptance.agents import GTD, Agent, serve_agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


@pytest.fixture
async def ann(environment: dict[str, str], domain: str) -> AsyncIterator[Agent]:
    """An agent by the name of Ann whose server has the tools of protection."""
    named = {**environment, "GRAPH_MEMORY_ACTOR": "ann"}
    async with serve_agent(named, "--toolsets", "graph,domains,protection") as agent:
        own = agent.within(domain)
        await own.call("create_ontology", **GTD)
        yield own


async def test_what_is_protected_stays_until_who_may_lifts_it(ann: Agent, agent: Agent, domain: str):
    node = (await ann.call("create_node", type="Project", content="# Kitchen", format="markdown"))["node_id"]
    done = await ann.call("protect", node_id=node, reason="Signed", can_be_unprotected_by=["ann"])
    assert done["is_read_only"]
    change = {"node_id": node, "content": "# Bath", "encoding": "utf-8"}
    refused = await agent.error_of("update_node", **change)
    assert refused.code is Code.PROTECTED
    assert refused.message == f'Node "{node}" is protected against changes'
    assert refused.details["reason"] == "Signed"
    assert refused.details["can_be_unprotected_by"] == ["ann"]
    shown = (await agent.call("get_node", node_id=node))["protection"]
    assert (shown["is_read_only"], shown["locked_by"], shown["reason"]) == (True, "ann", "Signed")
    await ann.call("update_node", **change)
    await ann.call("unprotect", node_id=node)
    await agent.call("update_node", **change)


async def test_a_whole_domain_is_protected_by_its_name_and_without_names_no_agent_lifts_it(
    ann: Agent, agent: Agent, domain: str
):
    await ann.call("protect", expires_at="in 2 hours", domain=domain)
    for writer in (ann, agent):
        refused = await writer.error_of("create_node", type="Project", content="x", format="markdown")
        assert refused.message == f'The memories of domain "{domain}" are protected against changes'
        assert refused.details["expires_at"] > "2026"
    refused = await ann.error_of("unprotect", domain=domain)
    assert refused.message == f'Domain "{domain}" is protected against changes'
    assert "graph-memory unprotect" in refused.details["hint"]
    refused = await ann.within(None).error_of("protect")
    assert refused.code is Code.INVALID_ARGUMENT

"""An agent links a node to another domain, follows the link, and sees that it leads nowhere any more."""

from __future__ import annotations

import pytest

from acceptance.agents import Agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

TYPES = {"node_types": ["Note"], "connection_types": [{"name": "Link", "from_types": ["*"], "to_types": ["*"]}]}


async def test_an_agent_links_two_domains_and_follows_the_link(historian: Agent, server: Agent, domain: str) -> None:
    here, there = historian.within(domain), historian.within(f"{domain}-other")
    for agent in (here, there):
        await agent.call("create_ontology", **TYPES)
    one = await here.node("Note", content="# Bees in winter")
    other = await there.node("Note", content="# How bees live through the winter")
    named = {"source_domain": domain, "target_domain": f"{domain}-other"}
    made = await historian.call("create_cross_domain_link", source_node_id=one, bidirectional=True, **named)
    assert made["success"]
    assert [each["node_id"] for each in made["candidates"]] == [other]
    assert (made["source_ref"]["node_id"], made["target_ref"]["link_type"]) == (other, "referenced_by")
    walked = await server.within(domain).call("traverse_memories", start=[one], cross_domains=True)
    assert [(node["id"], node.get("domain")) for node in walked["nodes"]] == [(one, None), (other, f"{domain}-other")]
    assert len((await server.within(domain).call("traverse_memories", start=[one]))["nodes"]) == 1
    [link] = (await there.call("list_cross_domain_links"))["links"]
    assert (link["domain"], link["node_id"], link["ref"]["node_id"]) == (domain, other, one)
    error = await there.refused("delete_cross_domain_link", link_id=link["link_id"])
    assert error.code is Code.LINK_NOT_FOUND
    await there.call("delete_node", node_id=other)
    [dangling] = (await here.call("list_cross_domain_links", node_id=one))["links"]
    assert dangling["dangling"] == f"Node {other} was deleted in domain {domain}-other"
    await here.call("delete_cross_domain_link", link_id=link["link_id"])
    assert (await here.call("list_cross_domain_links"))["links"] == []

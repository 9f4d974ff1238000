"""An agent links a node to another domain, follows the link, and sees that it leads nowhere any more."""

from __future__ import annotations

import pytest

from acceptance.agents import Agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

TYPES = {"node_types": ["Note"], "connection_types": [{"name": "Link", "from_types": ["*"], "to_types": ["*"]}]}


async def test_an_agent_links_two_domains_and_follows_the_link(historian: Agent, server: Agent, domain: str) -> None:
    own_agent, other_agent = historian.within(domain), historian.within(f"{domain}-other")
    for agent in (own_agent, other_agent):
        await agent.call("create_ontology", **TYPES)
    text = await own_agent.node("Note", content="# Bees in winter")
    other = await other_agent.node("Note", content="# How bees live through the winter")
    named = {"source_domain": domain, "target_domain": f"{domain}-other"}
    made = await historian.call("create_cross_domain_link", source_node_id=text, bidirectional=True, **named)
    assert made["success"]
    assert [candidate["node_id"] for candidate in made["candidates"]] == [other]
    assert (made["source_ref"]["node_id"], made["target_ref"]["link_type"]) == (other, "referenced_by")
    walked = await server.within(domain).call("traverse_memories", start=[text], cross_domains=True)
    assert [(node["id"], node.get("domain")) for node in walked["nodes"]] == [(text, None), (other, f"{domain}-other")]
    assert len((await server.within(domain).call("traverse_memories", start=[text]))["nodes"]) == 1
    [link] = (await other_agent.call("list_cross_domain_links"))["links"]
    assert (link["domain"], link["node_id"], link["ref"]["node_id"]) == (domain, other, text)
    error = await other_agent.error_of("delete_cross_domain_link", link_id=link["link_id"])
    assert error.code is Code.LINK_NOT_FOUND
    await other_agent.call("delete_node", node_id=other)
    [dangling] = (await own_agent.call("list_cross_domain_links", node_id=text))["links"]
    assert dangling["dangling"] == f"Node {other} was deleted in domain {domain}-other"
    await own_agent.call("delete_cross_domain_link", link_id=link["link_id"])
    assert (await own_agent.call("list_cross_domain_links"))["links"] == []

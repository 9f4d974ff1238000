"""Domains over MCP: a tree of them, one that a session selects, and reads of several."""

from __future__ import annotations

import pytest

from acceptance.agents import Agent, http_server, over_http, served
from graph_memory.mcp_server.callers import SESSION
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

NOTES = {"node_types": [{"name": "Note"}], "connection_types": []}


async def test_an_agent_makes_a_tree_fills_it_and_reads_it_as_one(historian: Agent, domain: str) -> None:
    agent, home, kitchen = historian.within(None), f"{domain}/home", f"{domain}/kitchen"
    await agent.within(home).call("create_ontology", **NOTES)
    made = await agent.call("create_domain", name=kitchen, parent=home, description="Tiles", metadata={"budget": 900})
    assert made == {"domain": kitchen, "version": 2}
    note = await agent.within(kitchen).node("Note", "# Call the tiler")
    found = await agent.call("query_nodes", domain=home, include_children=True)
    assert found["nodes"] == [{"id": note, "type": "Note", "title": "Call the tiler", "domain": kitchen}]
    told = await agent.call("get_domain", name=kitchen)
    assert (told["parent"], told["metadata"], told["inherited_types"]) == (home, {"budget": 900}, {home: ["Note"]})
    assert (await agent.call("get_domain", name=home))["children"] == [kitchen]
    listed = {one["name"]: one for one in (await agent.call("list_domains"))["domains"]}
    assert listed[kitchen]["parent"] == home
    page = await agent.call("list_domains", limit=1, cursor=f"after:{domain}/h")
    assert [one["name"] for one in page["domains"]] == [home]
    assert page["next_cursor"] == f"after:{home}"
    assert (await agent.refused("update_domain", name=home, parent=kitchen)).code is Code.INVALID_ARGUMENT
    assert (await agent.refused("delete_domain", name=home, confirm=home)).code is Code.DOMAIN_HAS_CHILDREN
    await agent.call("update_domain", name=kitchen, parent="")
    await agent.call("delete_domain", name=home, confirm=home)
    assert await agent.within(kitchen).content(note) == "# Call the tiler"


async def test_a_session_selects_a_domain_until_it_selects_another(environment: dict[str, str], domain: str) -> None:
    one, other = f"{domain}/one", f"{domain}/other"
    async with served(environment, "--toolsets", "graph,domains") as agent:
        for name in (one, other):
            await agent.call("create_ontology", **NOTES, domain=name)
        assert await agent.call("select_domain", name=one) == {"domain": one}
        assert (await agent.call("get_domain"))["name"] == one
        note = await agent.node("Note", "x")
        assert (await agent.call("get_node", node_id=note, domain=one))["type"] == "Note"
        assert await agent.found("query_nodes", domain=other) == []
        refused = await agent.refused("select_domain", name=f"{domain}/nowhere")
        assert refused.code is Code.ONTOLOGY_NOT_FOUND
        assert await agent.found("query_nodes") == [note]
        await agent.call("select_domain", name=other)
        assert await agent.found("query_nodes") == []


@pytest.mark.long
async def test_over_http_each_session_has_selected_its_own(environment: dict[str, str], domain: str) -> None:
    names = [f"{domain}/{name}" for name in ("one", "other")]
    with http_server(environment, "--toolsets", "graph,domains") as url:
        headers = ({SESSION: "first"}, {SESSION: "second"})
        async with over_http(url, None, "auto", headers[0]) as one, over_http(url, None, "legacy", headers[1]) as other:
            for agent, name in zip((one, other), names, strict=True):
                await agent.call("create_ontology", **NOTES, domain=name)
                await agent.call("select_domain", name=name)
            mine, theirs = await one.node("Note", "x"), await other.node("Note", "y")
            assert (await one.found("query_nodes"), await other.found("query_nodes")) == ([mine], [theirs])
        async with over_http(url, None, "auto", headers[0]) as again:
            assert await again.found("query_nodes") == [mine]
        async with over_http(url, None, "auto") as nobody:
            assert (await nobody.refused("select_domain", name=names[0])).code is Code.INVALID_ARGUMENT

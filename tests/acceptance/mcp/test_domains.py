"""Domains over MCP: a tree of domains, the selected domain of a session, and reads of several domains."""

from __future__ import annotations

import pytest

from acceptance.agents import Agent, http_server, over_http, serve_agent
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
    results = await agent.call("query_nodes", domain=home, include_children=True)
    assert results["nodes"] == [{"id": note, "type": "Note", "title": "Call the tiler", "domain": kitchen}]
    rendered = await agent.call("get_domain", name=kitchen)
    assert (rendered["parent"], rendered["metadata"], rendered["inherited_types"]) == (
        home,
        {"budget": 900},
        {home: ["Note"]},
    )
    assert (await agent.call("get_domain", name=home))["children"] == [kitchen]
    listed = {domain["name"]: domain for domain in (await agent.call("list_domains"))["domains"]}
    assert listed[kitchen]["parent"] == home
    page = await agent.call("list_domains", limit=1, cursor=f"after:{domain}/h")
    assert [domain["name"] for domain in page["domains"]] == [home]
    assert page["next_cursor"] == f"after:{home}"
    assert (await agent.error_of("update_domain", name=home, parent=kitchen)).code is Code.INVALID_ARGUMENT
    assert (await agent.error_of("delete_domain", name=home, confirm=home)).code is Code.DOMAIN_HAS_CHILDREN
    await agent.call("update_domain", name=kitchen, parent="")
    await agent.call("delete_domain", name=home, confirm=home)
    assert await agent.within(kitchen).content(note) == "# Call the tiler"


async def test_a_session_selects_a_domain_until_it_selects_another(environment: dict[str, str], domain: str) -> None:
    text, other = f"{domain}/one", f"{domain}/other"
    async with serve_agent(environment, "--toolsets", "graph,domains") as agent:
        for name in (text, other):
            await agent.call("create_ontology", **NOTES, domain=name)
        assert await agent.call("select_domain", name=text) == {"domain": text}
        assert (await agent.call("get_domain"))["name"] == text
        note = await agent.node("Note", "x")
        assert (await agent.call("get_node", node_id=note, domain=text))["type"] == "Note"
        assert await agent.ids_of("query_nodes", domain=other) == []
        refused = await agent.error_of("select_domain", name=f"{domain}/nowhere")
        assert refused.code is Code.ONTOLOGY_NOT_FOUND
        assert await agent.ids_of("query_nodes") == [note]
        await agent.call("select_domain", name=other)
        assert await agent.ids_of("query_nodes") == []


@pytest.mark.long
async def test_over_http_each_session_has_selected_its_own(environment: dict[str, str], domain: str) -> None:
    names = [f"{domain}/{name}" for name in ("one", "other")]
    with http_server(environment, "--toolsets", "graph,domains") as url:
        headers = ({SESSION: "first"}, {SESSION: "second"})
        async with (
            over_http(url, None, "auto", headers[0]) as result,
            over_http(url, None, "legacy", headers[1]) as other,
        ):
            for agent, name in zip((result, other), names, strict=True):
                await agent.call("create_ontology", **NOTES, domain=name)
                await agent.call("select_domain", name=name)
            mine, theirs = await result.node("Note", "x"), await other.node("Note", "y")
            assert (await result.ids_of("query_nodes"), await other.ids_of("query_nodes")) == ([mine], [theirs])
        async with over_http(url, None, "auto", headers[0]) as again:
            assert await again.ids_of("query_nodes") == [mine]
        async with over_http(url, None, "auto") as nobody:
            assert (await nobody.error_of("select_domain", name=names[0])).code is Code.INVALID_ARGUMENT

"""An agent sees what was changed, and takes back what it did."""

from __future__ import annotations

import pytest

from acceptance.agents import GTD, Agent, ToolError, serve_agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


@pytest.fixture
async def agent(historian: Agent, domain: str) -> Agent:
    agent = historian.within(domain)
    await agent.call("create_ontology", **GTD)
    return agent


async def test_an_agent_undoes_its_last_write_by_the_version_that_it_returned(agent: Agent) -> None:
    node = await agent.node("Action", "# Call", properties={"status": "next"})
    version = (await agent.call("update_node", node_id=node, properties={"status": "done"}))["version"]
    undone = await agent.call("memory_revert", since=version, until=version)
    change = {"subject": node, "kind": "node", "operation": "update", "seq": version + 1}
    assert undone["changes"] == [{**change, "type": "Action", "title": "Call"}]
    assert (await agent.call("get_node", node_id=node))["properties"] == {"status": "next"}


async def test_the_log_names_who_it_was_in_words_and_finds_its_own_session(agent: Agent) -> None:
    node = await agent.node("Action", "# Call")
    page = await agent.call("memory_log", session="current", limit=2, full=True)
    newest = page["entries"][0]
    assert newest["summary"] == 'Action "Call" created'
    assert (newest["subject"], newest["source"], newest["operation"]) == (node, "agent", "create")
    assert newest["actor"].startswith("mcp")
    assert newest["session"].startswith("session_")
    assert len(page["entries"]) == 2
    older = await agent.call("memory_log", cursor=page["next_cursor"])
    assert older["entries"][0]["seq"] == newest["seq"] - 2
    assert all(line.keys() == {"seq", "at", "by", "summary"} for line in older["entries"])


@pytest.mark.long
async def test_a_session_is_taken_back_as_a_whole(agent: Agent, environment: dict[str, str]) -> None:
    mine = await agent.node("Project", "# Mine")
    async with serve_agent(environment, "--toolsets", "graph,history", domain=agent.domain) as other:
        await other.node("Action", "# Theirs")
        await other.call("update_node", node_id=mine, properties={"by": "other"})
        tried = await other.call("memory_revert_session", session="current", dry_run=True)
        assert (tried["dry_run"], len(tried["changes"])) == (True, 2)
        for wrong in ({}, {"session_id": "current", "session": "another"}):
            with pytest.raises(ToolError, match="needs one session_id"):
                await other.call("memory_revert_session", **wrong)
        done = await other.call("memory_revert_session", session_id="current")
        assert done["batch"].startswith("evt_")
    assert (await agent.call("get_node", node_id=mine))["properties"] == {}
    assert (await agent.call("search_content", query="Theirs"))["node_ids"] == []


async def test_a_conflict_says_what_stands_against_it_and_what_can_be_chosen(agent: Agent) -> None:
    node = await agent.node("Action", "", properties={"status": "next"})
    first = (await agent.call("update_node", node_id=node, properties={"status": "done"}))["version"]
    await agent.call("update_node", node_id=node, properties={"status": "later"})
    with pytest.raises(ToolError) as caught:
        await agent.call("memory_revert", since=first, until=first)
    assert caught.value.code is Code.REVERT_CONFLICT
    assert caught.value.details["conflicts"][0]["subject"] == node
    assert "skip" in caught.value.details["hint"]
    await agent.call("memory_revert", since=first, until=first, on_conflict="force")
    assert (await agent.call("get_node", node_id=node))["properties"] == {"status": "next"}


async def test_what_differs_is_counted_and_then_told_value_by_value(agent: Agent) -> None:
    node = await agent.node("Action", "# Call\nAnna", properties={"status": "next"})
    since = (await agent.call("get_node", node_id=node))["version"]
    await agent.call(
        "update_node", node_id=node, properties={"status": "done"}, content="# Call\nBert", encoding="utf-8"
    )
    other = await agent.node("Action", "# Phone")
    diff = await agent.call("memory_diff", since=since, content=True)
    assert (diff["added"], diff["removed"], diff["changed"]) == (1, 0, 1)
    assert diff["by_kind"] == {"node": {"added": 1, "removed": 0, "changed": 1}}
    entries = {entry["subject"]: entry for entry in diff["entries"]}
    assert entries[node]["properties"] == [{"name": "status", "before": "next", "after": "done"}]
    assert entries[node]["content"]["diff"].endswith(" # Call\n-Anna\n+Bert")
    assert (entries[other]["operation"], entries[other]["summary"]) == ("added", 'Action "Phone" created')
    page = await agent.call("memory_diff", since=since, limit=1)
    rest = await agent.call("memory_diff", since=since, limit=1, cursor=page["next_cursor"])
    assert {*page["changes"], *rest["changes"]} == {"Call: status next → done; content rewritten", "Phone (new Action)"}
    assert "next_cursor" not in rest


async def test_a_point_that_cannot_be_read_is_told(agent: Agent) -> None:
    with pytest.raises(ToolError) as caught:
        await agent.call("memory_log", since=[1])
    assert caught.value.message == "since must be an integer or a string, not a list."
    with pytest.raises(ToolError) as caught:
        await agent.call("memory_log", since="the other day")
    assert "2 hours ago" in caught.value.details["hint"]


async def test_every_read_can_be_asked_of_the_past(agent: Agent) -> None:
    text = await agent.node("Project", "# Kitchen", properties={"status": "active"})
    two = await agent.node("Action", "# Call")
    link = await agent.connection("NextAction", text, two, content="first")
    at = (await agent.call("get_connection", connection_id=link))["version"]
    await agent.call("update_node", node_id=text, properties={"status": "done"})
    await agent.call("delete_node", node_id=two)

    async def then(tool: str, **arguments: object) -> dict[str, object]:
        answer = await agent.call("memory_as_of", at=at, tool=tool, arguments=arguments)
        assert answer["as_of"] == at
        return answer["result"]

    assert (await then("get_node", node_id=text))["properties"] == {"status": "active"}
    assert (await then("get_node_content", node_id=two))["content"] == "# Call"
    assert (await then("get_connection", connection_id=link, include_content=True))["content"] == "first"
    assert await then("query_nodes", type="Action") == {"node_ids": [two]}
    assert await then("query_connections", from_node_id=text) == {"connection_ids": [link]}
    assert await then("get_connected_nodes", node_id=text, direction="out") == {"node_ids": [two]}
    [node] = (await then("get_connected_nodes", node_id=text, direction="out", detail=True))["nodes"]
    assert (node["id"], [link["direction"] for link in node["connections"]]) == (two, ["out"])
    assert await then("search_content", query="call") == {"node_ids": [two]}
    await agent.call("add_node_type", type_name="Later")
    assert "Later" not in str(await then("get_ontology", detail=True))
    fields = {"connection_type": "NextAction", "from_node_type": "Project", "to_node_type": "Action"}
    assert await then("validate_connection", **fields) == {"valid": True}


async def test_what_the_past_cannot_be_asked_is_told(agent: Agent) -> None:
    faults = {
        "tool must be one of": {"tool": "create_node"},
        'get_node has no argument "uid".': {"tool": "get_node", "arguments": {"uid": "x"}},
        "arguments cannot contain domain": {"tool": "get_node", "arguments": {"node_id": "x", "domain": "d"}},
    }
    for message, fault in faults.items():
        with pytest.raises(ToolError) as caught:
            await agent.call("memory_as_of", at=1, **fault)
        assert caught.value.code is Code.INVALID_ARGUMENT
        assert message in caught.value.message
    with pytest.raises(ToolError) as caught:
        await agent.call("memory_as_of", at=1, tool="get_node", arguments={"node_id": "mem_none"})
    assert caught.value.code is Code.NODE_NOT_FOUND
    assert "at event 1" in caught.value.message


@pytest.mark.long
async def test_an_agent_tries_something_in_a_branch_compares_it_and_drops_it(agent: Agent, domain: str) -> None:
    node = await agent.node("Action", "# Call", properties={"status": "next"})
    made = await agent.call("memory_branch", name=f"{domain}-try")
    assert (made["domain"], made["forked_from"]) == (f"{domain}-try", domain)
    await agent.call("update_node", node_id=node, properties={"status": "done"}, domain=made["domain"])
    assert (await agent.call("get_node", node_id=node))["properties"] == {"status": "next"}
    diff = await agent.call("memory_diff", against=made["domain"])
    assert diff["changes"] == ["Call: status next → done"]
    listed = {domain["name"]: domain for domain in (await agent.within(None).call("list_domains"))["domains"]}
    assert listed[f"{domain}-try"]["forked_from"] == domain
    with pytest.raises(ToolError) as kept:
        await agent.within(None).call("delete_domain", name=domain, confirm=domain)
    assert kept.value.code is Code.DOMAIN_HAS_BRANCHES
    for confirmation in ({}, {"confirm": domain}, {"confirm": True}):
        refused = await agent.within(None).error_of("delete_domain", name=made["domain"], **confirmation)
        assert (refused.code, refused.details["argument"]) == (Code.INVALID_ARGUMENT, "confirm")
    assert (await agent.call("get_node", node_id=node, domain=made["domain"]))["properties"] == {"status": "done"}
    gone_with = await agent.within(None).call("delete_domain", name=made["domain"], confirm=made["domain"])
    assert gone_with["nodes"] == 1
    with pytest.raises(ToolError) as raised:
        await agent.call("get_node", node_id=node, domain=made["domain"])
    assert raised.value.code is Code.ONTOLOGY_NOT_FOUND

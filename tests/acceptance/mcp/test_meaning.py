"""An agent asks which connections count."""

from __future__ import annotations

import pytest

from acceptance.agents import Agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

TYPES = {
    "node_types": ["Project"],
    "connection_types": [{"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]}],
}


async def test_an_agent_says_how_strong_connections_are_and_asks_for_the_strongest(historian: Agent, domain: str):
    agent = historian.within(domain)
    await agent.call("create_ontology", **TYPES)
    text, two, three = [await agent.node("Project", content=f"# {title}") for title in ("One", "Two", "Three")]
    strong = await agent.connection("RelatesTo", text, two, strength=1)
    weak = await agent.connection("RelatesTo", text, three, strength={"semantic": 0.1, "confidence": 0.5})
    connections = (await agent.call("get_strongest_connections", node_id=text))["connections"]
    assert [(connection["id"], connection["weight"]) for connection in connections] == [(strong, 0.9), (weak, 0.15)]
    assert [connection["id"] for connection in (await agent.call("get_weak_relations"))["connections"]] == [weak]
    assert (await agent.call("query_connections", min_strength=0.5))["connection_ids"] == [strong]
    context = {"node_id": text, "direction": "out", "min_strength": 0.5}
    assert (await agent.call("get_connected_nodes", **context))["node_ids"] == [two]
    before = await agent.call("set_relation_importance", connection_id=weak, importance=1)
    assert (await agent.call("get_connection", connection_id=weak))["importance"] == 1.0
    assert (await agent.call("get_weak_relations"))["connections"] == []
    past = {"tool": "get_weak_relations", "arguments": {}, "at": before["version"] - 1}
    assert [connection["id"] for connection in (await agent.call("memory_as_of", **past))["result"]["connections"]] == [
        weak
    ]
    error = await agent.error_of("set_relation_importance", connection_id=weak, importance=2)
    assert (error.code, error.details["argument"]) == (Code.INVALID_ARGUMENT, "importance")
    error = await agent.error_of("update_connection", connection_id=weak, strength={"semantik": 1})
    assert (error.code, error.details["hint"]) == (Code.INVALID_ARGUMENT, 'Did you mean "semantic"?')

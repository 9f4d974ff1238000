"""An agent makes many changes in one call."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.agents import GTD, Agent
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio

KITCHEN: list[dict[str, Any]] = [
    {"op": "create_node", "ref": "kitchen", "type": "Project", "content": "# Kitchen"},
    {"type": "create", "ref": "call", "nodeData": {"type": "Action", "content": "# Call"}},
    {"op": "create_connection", "type": "NextAction", "from_node_id": "$kitchen", "to_node_id": "$call"},
    {"op": "update_node", "node_id": "$call", "properties": {"status": "next"}},
]


@pytest.fixture
async def agent(historian: Agent, domain: str) -> Agent:
    agent = historian.within(domain)
    await agent.call("create_ontology", **GTD)
    return agent


async def test_a_batch_is_made_as_one_and_only_once_for_its_key_and_undone_as_one(agent: Agent):
    done = await agent.call("execute_batch", operations=KITCHEN, idempotency_key="k")
    kitchen, call, link, again = done["results"]
    assert (done["created"], done["updated"], done["deleted"], done["refused"]) == (3, 0, 0, 0)
    assert (kitchen["ref"], call["id"], call["version"]) == ("kitchen", again["id"], again["version"])
    assert (await agent.call("get_node", node_id=call["id"]))["properties"] == {"status": "next"}
    assert (await agent.call("get_connection", connection_id=link["id"]))["from_node_id"] == kitchen["id"]
    repeated = await agent.call("execute_batch", operations=KITCHEN, idempotency_key="k")
    assert repeated == {**done, "repeated": True}
    other = await agent.error_of("execute_batch", operations=KITCHEN[:1], idempotency_key="k")
    assert other.code is Code.IDEMPOTENCY_CONFLICT
    await agent.call("memory_revert", since=done["since"], until=done["until"])
    assert await agent.ids_of("query_nodes") == []


async def test_a_batch_that_is_refused_says_what_is_wrong_with_each_operation(agent: Agent):
    operations = [*KITCHEN, {"op": "delete_node", "node_id": "mem_x"}, {"op": "create_node", "type": "Nothing"}, {}]
    refused = await agent.error_of("execute_batch", operations=operations)
    assert refused.code is Code.BATCH_REFUSED
    assert [(fault["index"], fault["code"]) for fault in refused.details["faults"]] == [
        (4, "NODE_NOT_FOUND"),
        (5, "INVALID_ARGUMENT"),
        (6, "INVALID_ARGUMENT"),
    ]
    assert 'operations[4] NODE_NOT_FOUND: Node "mem_x" does not exist' in refused.message
    assert await agent.ids_of("query_nodes") == []
    left = await agent.call("execute_batch", operations=operations, options={"atomic": False})
    assert (left["created"], left["refused"], [fault["index"] for fault in left["faults"]]) == (3, 3, [4, 5, 6])


async def test_too_much_content_in_all_operations_is_refused(agent: Agent):
    operations = [{"op": "create_node", "type": "Project", "content": "x" * 3_000_000}] * 3
    assert (await agent.error_of("execute_batch", operations=operations)).code is Code.CONTENT_TOO_LARGE

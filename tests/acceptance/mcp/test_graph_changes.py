"""A client that subscribed to the knowledge graph is told of whatever changes it, by whichever tool."""

from __future__ import annotations

from typing import Any

import pytest

from acceptance.agents import COMMAND
from acceptance.mcp.official.script import RESOURCE, Step
from acceptance.mcp.official.talking import talking

pytestmark = pytest.mark.anyio

TOOLSETS = "entities,remember,batch"
ANN = {"name": "Ann", "entityType": "person", "observations": ["sings"]}
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("create_entities", {"entities": [ANN]}),
    ("update_entity", {"name": "Ann", "aliases": ["Annie"]}),
    ("update_observation", {"entityName": "Ann", "observation": "sings", "confidence": 0.5}),
    ("remember", {"name": "Ann", "observations": ["dances"]}),
    ("execute_batch", {"operations": [{"op": "create_node", "type": "note", "content": "# A"}]}),
]


async def test_a_client_is_told_of_what_any_tool_changes(environment: dict[str, str], domain: str) -> None:
    command = [str(COMMAND), "mcp", "--toolsets", TOOLSETS, "--domain", domain]
    async with talking(command, environment) as talk:
        await talk.answer(Step("subscribe", RESOURCE))
        for name, given in WRITES:
            reply = await talk.answer(Step("call", name, given))
            assert not reply["result"].get("isError"), reply
            assert reply["notices"] == 1, name
        assert (await talk.answer(Step("call", "read_graph", {})))["notices"] == 0
        refused = await talk.answer(Step("call", "update_entity", {"name": "Bob", "aliases": ["B"]}))
        assert (refused["result"]["isError"], refused["notices"]) == (True, 0)
        await talk.answer(Step("unsubscribe", RESOURCE))
        assert (await talk.answer(Step("call", *WRITES[3])))["notices"] == 0

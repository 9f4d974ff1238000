"""An agent looks how clean its memory is, and makes the calls that it is given, as they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from acceptance.agents import serve_agent
from graph_memory import ConnectionType, Memory, NodeType

pytestmark = pytest.mark.anyio

TOOLSETS = "entities,remember,recall,cleanup,history"
SETTLED = ("duplicate", "orphan", "stale", "contradiction", "lost_premise", "unused_type", "open_question")


async def fill(memory: Memory) -> None:
    entities = memory.entities
    names = ("Ada", "Leeds", "Yorkshire", "England", "Alone")
    tools = [{"name": name, "observations": ["runs on port 5432"]} for name in ("PostgreSQL", "Postgre-SQL")]
    await entities.create_entities([*tools, *({"name": name} for name in names)])
    await memory.add_node_type(NodeType("Ghost"))
    await memory.add_connection_type(ConnectionType("PartOf", ("*",), ("*",), transitive=True))
    related = [("Ada", "PostgreSQL", "Owns"), ("Postgre-SQL", "Ada", "OwnedBy"), ("Ada", "Leeds", "contradicts")]
    related += [("Leeds", "Yorkshire", "PartOf"), ("Yorkshire", "England", "PartOf")]
    related += [("England", f"Place {number}", "Has") for number in range(100)]
    await entities.create_relations([{"from": a, "to": b, "relationType": kind} for a, b, kind in related])
    await memory.infer_connections(connection_type="PartOf", dry_run=False)
    await entities.delete_relations([{"from": "Leeds", "to": "Yorkshire", "type": "PartOf"}])
    await entities.remember(name="Ada", observations=["works as a data analyst at Merrow"])
    await entities.remember(name="Ada", observations=["left Merrow; since 1 February at Tarn Energy"])


async def test_each_call_can_be_made_as_it_is_given_and_settles_what_was_found(
    environment: dict[str, str], memory: Memory, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(memory._core.log, "clock", lambda: datetime.now(UTC) - timedelta(days=200))
        await memory.entities.create_relations([{"from": "Old", "to": "Older", "relationType": "Owns"}])
        await memory.entities.create_entities([{"name": "Old", "observations": ["is blue"]}])
    await fill(memory)
    results: dict[str, dict[str, Any]] = {}
    async with serve_agent(environment, "--toolsets", TOOLSETS, "--domain", domain) as agent:
        for finding in (await agent.call("graph_health"))["findings"]:
            results.setdefault(finding["kind"], finding)
        assert set(results) == {*SETTLED, "hub"}
        for entry in results.values():
            arguments = entry["call"]["arguments"]
            if entry["kind"] == "open_question":
                arguments["decision"] = "close"
            result = await agent.client.call_tool(entry["call"]["tool"], arguments)
            assert not result.is_error, (entry, result.content)
            if arguments.pop("dry_run", False):
                await agent.call(entry["call"]["tool"], **arguments)
    async with serve_agent(environment, "--toolsets", TOOLSETS, "--domain", domain) as agent:  # uses are counted by now
        salient = (await agent.call("get_salient", limit=2))["entities"]
        left = [
            (finding["kind"], finding["about"]) for finding in (await agent.call("graph_health", limit=100))["findings"]
        ]
    assert [entity["salience"] for entity in salient] == sorted((e["salience"] for e in salient), reverse=True)
    assert len(salient) == 2
    assert [kind for kind in SETTLED if (kind, results[kind]["about"]) in left] == []


async def test_a_call_of_a_tool_that_is_not_offered_says_how_to_get_it(
    environment: dict[str, str], memory: Memory, domain: str
) -> None:
    await memory.entities.create_entities([{"name": "Alone"}])
    await memory.add_node_type(NodeType("Ghost"))
    async with serve_agent(environment, "--toolsets", "entities,cleanup", "--domain", domain) as agent:
        results = {finding["kind"]: finding for finding in (await agent.call("graph_health"))["findings"]}
    call = results["unused_type"]["call"]
    assert call["tool"] == "memory_revert"
    assert call["not_offered"] == "Your user can serve more: --toolsets entities,cleanup,history."
    assert f"(event {call['arguments']['event_ids'][0]})" in results["unused_type"]["reason"]
    assert results["orphan"]["call"] == {"tool": "delete_entities", "arguments": {"entityNames": ["Alone"]}}

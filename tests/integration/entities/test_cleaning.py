"""Knowledge kept clean: what is alike is found and made one, what is wrong is told with the call that puts it right."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from graph_memory import GraphError, Memory, ontology_from
from graph_memory.memory.entities.cleaning import health, misplaced
from graph_memory.model.errors import Code

pytestmark = pytest.mark.anyio


async def fill(memory: Memory) -> None:
    entities = memory.entities
    await entities.create_entities(
        [
            {"name": "PostgreSQL", "type": "tool", "observations": ["runs on port 5432", "is backed up nightly"]},
            {
                "name": "Postgre-SQL",
                "type": "software",
                "description": "The database.",
                "observations": [{"text": "runs on port 5432", "confidence": 0.5}, {"text": "owned by Ada"}],
                "properties": {"version": 17, "owner": "Ada"},
            },
            {"name": "Ada", "type": "person", "observations": ["leads the team"]},
            {"name": "Release 1", "type": "release"},
            {"name": "Release 2", "type": "release"},
        ]
    )
    relations = [("Ada", "PostgreSQL", "uses"), ("Ada", "Postgre-SQL", "uses"), ("Postgre-SQL", "Release 1", "in")]
    relations += [("Postgre-SQL", "PostgreSQL", "same as")]
    await entities.create_relations([{"from": a, "to": b, "relationType": kind} for a, b, kind in relations])


async def everything(memory: Memory) -> dict[str, Any]:
    graph = await memory.entities.read_graph()
    return {
        "entities": {entity.name: (entity.entity_type, entity.observations) for entity in graph.entities},
        "relations": {(relation.from_name, relation.relation_type, relation.to_name) for relation in graph.relations},
    }


async def test_what_is_alike_is_found_and_made_one_in_a_write_that_can_be_reverted(memory: Memory) -> None:
    entities = memory.entities
    await fill(memory)
    before = await everything(memory)
    [pair] = (await entities.find_duplicates()).duplicates
    assert pair.names == ("Postgre-SQL", "PostgreSQL")
    assert pair.call.arguments == {"names": ["PostgreSQL"], "into": "Postgre-SQL"}
    assert [similar.name for similar in (await entities.find_similar("PostgreSQL")).similar] == ["Postgre-SQL"]
    assert (await entities.find_similar("Release 1")).similar == ()

    tried = await entities.merge_entities(["Postgre-SQL"], "PostgreSQL", dry_run=True)
    assert (await everything(memory), tried.since, tried.dry_run) == (before, None, True)
    merged = await entities.merge_entities(["Postgre-SQL"], "PostgreSQL")
    assert merged.model_copy(update={"since": None, "until": None, "dry_run": True}) == tried
    assert (merged.observations_moved, merged.observations_known) == (1, 1)
    assert (merged.relations_moved, merged.relations_known) == (1, 2)
    assert merged.aliases == ("Postgre-SQL",)
    assert [(conflict.what, conflict.kept, conflict.not_taken) for conflict in merged.conflicts] == [
        ("type", "tool", "software")
    ]
    after = await everything(memory)
    observed = ("runs on port 5432", "is backed up nightly", "owned by Ada")
    assert after["entities"]["PostgreSQL"] == ("tool", observed)
    assert after["relations"] == {("Ada", "uses", "PostgreSQL"), ("PostgreSQL", "in", "Release 1")}
    node = await memory.get_node(merged.id)
    assert (node.properties["version"], node.properties["owner"]) == (17, "Ada")
    assert (await memory.get_node_content(merged.id)).content == "The database."
    assert (await entities.remember(name="Postgre_SQL", observations=["runs on port 5432"])).entity == "PostgreSQL"
    with pytest.raises(GraphError) as caught:
        await entities.merge_entities(["Postgre-SQL"], "PostgreSQL")
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert (await memory.upkeep.verify()).differences == ()

    await memory.history.revert(since=merged.since, until=merged.until)
    assert await everything(memory) == before
    assert (await memory.upkeep.verify()).differences == ()


async def test_what_observations_say_of_each_other_moves_with_them(memory: Memory) -> None:
    entities = memory.entities
    await entities.remember(name="Ben Aldous", observations=["lives in Leeds"])
    result = await entities.remember(name="Ben Aldous", observations=["lives in York"], replaces="lives in Leeds")
    await entities.remember(name="Aldous, Ben", observations=["plays the oboe"])
    merged = await entities.merge_entities(["Ben Aldous"], "Aldous, Ben")
    assert merged.observations_moved == 2
    events = (await memory.history.log(since=merged.since, full=True)).entries
    states = [event.after for event in events if event.after and event.after.get("_text") == "lives in York"]
    [state] = states
    assert state["_supersedes"] != [result.facts[0].replaced]
    entity = (await entities.open_nodes(["Aldous, Ben"])).entities[0]
    assert entity.observations == ("lives in York", "plays the oboe")


async def test_a_graph_tells_what_may_be_put_right_with_calls_that_do(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    entities = memory.entities
    assert (await entities.graph_health()).healthy
    await fill(memory)
    await entities.remember(name="Ada", observations=["works as a data analyst at Merrow"])
    await entities.remember(name="Ada", observations=["left Merrow; since 1 February at Tarn Energy"])
    await entities.create_relations([{"from": "Ada", "to": "Release 2", "relationType": "contradicts"}])
    await entities.delete_relations([{"from": "Postgre-SQL", "to": "Release 1", "relationType": "in"}])
    monkeypatch.setattr(health, "HUB", 3)
    monkeypatch.setattr(health, "STALE", timedelta())
    result = await entities.graph_health()
    findings = {finding.kind: finding for finding in result.findings}
    assert set(findings) == {"duplicate", "orphan", "stale", "contradiction", "hub", "unused_type", "open_question"}
    assert (result.entities, result.relations, result.healthy) == (5, 4, False)
    assert (findings["orphan"].about, findings["orphan"].call.tool) == (("Release 1",), "delete_entities")
    assert (findings["hub"].about, findings["contradiction"].about) == (("Ada",), ("Ada", "Release 2"))
    assert findings["unused_type"].about == ("in",)
    assert (await entities.find_orphans()).found == 1

    for item in result.findings:
        if item.kind == "open_question":
            await entities.answer(item.call.arguments["id"], "close")
    await entities.merge_entities(**findings["duplicate"].call.arguments)
    await entities.delete_entities(findings["orphan"].call.arguments["entityNames"])
    await entities.delete_relations(**findings["contradiction"].call.arguments)
    await memory.history.revert(event_ids=findings["unused_type"].call.arguments["event_ids"])
    after = await entities.graph_health()
    assert not {"duplicate", "contradiction", "open_question"} & {finding.kind for finding in after.findings}


async def test_what_connects_nodes_that_are_no_entities_goes_by_its_id_and_standard_types_may_wait(
    memory: Memory,
) -> None:
    await memory.create_ontology(ontology_from({"node_types": ["Note", "Draft"], "connection_types": [], "open": True}))
    text, other = [(await memory.create_node("Note", f"# {name}")).node_id for name in "AB"]
    made = await memory.create_connection("contradicts", text, other)
    findings = {finding.kind: finding for finding in (await memory.entities.graph_health()).findings}
    assert {kind: finding.about for kind, finding in findings.items()} == {
        "contradiction": ("A", "B"),
        "unused_type": ("Draft",),
    }
    assert findings["contradiction"].call.tool == "delete_connection"
    assert findings["contradiction"].call.arguments == {"connection_id": made.connection_id}


async def test_entities_are_listed_by_their_last_change_and_by_their_type(memory: Memory) -> None:
    entities = memory.entities
    assert (await entities.get_recent()).entities == ()
    await fill(memory)
    await memory.acting_as("alice").entities.add_observations([{"entityName": "Release 1", "contents": ["is out"]}])
    recent = await entities.get_recent(limit=2)
    assert (recent.entities[0].name, recent.entities[0].by, recent.more) == ("Release 1", "alice", True)
    await entities.delete_observations([{"entityName": "Release 1", "observations": ["is out"]}])
    [last] = (await memory.history.log(limit=1)).entries
    assert (await entities.get_recent(limit=1)).entities[0].changed == last.at
    of_type = (await entities.get_by_type("release")).entities
    assert sorted(brief.name for brief in of_type) == ["Release 1", "Release 2"]
    with pytest.raises(GraphError) as caught:
        await entities.get_by_type("relaese")
    assert caught.value.code is Code.INVALID_NODE_TYPE
    assert "release" in str(caught.value.hint)
    assert (await entities.get_hot()).entities == ()
    with pytest.raises(GraphError) as caught:
        await entities.get_recent(limit=0)
    assert caught.value.code is Code.INVALID_ARGUMENT


async def test_facts_that_went_to_a_name_without_its_signs_are_told(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    entities = memory.entities
    made = await entities.remember(name="C", observations=["C++ is compiled", "C was made in 1972", "is old"])
    assert "misplaced_fact" not in (await entities.graph_health()).counts
    monkeypatch.setattr(misplaced, "ULID", SimpleNamespace(from_datetime=lambda _: "Z"))
    [finding] = [finding for finding in (await entities.graph_health()).findings if finding.kind == "misplaced_fact"]
    assert finding.about == ("C", "C++")
    assert str(made.facts[0].id) in finding.reason
    assert finding.call.tool == "open_nodes"

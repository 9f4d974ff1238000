"""Recorded events with an archetype: one transaction, and no extraction that makes it fail."""

from __future__ import annotations

import pytest

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory
from graph_memory.agent.archetypes import Extraction
from support import agrees

pytestmark = pytest.mark.anyio

FAILURE = "FAILED tests/test_reader.py::test_a_list_is_read - KeyError: 'entries'"


def two_files(event_type: str, content: str) -> Extraction:
    extraction = Extraction()
    for name in content.split():
        extraction.add("file", name, f"seen in a {event_type}")
        extraction.relate(content.split()[0], "imports", name)
    return extraction


async def test_what_an_archetype_extracts_is_written_with_the_event_as_evidence(memory: Memory):
    recorded = await memory.agent.episodic.record(
        "tool_call",
        FAILURE,
        entities=[{"name": "KeyError", "type": "bug"}],
        relations=[{"from": "KeyError", "to": "KeyError", "type": "again"}],
        archetype="coding_agent",
    )
    assert recorded.entities == ("KeyError", "tests/test_reader.py", "test_a_list_is_read")
    graph = await memory.entities.open_nodes([*(recorded.entities or ())])
    assert {entity.name: entity.entity_type for entity in graph.entities} == {
        "KeyError": "bug",
        "tests/test_reader.py": "file",
        "test_a_list_is_read": "test",
    }
    [raises] = (
        await memory.query_connections(type="raises", to_node_id=(await id_of_name(memory, "KeyError")))
    ).connection_ids[:1]
    assert (await memory.get_connection(raises)).properties == {"evidence": recorded.event_id}
    batches = {entry.batch for entry in (await memory.history.log(since=recorded.since)).entries}
    assert len(batches) == 1
    await memory.entities.update_entity("KeyError", aliases=["missing key"])
    again = await memory.agent.episodic.record(
        "note", "missing_key.py", archetype=lambda _, __: extraction_with_alias()
    )
    assert again.warnings is None
    assert (await memory.entities.open_nodes(["KeyError"])).entities[0].observations == ("is common",)
    await agrees(memory)


def extraction_with_alias() -> Extraction:
    extraction = Extraction()
    extraction.add("error", "missing key", "is common")
    return extraction


async def id_of_name(memory: Memory, name: str) -> str:
    return next(node_id for node_id in (await memory.query_nodes(properties={"name": name})).node_ids)


async def test_what_cannot_be_stored_is_omitted_and_the_event_recorded(memory: Memory):
    await memory.create_ontology(
        ontology_from(
            {
                "node_types": [{"name": "file"}],
                "connection_types": [{"name": "imports", "from": ["file"], "to": ["file"]}],
            }
        )
    )
    agent = memory.agent.episodic
    closed = await agent.record("tool_call", FAILURE, archetype="coding_agent")
    assert (closed.entities, closed.warnings) == (
        ("tests/test_reader.py",),
        ("4 extracted entities and relations could not be stored",),
    )
    await agent.record("note", "one.py two.py", archetype=two_files)
    for name in ("one.py", "two.py"):
        await memory.entities.update_entity(name, aliases=["either"])
    kept = await agent.record("note", "new.py either two.py", archetype=two_files)
    assert kept.entities == ("new.py", "two.py")
    assert kept.warnings == ("2 extracted entities and relations could not be stored",)
    await memory.protect(node_id=await id_of_name(memory, "two.py"))
    protected = await agent.record("edit", "two.py", archetype=two_files)
    assert (protected.entities, len(protected.warnings or ())) == (None, 1)
    broken = await agent.record("note", "x", archetype=lambda _, __: 1 / 0)  # type: ignore[arg-type, return-value]
    assert broken.warnings == ("The archetype failed, so nothing was extracted: ZeroDivisionError: division by zero",)
    assert (await agent.get_recent()).events[0].id == broken.event_id
    await agrees(memory)


async def test_the_settings_choose_an_archetype_for_calls_that_name_none(settings: Settings, domain: str):
    async with open_memory(settings.model_copy(update={"archetype": "coding_agent"})) as other:
        agent = other.in_domain(domain).agent
        assert (await agent.episodic.record("note", "read main.py")).entities == ("main.py",)
        assert (await agent.record_event({"type": "note", "content": "read main.py"})).entities == ("main.py",)
        assert (await agent.episodic.record("note", "read main.py", archetype="")).entities is None


async def test_events_of_a_call_are_recorded_together_or_not_at_all(memory: Memory):
    error, fix = await memory.agent.record_events(
        [
            {"id": "error-1", "type": "error", "content": FAILURE, "session": "monday"},
            {"event_type": "fix", "content": "c71faace fixes KeyError", "session": "monday", "caused_by": ["error-1"]},
        ],
        archetype="coding_agent",
    )
    assert (error.since, error.until) == (fix.since, fix.until)
    assert [event.distance for event in (await memory.agent.episodic.get_chain("error-1")).events] == [0, 1]
    [fixes] = (await memory.query_connections(type="fixes")).connection_ids
    assert (await memory.get_connection(fixes)).properties == {"evidence": fix.event_id}
    before = (await memory.history.log(limit=1)).entries[0].seq
    for bad in (
        {"type": "note", "actor": "bob"},
        {"type": "note", "caused_by": ["mem_none"]},
        {"type": "note", "id": "error-1"},
    ):
        with pytest.raises(GraphError) as caught:
            await memory.agent.record_events([{"type": "note", "content": FAILURE}, bad], "coding_agent")
        assert caught.value.code in (Code.INVALID_PROPERTY, Code.NODE_NOT_FOUND, Code.NODE_ALREADY_EXISTS)
    with pytest.raises(GraphError, match="No archetype"):
        await memory.agent.record_event({"type": "note"}, "nothing")
    assert (await memory.history.log(limit=1)).entries[0].seq == before
    await agrees(memory)

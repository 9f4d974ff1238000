"""One query over all memory types, the facades of the ten types, and documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph_memory import Code, GraphError, Memory
from support import agrees

pytestmark = pytest.mark.anyio


async def test_a_query_asks_all_types_within_one_budget(memory: Memory) -> None:
    agent = memory.agent
    empty = await agent.query_memory("disk full")
    assert empty.to_dict().keys() == {"tokens_used"}
    error = await agent.episodic.record(
        "error",
        "disk full while tagging",
        entities=[{"name": "CI", "entityType": "service", "observations": ["its disk is small"]}, {"name": "runner"}],
        relations=[{"from": "CI", "to": "runner", "relationType": "uses"}],
    )
    pattern = await agent.procedural.record("Prune images", conditions=[{"value": "disk"}], steps=["docker prune"])
    goal = (await agent.prospective.create("Buy a larger disk")).goal
    done = (await agent.prospective.create("Measure the disk")).goal
    await agent.prospective.update(done.id, status="completed")
    [document] = (await agent.contextual.index("A disk of CI has 20 GB.", "https://example.org/ci")).ids
    results = await agent.query_memory("disk of CI")
    assert [hit.id for hit in results.events or ()] == [error.event_id]
    assert [(pattern.id, pattern.why, pattern.steps) for pattern in results.patterns or ()] == [
        (pattern.id, ("disk",), ("docker prune",))
    ]
    assert [goal.id for goal in results.goals or ()] == [goal.id]
    assert "CI" in {hit.title for hit in results.entities or ()}
    assert document in {hit.id for hit in results.content or ()}
    assert [(relation.from_name, relation.to_name) for relation in results.relations or ()] == [("CI", "runner")]
    assert all(hit.why for hit in (*(results.events or ()), *(results.entities or ()), *(results.content or ())))
    small = await agent.query_memory("disk of CI", max_tokens=150)
    assert small.tokens_used <= 150
    assert sum((small.left_out or {}).values()) > 0
    assert not (await agent.query_memory("disk of CI", event_limit=0)).events
    with pytest.raises(GraphError):
        await agent.query_memory("disk", max_tokens=5)
    await agrees(memory)


async def test_an_event_is_returned_with_its_content_and_without_a_title_that_repeats_it(memory: Memory) -> None:
    agent = memory.agent
    long = f"Ann wrote about the tide tables {'and again of the tide tables ' * 4}of the harbour at Cuxhaven."
    odd = "The  tide\ttables burned."
    coloured = "\x1b[31mtide tables\x1b[0m are red"
    contents = {"message": long, "note": odd, "tool_call": coloured}
    recorded = await agent.record_events([{"type": name, "content": text} for name, text in contents.items()])
    summed_up = await agent.episodic.record("message", "tide tables of 1900", summary="Ann sent a scan")
    bare = await agent.episodic.record("tide tables opened")
    nodes = {event.id: event for event in (await agent.query_memory("tide tables", event_limit=10)).events or ()}
    passages = [(nodes[event.event_id].title, nodes[event.event_id].passage) for event in recorded]
    assert passages[:2] == [(None, long), (None, odd)]
    assert passages[2][0] is None or passages[2][0] == "[31mtide tables [0m are red"
    assert nodes[summed_up.event_id].title == "Ann sent a scan"
    assert {event.title for event in (await agent.episodic.get_by_type("message")).events} == {
        long[:120],
        "Ann sent a scan",
    }
    assert (await memory.get_node(bare.event_id)).title == "tide tables opened"
    await agrees(memory)


async def test_an_event_is_dated_by_its_timestamp_and_not_by_when_it_was_recorded(memory: Memory) -> None:
    rendered = {"event_type": "error", "content": "The payment gateway timed out", "timestamp": "2026-03-05T10:00:00Z"}
    await memory.agent.record_events([rendered, {"event_type": "note", "content": "The payment gateway was restarted"}])
    results = await memory.agent.query_memory("payment gateway")
    began = {event.passage: event.began and event.began.isoformat() for event in results.events or ()}
    assert began == {
        "The payment gateway timed out": "2026-03-05T10:00:00+00:00",
        "The payment gateway was restarted": None,
    }
    content = str((await memory.recall.recall("What happened to the payment gateway in March 2026?")).content)
    assert "5 March 2026" in content
    assert "restarted" not in content


async def test_a_document_is_stored_with_its_source_found_and_deleted(memory: Memory) -> None:
    contextual = memory.agent.contextual
    page = {"text": "# Tides\n\nThe tide is high at noon.", "source": "https://example.org/tides"}
    first, second = (
        await contextual.index_batch([page, {"text": "Moon", "source": "book", "metadata": {"page": 3}}])
    ).ids
    assert (await contextual.search("high tide")).hits[0].id == first
    assert (await contextual.hybrid_search("tide", {"node_types": ["Document"]})).hits[0].title == "Tides"
    assert (await memory.get_node(second)).properties == {"page": 3, "source": "book"}
    await contextual.delete(second)
    goal = (await memory.agent.prospective.create("Sail")).goal.id
    with pytest.raises(GraphError):
        await contextual.delete(goal)
    assert (await contextual.persist()).durable
    sound: dict[str, object] = {"text": "x", "source": "x"}
    for bad in (
        {"text": "no source"},
        {"text": " ", "source": "x"},
        *({**sound, "metadata": counts} for counts in ("x", {"": 1})),
    ):
        with pytest.raises(GraphError):
            await contextual.index_batch([page, bad])
    assert (await memory.query_nodes(type="Document")).node_ids == (first,)
    await agrees(memory)


async def test_a_relation_has_weight_confidence_evidence_and_metadata(memory: Memory) -> None:
    agent = memory.agent
    event = (await agent.episodic.record("decision", "Ann reviews the parser")).event_id
    ann = await agent.semantic.upsert("Ann", type="person", confidence=0.9)
    parser = await agent.semantic.upsert("Parser", type="module")
    related = agent.relational
    await related.add_relation(
        "Ann", parser.id, "reviews", weight=0.7, confidence=0.8, evidence=[event], metadata={"since": "spring"}
    )
    [relation] = await related.get_relations(ann.id)
    assert (relation.from_name, relation.relation_type, relation.to_name) == ("Ann", "reviews", "Parser")
    [connection] = (await memory.query_connections(from_node_id=ann.id, type="reviews")).connection_ids
    properties = (await memory.get_connection(connection)).properties
    assert properties == {"weight": 0.7, "confidence": 0.8, "evidence": event, "since": "spring"}
    assert [node.id for node in (await related.traverse(ann.id, 1)).nodes] == [ann.id, parser.id]
    assert (await related.find_path(ann.id, parser.id)).paths
    assert (await related.get_neighbors(ann.id, ["reviews"])).neighbors[0].id == parser.id
    assert (await agent.semantic.find_by_name("ann")) is not None
    assert (await agent.semantic.get(ann.id)) == await agent.semantic.find_by_name("ANN")
    assert await agent.semantic.get("mem_unknown") is None
    assert {entity.name for entity in (await agent.semantic.get_salient()).entities} == {"Ann", "Parser"}
    with pytest.raises(GraphError) as caught:
        await related.add_relation("Ann", "Parser", "wrote", evidence=["mem_unknown"])
    assert caught.value.code is Code.NODE_NOT_FOUND
    with pytest.raises(GraphError):
        await related.add_relation("Ann", "Parser", "wrote", weight=float("nan"))
    assert len(await related.get_relations("Ann")) == 1


async def test_the_environment_is_scanned_again_when_stale_and_recorded_when_asked(
    memory: Memory, tmp_path: Path
) -> None:
    (tmp_path / "Cargo.toml").touch()
    environment = memory.agent.environmental.at(tmp_path)
    assert (await environment.get()).file_tree == ("Cargo.toml",)
    (tmp_path / "lib.rs").touch()
    assert (await memory.agent.environmental.at(tmp_path).get()).file_tree == ("Cargo.toml",)
    result = await environment.refresh(limit=1)
    assert (result.file_tree, result.left_out, result.project_type) == (("Cargo.toml",), 1, "rust")
    event = await environment.snapshot("monday")
    [recorded] = (await memory.agent.episodic.get_recent("monday")).events
    assert (recorded.id, recorded.event_type) == (event.event_id, "environment")
    with pytest.raises(GraphError):
        await memory.agent.environmental.at(tmp_path / "missing").get()

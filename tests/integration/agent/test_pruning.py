"""Pruning archives to a file, in one batch, and restore brings everything back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from graph_memory import Code, GraphError, Memory
from support import agrees

pytestmark = pytest.mark.anyio
LIMITS = {"events": 1, "entities": 1, "relations": 0, "patterns": 0, "documents": 0}


async def fill(memory: Memory) -> dict[str, str]:
    """Fill a domain, and return the ids of what can be archived."""
    agent, at = memory.agent, "2026-01-01T09:00:00Z"
    first = (await agent.episodic.record("error", "disk full", session="old", timestamp=at)).event_id
    second = (await agent.episodic.record("fix", "pruned", session="old", timestamp=at, caused_by=[first])).event_id
    involved = [{"name": "Runner"}]
    kept = (await agent.episodic.record("error", "protected", session="older", timestamp=at)).event_id
    await agent.episodic.record("error", "on the runner", session="old", timestamp=at, entities=involved)
    await memory.protect(node_id=kept)
    await agent.episodic.record(
        "note", "today", session="new", entities=[{"name": "CI", "observations": ["is slow", "is old", "is red"]}]
    )
    await agent.semantic.upsert(
        "Runner", description="A box", observations=[{"text": "has 2 cores", "source": "Ann", "time": "2026-01-02"}]
    )
    await agent.relational.add_relation("Runner", "CI", "runs", weight=0.2)
    pattern = await agent.procedural.record("Restart", conditions=[{"value": "disk"}])
    for _ in range(5):
        await agent.procedural.apply_result(pattern.id, False)
    [document] = (await agent.contextual.index("A page about disks", "https://example.org")).ids
    return {"first": first, "second": second, "kept": kept, "pattern": pattern.id, "document": document}


async def test_what_exceeds_the_limits_is_archived_and_restored(memory: Memory, tmp_path: Path) -> None:
    agent, ids, archive = memory.agent, await fill(memory), tmp_path / "old.jsonl.gz"
    trial = await agent.prune(limits=LIMITS, archive=archive)
    assert (trial.dry_run, archive.exists()) == (True, False)
    done = await agent.prune(dry_run=False, limits=LIMITS, archive=archive)
    assert (
        done.archived == trial.archived == {"events": 3, "entities": 1, "relations": 1, "patterns": 1, "documents": 1}
    )
    assert done.protected == 1
    assert [node.id for node in await memory.describe_nodes([*ids.values()])] == [ids["kept"]]
    assert await agent.semantic.find_by_name("Runner") is None
    await agent.episodic.record("note", session="newer", timestamp="2026-02-01T09:00:00Z")
    with pytest.raises(GraphError) as caught:
        await agent.prune(dry_run=False, limits=LIMITS, archive=archive)
    assert caught.value.code is Code.FILE_CREATION_FAILED
    assert (await agent.restore(archive)).restored > 5
    assert {node.id for node in await memory.describe_nodes([*ids.values()])} == {*ids.values()}
    assert [relation.relation_type for relation in await agent.relational.get_relations("Runner")] == ["runs"]
    await agrees(memory)


@pytest.mark.long
async def test_an_archive_is_restored_after_the_log_was_compacted(memory: Memory, tmp_path: Path) -> None:
    agent, ids, archive = memory.agent, await fill(memory), tmp_path / "old.jsonl.gz"
    done = await agent.prune(dry_run=False, limits=LIMITS, archive=archive)
    await agent.episodic.record("note", "later")
    await memory.history.compact((done.until or 0) + 2, archive=tmp_path / "log.jsonl.gz")
    await agent.restore(archive)
    chain = (await agent.episodic.get_chain(ids["first"])).events
    assert [event.id for event in chain] == [ids["first"], ids["second"]]
    assert (await agent.procedural.get(ids["pattern"])).failures == 5
    assert (await memory.get_node_content(ids["document"])).content == "A page about disks"
    runner = await agent.semantic.get("Runner")
    assert runner is not None
    assert (runner.observations, runner.description) == (("has 2 cores",), "A box")
    [detail] = (await memory.entities.open_nodes(["Runner"], detail=True)).entities[0].observation_details or ()
    assert (detail.source, f"{detail.ts:%Y-%m-%d}") == ("Ann", "2026-01-02")
    assert len((await memory.query_connections(to_node_id=runner.id, type="Involves")).connection_ids) == 1
    [runs] = (await memory.query_connections(from_node_id=runner.id, type="runs")).connection_ids
    assert (await memory.get_connection(runs)).properties["weight"] == 0.2
    await agrees(memory)


async def test_what_is_next_to_a_protected_node_stays(memory: Memory, tmp_path: Path) -> None:
    agent, at = memory.agent, "2026-01-01T09:00:00Z"
    first = (await agent.episodic.record("error", session="old", timestamp=at)).event_id
    other = (await agent.episodic.record("error", session="old", timestamp=at)).event_id
    pattern = await agent.procedural.record("Restart", conditions=[{"value": "x"}], learned_from=[first])
    await memory.protect(node_id=pattern.id)
    done = await agent.prune(dry_run=False, limits={"events": 0, "patterns": 0}, archive=tmp_path / "old.jsonl.gz")
    assert done.archived == {"events": 1}
    assert [node.id for node in await memory.describe_nodes([first, other])] == [first]


@pytest.mark.long
async def test_an_archive_of_another_domain_reverts_nothing_there(memory: Memory, domain: str, tmp_path: Path) -> None:
    archive, other = tmp_path / "old.jsonl.gz", memory.in_domain(f"{domain}-other")
    await fill(memory)
    done = await memory.agent.prune(dry_run=False, limits=LIMITS, archive=archive)
    for number in range(done.until or 0):
        await other.agent.episodic.record("note", f"number {number}", timestamp="2026-01-01T09:00:00Z")
    before = len((await other.query_nodes()).node_ids)
    with pytest.raises(GraphError):  # a relation of the archive leads to an entity that only the first domain has
        await other.agent.restore(archive)
    assert len((await other.query_nodes()).node_ids) == before
    await agrees(other)


async def test_a_file_that_is_no_archive_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    await fill(memory)
    before = (await memory.history.log(limit=1)).entries[0].seq
    deletes = json.dumps({"op": "delete_node", "node_id": (await memory.query_nodes()).node_ids[0]}).encode()
    trailer = b'{"batch": "evt_1", "since": 1, "until": 2}'
    contents = [b"", b"text", *map(gzip.compress, (b"[1]", b"1", b'{"op": 1}', b"[" * 90_000, deletes, trailer))]
    for number, content in enumerate([*contents, gzip.compress(deletes)[:-9]]):
        (path := tmp_path / str(number)).write_bytes(content)
        with pytest.raises(GraphError):
            await memory.agent.restore(path)
    with pytest.raises(GraphError):
        await memory.agent.restore(tmp_path / "missing")
    assert (await memory.history.log(limit=1)).entries[0].seq == before

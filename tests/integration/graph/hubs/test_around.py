"""A batch of several transactions, from all sides: the log, branches, merges, compactions, exports, erasures."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from neo4j import Driver

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.branches import load
from integration.graph.hubs.cutting import LINKS, CutOff, cut_off_after, events_since, last_of
from integration.graph.hubs.hub import HUB, make_hub

pytestmark = pytest.mark.anyio


@pytest.mark.long
async def test_a_branch_from_the_midst_of_a_deletion_has_what_was_left_then(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before = await last_of(web)
    await web.delete_node(HUB)
    branch = web.in_domain((await web.history.branch(f"{web._domain(None)}-b", at=before + 12)).domain)
    assert len((await branch.query_connections()).connection_ids) == LINKS - 12
    assert (await branch.get_node(HUB)).id == HUB
    assert (await branch.upkeep.verify()).differences == ()
    assert (await branch.delete_node(HUB)).connections == LINKS - 12


@pytest.mark.long
async def test_a_compaction_never_ends_in_the_midst_of_a_batch(web: Memory, tmp_path: Path) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before = await last_of(web)
    version = (await web.delete_node(HUB)).version
    done = await web.history.compact(before + 12, archive=tmp_path / "old.jsonl")
    assert done.compacted_to == before
    await web.history.revert(since=version, until=version)
    assert len((await web.query_connections()).connection_ids) == LINKS


@pytest.mark.long
async def test_differences_across_and_within_a_batch_are_those_of_its_changes(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before = await last_of(web)
    await web.delete_node(HUB)
    assert (await web.history.diff(since=before)).removed == LINKS + 1
    assert (await web.history.diff(since=before, until=before + 7)).removed == 7


@pytest.mark.long
async def test_an_export_of_a_domain_in_which_a_batch_was_written_in_pages_is_imported(
    web: Memory, tmp_path: Path
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    version = (await web.delete_node(HUB)).version
    await web.transfer.export_file(tmp_path / "all.jsonl")
    other = web.in_domain(
        (await web.transfer.import_file(tmp_path / "all.jsonl", name=f"{web._domain(None)}-i")).domain
    )
    assert (await other.upkeep.verify()).differences == ()
    await other.history.revert(since=version, until=version)
    assert len((await other.query_connections()).connection_ids) == LINKS


async def test_a_follower_is_given_each_event_of_a_batch_once_and_in_order(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before, seen = await last_of(web), list[int]()

    async def follow() -> None:
        async for entry in web.history.follow(since=before + 1, every=0.01):
            seen.append(entry.seq)
            if entry.kind == "node":
                return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(follow)
        await web.delete_node(HUB)
    assert seen == list(range(before + 1, before + LINKS + 2))


async def test_the_log_tells_of_a_deleted_hub_with_the_number_of_its_connections(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    await web.delete_node(HUB)
    [entry] = (await web.history.log(limit=1)).entries
    assert entry.summary == f'Note "Hub" deleted, with {LINKS} connections'
    await web.delete_node("n000001")
    [entry] = (await web.history.log(limit=1)).entries
    assert entry.summary == 'Note "Note 1" deleted'


async def test_a_hub_is_erased_in_pages(web: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_hub(web, LINKS, neighbours=7)
    done = await web.history.erase(HUB)
    assert [domain.domain for domain in done.domains] == [web._domain(None)]
    assert (await web.query_connections()).connection_ids == ()


async def test_a_merge_that_would_delete_a_hub_is_refused_with_the_way_that_works(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "MAX_DELETED", 10)
    await make_hub(web, LINKS, neighbours=7)
    name = f"{web._domain(None)}-b"
    branch = web.in_domain((await web.history.branch(name)).domain)
    await branch.delete_node(HUB)
    await branch.create_node("Note", "new", id="new")
    before = await last_of(web)
    for preview in (True, False):
        with pytest.raises(GraphError) as caught:
            await web.history.merge(name, preview=preview)
        assert caught.value.code is Code.INVALID_ARGUMENT
        assert f"{LINKS} connections" in caught.value.message
        assert "delete_node" in (caught.value.hint or "")
    assert await last_of(web) == before
    await web.delete_node(HUB)
    assert (await web.history.merge(name)).created == 1


@pytest.mark.long
async def test_a_merge_that_would_delete_what_became_a_hub_since_is_refused_with_the_way_that_works(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "MAX_DELETED", 10)
    await make_hub(web, 3, neighbours=7)
    name = f"{web._domain(None)}-b"
    branch = web.in_domain((await web.history.branch(name)).domain)
    await branch.delete_node(HUB)
    for number in range(LINKS):
        await web.create_connection("Link", HUB, "n000001", id=f"later{number}")
    before = await last_of(web)
    with pytest.raises(GraphError) as caught:
        await web.history.merge(name, strategy="theirs")
    assert "delete_node" in (caught.value.hint or "")
    assert await last_of(web) == before
    await web.delete_node(HUB)
    assert (await web.history.merge(name)).deleted == 0


@pytest.mark.long
async def test_a_merge_counts_what_it_deletes_once_and_takes_more_than_a_page(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some connections are between two nodes that both go: they are found from either end."""
    monkeypatch.setattr(load, "MAX_DELETED", LINKS + 2)
    await make_hub(web, LINKS, neighbours=7)
    name = f"{web._domain(None)}-b"
    branch = web.in_domain((await web.history.branch(name)).domain)
    await branch.delete_node(HUB)
    await branch.delete_node("n000001")
    late = (await web.create_connection("Link", HUB, "n000002")).connection_id
    with pytest.raises(GraphError) as caught:
        await web.history.merge(name, strategy="theirs")
    assert "delete_node" in (caught.value.hint or "")
    await web.delete_connection(late)
    assert (await web.history.merge(name)).deleted == LINKS + 2


@pytest.mark.long
async def test_a_merge_names_a_hub_only_if_deleting_it_is_enough(web: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "MAX_DELETED", 5)
    await make_hub(web, LINKS, neighbours=2)
    for number in range(8):
        await web.create_connection("Link", "n000000", "n000001", id=f"between{number}")
    name = f"{web._domain(None)}-b"
    branch = web.in_domain((await web.history.branch(name)).domain)
    await branch.delete_node("n000000")
    await branch.delete_node(HUB)
    with pytest.raises(GraphError) as caught:
        await web.history.merge(name)
    assert HUB not in caught.value.message + (caught.value.hint or "")
    assert "delete_node" in (caught.value.hint or "")
    await web.delete_node(HUB)
    with pytest.raises(GraphError) as caught:
        await web.history.merge(name)
    assert "n000000 with 8 connections" in caught.value.message


@pytest.mark.long
async def test_a_hub_that_a_hand_deleted_is_not_adopted_but_restored_and_then_deleted(
    web: Memory, driver: Driver
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    find = "MATCH (n:_Node {_domain: $domain, _id: $id}) DETACH DELETE n"
    driver.execute_query(find, domain=web._domain(None), id=HUB)
    changes = {change.id: change for change in (await web.upkeep.reconcile()).changes}
    assert changes[HUB].adoptable is False
    assert f"{LINKS} subjects" in (changes[HUB].reason or "")
    assert "delete_node" in (changes[HUB].reason or "")
    await web.upkeep.reconcile(restore="all")
    assert (await web.delete_node(HUB)).connections == LINKS


@pytest.mark.long
async def test_a_read_of_the_past_in_the_midst_of_a_deletion_is_the_same_when_it_is_done(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    with monkeypatch.context() as patched:
        cut_off_after(patched, 2)
        with pytest.raises(CutOff):
            await web.delete_node(HUB)
    then = (await events_since(web, 0))[-1].at
    ids = (await (await web.history.as_of(then.isoformat())).query_connections()).connection_ids
    await web.delete_node(HUB)
    assert (await (await web.history.as_of(then.isoformat())).query_connections()).connection_ids == ids
    assert len(ids) == LINKS - 10

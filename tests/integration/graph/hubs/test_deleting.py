"""Deleting a node with more connections than one transaction takes: in pages, as one batch of the log."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Ontology
from graph_memory.memory.changes.paging import Batch
from graph_memory.model.results import NodeDeletionResult
from integration.graph.hubs.cutting import (
    LINKS,
    CutOff,
    cut_off_after,
    events_since,
    failing_pages,
    last_of,
    refusal_of_a_write,
)
from integration.graph.hubs.hub import HUB, make_hub
from profiles import some

pytestmark = pytest.mark.anyio


async def test_a_hub_is_deleted_in_pages_that_are_one_batch_with_the_node_as_the_last(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before = await last_of(web)
    deleted = await web.delete_node(HUB)
    events = await events_since(web, before)
    assert (deleted.connections, deleted.version, deleted.resumed) == (LINKS, events[-1].seq, None)
    assert len({entry.batch for entry in events}) == 1
    assert events[0].id == events[0].batch
    assert [entry.kind for entry in events] == ["connection"] * LINKS + ["node"]
    assert len({entry.at for entry in events}) == 5  # its pages: each has the time at which it was written
    assert (await web.query_connections()).connection_ids == ()
    assert len((await web.query_nodes()).node_ids) == 7


async def test_as_many_as_one_transaction_takes_go_in_one(web: Memory) -> None:
    await make_hub(web, 10, neighbours=7)
    before = await last_of(web)
    assert (await web.delete_node(HUB)).connections == 10
    assert len({entry.at for entry in await events_since(web, before)}) == 1


async def test_a_hub_of_another_version_is_left_alone_and_its_domain_can_be_written(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    version = (await web.get_node(HUB)).version
    with pytest.raises(GraphError) as caught:
        await web.delete_node(HUB, expected_version=version + 1)
    assert caught.value.code is Code.VERSION_CONFLICT
    assert len((await web.query_connections()).connection_ids) == LINKS
    assert (await web.delete_node(HUB, expected_version=version)).connections == LINKS


@pytest.mark.parametrize("pages", some(range(6)))
async def test_a_deletion_that_was_cut_off_between_any_two_pages_goes_on_when_it_is_asked_for_again(
    web: Memory, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before = await last_of(web)
    with monkeypatch.context() as patched:
        cut_off_after(patched, pages)
        with pytest.raises(CutOff):
            await web.delete_node(HUB)
    assert await refusal_of_a_write(web) == (Code.DOMAIN_BUSY, "deleting_node")
    left = (await web.query_connections()).connection_ids
    assert len(left) == max(LINKS - 5 * pages, 0)
    for text in left:
        await web.get_connection(text)
    deleted = await web.delete_node(HUB, expected_version=1 if pages else None)  # compared before the first page
    assert (deleted.connections, deleted.resumed) == (LINKS, True)
    events = await events_since(web, before)
    assert (len(events), len({entry.batch for entry in events})) == (LINKS + 1, 1)
    await web.create_node("Note", "afterwards")


@pytest.mark.long
async def test_a_deletion_that_was_cut_off_before_its_first_page_still_compares_the_version(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    version = (await web.get_node(HUB)).version
    with monkeypatch.context() as patched:
        cut_off_after(patched, 0)
        with pytest.raises(CutOff):
            await web.delete_node(HUB)
    with pytest.raises(GraphError) as caught:
        await web.delete_node(HUB, expected_version=version + 1)
    assert caught.value.code is Code.VERSION_CONFLICT
    assert len((await web.query_connections()).connection_ids) == LINKS
    await web.create_node("Note", "the domain can be written")
    assert (await web.delete_node(HUB, expected_version=version)).connections == LINKS


async def test_a_deletion_whose_first_page_cannot_be_written_leaves_the_domain_as_it_was(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    with monkeypatch.context() as patched:
        failing_pages(patched, 0)
        with pytest.raises(GraphError) as caught:
            await web.delete_node(HUB)
    assert caught.value.code is Code.TIMEOUT
    await web.create_node("Note", "the domain can be written")
    assert len((await web.query_connections()).connection_ids) == LINKS


@pytest.mark.long
async def test_others_can_read_while_it_goes_on_and_every_point_of_it_is_a_graph_that_may_be(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before = await last_of(web)
    with monkeypatch.context() as patched:
        cut_off_after(patched, 2)
        with pytest.raises(CutOff):
            await web.delete_node(HUB)
    assert (await web.get_node(HUB)).type == "Note"
    with pytest.raises(GraphError) as caught:
        await web.delete_node("n000001")
    assert caught.value.details["asked"] == {"node_id": HUB}
    with pytest.raises(GraphError) as caught:
        await web.history.branch(f"{web._domain(None)}-b")
    assert caught.value.code is Code.DOMAIN_BUSY
    await web.delete_node(HUB)
    for number, seq in enumerate(range(before, before + LINKS + 2)):
        past = await web.history.as_of(min(seq, before + LINKS + 1))
        assert len((await past.query_connections()).connection_ids) == max(LINKS - number, 0)
        assert len((await past.query_nodes()).node_ids) == (8 if number <= LINKS else 7)


@pytest.mark.long
async def test_a_call_that_was_cancelled_is_gone_on_with(web: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_hub(web, LINKS, neighbours=7)
    page = Batch.page

    async def cancelling(batch: Batch, *values: Any) -> None:
        await page(batch, *values)
        if batch.job.progress.done == 10:
            scope.cancel()

    with monkeypatch.context() as patched, anyio.CancelScope() as scope:
        patched.setattr(Batch, "page", cancelling)
        await web.delete_node(HUB)
    assert scope.cancelled_caught
    assert (await web.delete_node(HUB)).connections == LINKS


async def test_what_is_connected_to_a_hub_that_is_about_to_go_goes_with_it(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    begin = Batch.begin

    async def late(*values: Any, **more: Any) -> Batch:
        await web.create_connection("Link", HUB, "n000001")  # after it was counted, before the domain is busy
        batch = await begin(*values, **more)
        assert (await refusal_of_a_write(web))[0] is Code.DOMAIN_BUSY
        return batch

    monkeypatch.setattr(Batch, "begin", late)
    assert (await web.delete_node(HUB)).connections == LINKS + 1


@pytest.mark.long
async def test_two_who_delete_the_same_hub_delete_it_once(web: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before, page, results = await last_of(web), Batch.page, list[NodeDeletionResult]()

    async def overtaken(batch: Batch, *values: Any) -> None:
        await page(batch, *values)
        if batch.job.progress.done == 10 and not batch.job.is_resumed:
            results.append(await web.delete_node(HUB))

    monkeypatch.setattr(Batch, "page", overtaken)
    results.append(await web.delete_node(HUB))
    assert [receipt.connections for receipt in results] == [LINKS, LINKS]
    assert len(await events_since(web, before)) == LINKS + 1


@pytest.mark.long
async def test_one_who_is_overtaken_in_the_midst_of_a_page_is_told_so(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    before, begin = await last_of(web), Batch.begin

    async def overtaken(*values: Any, **more: Any) -> Batch:
        batch = await begin(*values, **more)
        if not batch.job.is_resumed:
            with monkeypatch.context() as patched:
                cut_off_after(patched, 1)
                with pytest.raises(CutOff):
                    await web.delete_node(HUB)
        return batch

    with monkeypatch.context() as patched:
        patched.setattr(Batch, "begin", overtaken)
        with pytest.raises(GraphError) as caught:
            await web.delete_node(HUB)
    assert caught.value.code is Code.DOMAIN_BUSY
    assert (await web.delete_node(HUB)).connections == LINKS
    assert len(await events_since(web, before)) == LINKS + 1


@pytest.mark.long
async def test_a_domain_in_which_a_deletion_was_cut_off_can_be_deleted(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    ontology = await web.get_ontology()
    with monkeypatch.context() as patched:
        cut_off_after(patched, 2)
        with pytest.raises(CutOff):
            await web.delete_node(HUB)
    assert (await web.delete_domain(web._domain(None))).nodes == 8
    await web.create_ontology(Ontology.create(ontology.node_types, ontology.connection_types))

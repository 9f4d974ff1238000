"""Taking back what one transaction does not take: in pages, as one batch, with what stands against it found before."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import pytest

from graph_memory import Code, GraphError, Memory, Settings, open_memory
from graph_memory.memory.changes import paging
from graph_memory.memory.revert import pages as revert_pages
from graph_memory.memory.revert import revert
from graph_memory.model.events import Origin
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


async def deleted_hub(memory: Memory, **arguments: Any) -> int:
    """Make and delete a hub, and return the version of its deletion."""
    await make_hub(memory, LINKS, neighbours=7, **arguments)
    return (await memory.delete_node(HUB)).version


async def links_of(memory: Memory) -> dict[str, object]:
    """Return all connections with what they are, but for their versions and times of change."""
    ids = (await memory.query_connections()).connection_ids
    return {
        node_id: (await memory.get_connection(node_id)).model_dump(exclude={"version", "modified"}) for node_id in ids
    }


async def test_a_deleted_hub_is_taken_back_as_one_with_all_its_connections(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    then = await links_of(web)
    version = (await web.delete_node(HUB)).version
    undone = await web.history.revert(since=version, until=version)
    assert await links_of(web) == then
    events = await events_since(web, version)
    assert [entry.kind for entry in events] == ["node"] + ["connection"] * LINKS
    assert {entry.batch for entry in events} == {undone.batch}
    assert [change.subject for change in undone.changes] == [entry.subject for entry in events]
    assert (undone.more_changes, undone.skipped, undone.resumed) == (None, (), None)


@pytest.mark.long
async def test_taking_back_can_be_taken_back_and_that_too(web: Memory) -> None:
    version = await deleted_hub(web)
    for lives in (True, False, True):
        before = await last_of(web)
        await web.history.revert(since=version + 1 if version != before else version, until=before)
        version = before
        assert len((await web.query_connections()).connection_ids) == (LINKS if lives else 0)
        assert (HUB in (await web.query_nodes()).node_ids) is lives


@pytest.mark.long
async def test_the_creation_of_a_hub_is_taken_back_in_pages(web: Memory) -> None:
    await make_hub(web, 4, neighbours=7)
    node = (await web.history.log(subject=HUB)).entries[0]
    for number in range(LINKS):
        await web.create_connection("Link", HUB, "n000001", id=f"later{number}")
    before = await last_of(web)
    with pytest.raises(GraphError) as caught:
        await web.history.revert(event_ids=[node.id])
    assert caught.value.code is Code.REVERT_CONFLICT
    assert await last_of(web) == before
    undone = await web.history.revert(event_ids=[node.id], on_conflict="force")
    assert len(undone.changes) == LINKS + 5
    assert (await web.query_connections()).connection_ids == ()
    assert len({entry.batch for entry in await events_since(web, before)}) == 1


async def test_what_stands_against_it_is_found_before_the_first_page(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=7)
    begin = await last_of(web)
    version = (await web.delete_node(HUB)).version
    await web.delete_node("n000001")
    before = await last_of(web)
    with pytest.raises(GraphError) as caught:
        await web.history.revert(since=begin + 1, until=version)
    assert caught.value.code is Code.REVERT_CONFLICT
    assert await last_of(web) == before
    await web.create_node("Note", "the domain can be written")
    undone = await web.history.revert(since=begin + 1, until=version, on_conflict="skip")
    assert len(undone.skipped) == len([number for number in range(LINKS) if number % 7 == 1])
    assert len((await web.query_connections()).connection_ids) == LINKS - len(undone.skipped)


@pytest.mark.long
async def test_a_dry_run_tells_what_would_be_and_writes_nothing(web: Memory) -> None:
    version = await deleted_hub(web)
    before = await last_of(web)
    tried = await web.history.revert(since=version, until=version, dry_run=True)
    assert await last_of(web) == before
    done = await web.history.revert(since=version, until=version)
    assert tried.changes == done.changes
    assert (tried.dry_run, tried.batch) == (True, None)


@pytest.mark.long
async def test_the_answer_lists_the_first_changes_and_counts_the_others(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revert_pages, "MAX_REPORTED", 3)
    version = await deleted_hub(web)
    for dry_run in (True, False):
        reverted = await web.history.revert(since=version, until=version, dry_run=dry_run)
        assert (reverted.changes[0].subject, reverted.more_changes) == (HUB, LINKS - 2)


@pytest.mark.parametrize("pages", some(range(7)))
async def test_one_that_was_cut_off_between_any_two_pages_goes_on_when_it_is_asked_for_again(
    web: Memory, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    then = await links_of(web)
    version = (await web.delete_node(HUB)).version
    with monkeypatch.context() as patched:
        cut_off_after(patched, pages)
        with pytest.raises(CutOff):
            await web.history.revert(since=version, until=version)
    assert await refusal_of_a_write(web) == (Code.DOMAIN_BUSY, "reverting")
    with pytest.raises(GraphError) as caught:
        await web.history.revert(since=version)
    assert caught.value.details["asked"] == {"on_conflict": "stop", "stretch": f"{version} to {version}"}
    undone = await web.history.revert(since=version, until=version)
    assert (len(undone.changes), undone.resumed) == (LINKS + 1, True)
    assert await links_of(web) == then
    assert {entry.batch for entry in await events_since(web, version)} == {undone.batch}
    await web.create_node("Note", "afterwards")


async def test_one_whose_first_page_cannot_be_written_leaves_the_domain_as_it_was(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = await deleted_hub(web)
    with monkeypatch.context() as patched:
        failing_pages(patched, 0)
        with pytest.raises(GraphError) as caught:
            await web.history.revert(since=version, until=version)
    assert caught.value.code is Code.TIMEOUT
    assert await last_of(web) == version
    await web.create_node("Note", "the domain can be written")


@pytest.mark.long
async def test_a_page_that_is_too_much_for_the_server_is_written_in_halves(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    then = await links_of(web)
    version = (await web.delete_node(HUB)).version
    failing_pages(monkeypatch, 2)
    undone = await web.history.revert(since=version, until=version)
    assert await links_of(web) == then
    events = await events_since(web, version)
    assert [entry.subject for entry in events] == [change.subject for change in undone.changes]
    assert [entry.kind for entry in events] == ["node"] + ["connection"] * LINKS


@pytest.mark.long
async def test_pages_are_cut_by_the_weight_of_their_content_too(web: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "PAGE_BYTES", 25)
    texts = {f"a{number:02}": "x" * (100 if number == 5 else 10) for number in range(12)}
    for name, text in texts.items():
        await web.create_node("Note", text, id=name)
    begin = await last_of(web)
    for name in texts:
        await web.delete_node(name)
    before = await last_of(web)
    await web.history.revert(since=begin + 1)
    assert await contents_of(web) == texts
    pages = Counter(entry.at for entry in await events_since(web, before))
    assert max(pages.values()) == 2
    assert 7 <= len(pages) <= 8


@pytest.mark.long
@pytest.mark.parametrize("kept", [1, 2])
async def test_one_by_event_ids_that_was_cut_off_goes_on_in_any_order_and_tells_few_ids(
    web: Memory, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    monkeypatch.setattr(revert_pages, "MAX_IDS", kept)
    version = await deleted_hub(web)
    await web.delete_node("n000001")
    ids = [entry.id for entry in await events_since(web, version - 1)]
    assert len(ids) == 2
    with monkeypatch.context() as patched:
        cut_off_after(patched, 1)
        with pytest.raises(CutOff):
            await web.history.revert(event_ids=ids)
    with pytest.raises(GraphError) as caught:
        await web.history.revert(since=version)
    result = caught.value.details["asked"]
    assert isinstance(result, dict)
    events = cast("dict[str, str]", result)["events"]
    assert events.split(" ") == sorted(ids) if kept == 2 else events.startswith("2: ")
    assert (await web.history.revert(event_ids=ids[::-1])).resumed is True
    assert len((await web.query_connections()).connection_ids) == LINKS


@pytest.mark.long
async def test_more_than_a_revert_takes_is_refused_with_its_own_limit_and_argument(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revert, "MAX_CHANGES", 20)
    version = await deleted_hub(web)
    [event] = await events_since(web, version - 1)
    for arguments, argument in (({"event_ids": [event.id]}, "event_ids"), ({"since": version}, "since")):
        with pytest.raises(GraphError) as caught:
            await web.history.revert(**arguments)  # pyright: ignore[reportArgumentType] - either of them
        assert caught.value.details["argument"] == argument
        assert "one revert takes at most 20" in caught.value.message
    await web.create_node("Note", "the domain can be written")


@pytest.mark.long
async def test_a_revert_without_an_end_that_was_cut_off_tells_so(web: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    version = await deleted_hub(web)
    with monkeypatch.context() as patched:
        cut_off_after(patched, 1)
        with pytest.raises(CutOff):
            await web.history.revert(since=version)
    with pytest.raises(GraphError) as caught:
        await web.create_node("Note", "in between")
    assert caught.value.details["asked"] == {"on_conflict": "stop", "stretch": f"from {version}"}
    assert (await web.history.revert(since=version)).resumed is True


@pytest.mark.long
async def test_a_mixture_of_changes_is_taken_back_in_pages_also_when_it_is_cut_off_anywhere(
    web: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_hub(web, LINKS, neighbours=7)
    for number in range(12):
        await web.create_node("Note", f"# Old {number}", id=f"old{number}")
    then = await contents_of(web), await links_of(web)
    begin = await last_of(web)
    for number in range(12):
        await web.update_node(f"old{number}", content=f"# New {number}", encoding="utf-8")
        await web.create_node("Note", f"# Late {number}", id=f"late{number}")
        await web.create_connection("Link", f"late{number}", f"old{number}", id=f"tie{number}")
    await web.delete_node(HUB)
    await web.delete_node("old3")
    for pages in (0, 1, 2, 3, 4, 5, 6, 7):
        with monkeypatch.context() as patched:
            cut_off_after(patched, pages)
            with pytest.raises(CutOff):
                await web.history.revert(since=begin + 1)
    undone = await web.history.revert(since=begin + 1)
    assert (await contents_of(web), await links_of(web)) == then
    assert undone.skipped == ()


async def contents_of(memory: Memory) -> dict[str, str]:
    return {
        node_id: (await memory.get_node_content(node_id)).content for node_id in (await memory.query_nodes()).node_ids
    }


async def test_a_session_is_taken_back_in_pages_without_what_taking_it_back_writes(
    web: Memory, settings: Settings, domain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same session takes itself back, and is cut off: its new events are of that session too."""
    async with open_memory(settings, origin=Origin(session="own")) as opened:
        own = opened.in_domain(domain)
        await make_hub(own, LINKS, neighbours=7)
        with monkeypatch.context() as patched:
            cut_off_after(patched, 3)
            with pytest.raises(CutOff):
                await own.history.revert_session("current")
    undone = await web.history.revert_session("own")
    assert (len(undone.changes), undone.resumed) == (LINKS + 8, True)
    assert (await web.query_nodes()).node_ids == ()


@pytest.mark.long
async def test_rules_among_connections_are_kept_and_what_would_break_one_is_left(web: Memory) -> None:
    await make_hub(web, LINKS, neighbours=LINKS, type_name="Tree")
    begin = await last_of(web)
    version = (await web.delete_node(HUB)).version
    await web.create_connection("Tree", "n000001", "n000002")  # hub → 1 → 2 → hub would be a cycle
    before = await last_of(web)
    with pytest.raises(GraphError) as caught:
        await web.history.revert(since=begin + 1, until=version)
    assert caught.value.code is Code.REVERT_CONFLICT
    assert "skip" in (caught.value.hint or "")
    assert await last_of(web) == before
    undone = await web.history.revert(since=version, until=version)  # they come along as far as they can
    assert len(undone.skipped) == 1
    assert "cycle" in undone.skipped[0].reason
    assert len((await web.query_connections()).connection_ids) == LINKS

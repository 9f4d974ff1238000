"""The lease of the log follower: one holder at a time, and nothing is written by a holder that has lost it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import anyio
import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from graph_memory.memory.core import Core
from graph_memory.memory.search.index import following, index
from graph_memory.memory.search.index.following import FencedStore, LeaseLost
from graph_memory.memory.search.index.reindexing import change_model
from integration.search.fakes import Fake
from integration.search.rows import Rows

pytestmark = pytest.mark.anyio


@pytest.fixture
async def rows(memory: Memory, driver: Driver, domain: str) -> Rows:
    await memory.create_ontology(ontology_from({"node_types": ["Note"]}))
    await memory.create_node("Note", "Larch for the terrace.", id="a")
    return Rows(driver, memory, domain)


async def take(rows: Rows, run: str) -> int | None:
    return await following._take_lease(rows.core, rows.domain, run)


async def take_over(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> Core:
    """Let the lease of a process expire and another process take it, and return what the first one works with."""
    with monkeypatch.context() as patched:
        patched.setattr(following, "LEASE_MILLISECONDS", 0)
        lease = await take(rows, "paused")
    assert lease is not None
    await anyio.sleep(0.01)
    assert await take(rows, "next") == lease + 1
    return replace(rows.core, store=FencedStore(rows.core.store, rows.domain, lease))


async def test_one_process_has_the_lease_until_it_expires(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    leases: list[int | None] = []

    async def compete(run: str) -> None:
        leases.append(await take(rows, run))

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(compete, f"run{number}")
    assert sorted(lease or 0 for lease in leases) == [0] * 7 + [1]
    monkeypatch.setattr(following, "LEASE_MILLISECONDS", 0)
    [[holder]] = rows.run("MATCH (i:_Index {_domain: $domain}) RETURN i._leased_by")
    assert await take(rows, holder) == 1
    await anyio.sleep(0.01)
    assert await take(rows, "next") == 2


async def test_a_process_that_lost_its_lease_writes_nothing(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    paused = await take_over(rows, monkeypatch)
    before = rows.run("MATCH (i:_Index {_domain: $domain}) RETURN properties(i)")
    with pytest.raises(LeaseLost):
        await index.catch_up(paused, rows.domain)
    assert await following._follow(paused, rows.domain) is None
    assert rows.texts() == []
    assert rows.run("MATCH (i:_Index {_domain: $domain}) RETURN properties(i)") == before
    assert (await rows.catch_up()).open == 1


async def test_a_model_that_was_taken_by_the_next_process_is_kept(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    await rows.catch_up()
    paused = await take_over(rows, monkeypatch)
    with pytest.raises(LeaseLost):
        await change_model(paused, rows.domain, Fake())
    assert rows.run("MATCH (p:_Passage {_domain: $domain}) RETURN p._model, p._next_model") == [
        ["local/all-minilm-l6-v2-q", None]
    ]


async def test_a_process_that_loses_its_lease_in_mid_page_does_not_write_the_page(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "LEASE_MILLISECONDS", 0)
    lease = await take(rows, "paused")
    assert lease is not None
    paused = replace(rows.core, store=FencedStore(rows.core.store, rows.domain, lease))
    changes = index._compute_changes

    async def changes_while_paused(*arguments: Any) -> Any:
        page = await changes(*arguments)
        await anyio.sleep(0.01)
        assert await take(rows, "next") == lease + 1
        return page

    with monkeypatch.context() as patched:
        patched.setattr(index, "_compute_changes", changes_while_paused)
        with pytest.raises(LeaseLost):
            await index.index_page(paused, rows.domain)
    assert rows.texts() == []
    assert (await rows.catch_up()).open == 1

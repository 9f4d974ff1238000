"""Following the log: every change of all writers once and in order."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import islice
from typing import Any

import anyio
import pytest

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory_sync
from graph_memory.memory.history import follow
from graph_memory.memory.history.results import LogEntry
from tables import for_rows

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from(
    {
        "node_types": ["Project", "Action"],
        "connection_types": [{"name": "NextAction", "from": ["Project"], "to": ["Action"]}],
    }
)
WRITER = """
import sys
from pathlib import Path
from graph_memory import Settings, open_memory_sync
home, cache, domain, name = sys.argv[1:]
with open_memory_sync(Settings(home=Path(home), cache=Path(cache), domain=domain, actor=name)) as memory:
    for number in range(25):
        project = memory.create_node("Project", f"# {name} {number}").node_id
        action = memory.create_node("Action", "# Act").node_id
        memory.create_connection("NextAction", project, action)
        memory.delete_node(action)
"""
WRITES = 25 * 5
"""The changes of a writer: a node that is deleted takes its connection along."""


@pytest.fixture
async def work(memory: Memory) -> Memory:
    """A domain of some events of several kinds."""
    await memory.create_ontology(ONTOLOGY)
    await memory.create_node("Project", "# Renovate", id="renovate")
    await memory.acting_as("ann").create_node("Action", "# Call", properties={"status": "next"}, id="call")
    await memory.create_connection("NextAction", "renovate", "call", id="next")
    await memory.update_node("call", properties={"status": "done"})
    await memory.delete_node("call")
    return memory


async def take(changes: AsyncGenerator[LogEntry], count: int) -> list[LogEntry]:
    """Return the first changes, and see that none but those come soon."""
    entries: list[LogEntry] = []
    async with aclosing(changes):
        with anyio.fail_after(60):
            while len(entries) < count:
                entries.append(await anext(changes))
        with anyio.move_on_after(0.1):
            entries.append(await anext(changes))
    return entries


@pytest.mark.long
async def test_what_other_processes_write_is_told_once_and_in_order(
    work: Memory, settings: Settings, domain: str
) -> None:
    last = (await work.domain_info()).events
    changes = work.history.follow(since=last + 1, every=0.005)
    async with anyio.create_task_group() as writers:
        for name in ("ann", "bert"):
            command = [sys.executable, "-c", WRITER, str(settings.home), str(settings.cache), domain, name]
            writers.start_soon(anyio.run_process, command)
        entries = await take(changes, 2 * WRITES)
    assert [entry.seq for entry in entries] == list(range(last + 1, last + 1 + 2 * WRITES))
    page = await work.history.log(since=last + 1, limit=1000)
    assert list(reversed(page.entries)) == entries
    assert {entry.actor for entry in entries} == {"ann", "bert"}


@for_rows(
    "wanted",
    [
        {},
        {"full": True},
        {"subject": "call"},
        {"operations": ["update", "delete"]},
        {"types": ["Action", "NextAction"], "operations": ["create"]},
        {"source": "user"},
        {"source": "agent"},
        {"actor": "ann"},
        {"session": "nobody's"},
    ],
)
async def test_the_filters_are_those_of_the_log(work: Memory, wanted: dict[str, Any], monkeypatch) -> None:
    monkeypatch.setattr(follow, "_RANGE", 3)
    expected = (await work.history.log(**wanted)).entries
    entries = await take(work.history.follow(since=1, every=0.01, **wanted), len(expected))
    assert entries == list(reversed(expected))


async def test_without_a_point_it_begins_with_the_next_change(work: Memory) -> None:
    changes = work.history.follow(every=0.01)
    with anyio.move_on_after(0.2):
        await anext(changes)
        pytest.fail("nothing was changed")
    changes = work.history.follow(every=0.01)

    async def write() -> None:
        await anyio.sleep(0.2)
        await work.update_node("renovate", properties={"status": "next"})

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        [entry] = await take(changes, 1)
    assert entry.summary == 'Project "Renovate": status "next" added'


async def test_who_kept_a_number_goes_on_after_it(work: Memory) -> None:
    seen = [entry.seq for entry in await take(work.history.follow(since=1, types=["Action"]), 3)]
    await work.create_node("Action", "# More")
    more = await take(work.history.follow(since=seen[-1] + 1, types=["Action"]), 1)
    assert [entry.summary for entry in more] == ['Action "More" created']


async def test_a_branch_is_followed_along_its_line(work: Memory, domain: str, monkeypatch) -> None:
    monkeypatch.setattr(follow, "_RANGE", 3)
    await work.history.branch(f"{domain}-2")
    branch = work.in_domain(f"{domain}-2")
    await branch.update_node("renovate", properties={"status": "tried"})
    await work.update_node("renovate", properties={"status": "it is missing"})
    expected = (await branch.history.log()).entries
    entries = await take(branch.history.follow(since=1, every=0.01), len(expected))
    assert entries == list(reversed(expected))
    assert {entry.seq for entry in entries} >= {1, entries[-1].seq}


@pytest.mark.parametrize("hidden", [0, 4])
async def test_what_cannot_be_seen_yet_is_waited_for_wherever_it_is(
    work: Memory, driver, domain: str, hidden: int, monkeypatch
) -> None:
    monkeypatch.setattr(follow, "_RANGE", 3)
    monkeypatch.setattr(follow, "_MAX_WAITS", 2)
    last = (await work.domain_info()).events
    rename = "MATCH (e:_Event {_domain: $d, _seq: $s}) SET e._domain = $to"
    driver.execute_query(rename, d=domain, s=last - hidden, to=f"{domain}-hidden")

    async def show() -> None:
        await anyio.sleep(0.5)
        driver.execute_query(rename, d=f"{domain}-hidden", s=last - hidden, to=domain)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(show)
        entries = await take(work.history.follow(since=1, every=0.01), last)
    assert [entry.seq for entry in entries] == list(range(1, last + 1))


@pytest.mark.long
async def test_a_part_of_the_log_that_is_gone_is_told_after_a_while(
    work: Memory, driver, domain: str, monkeypatch
) -> None:
    monkeypatch.setattr(follow, "_MAX_ROUNDS", 2)
    last = (await work.domain_info()).events
    driver.execute_query("MATCH (e:_Event {_domain: $d, _seq: $seq}) DELETE e", d=domain, seq=last - 1)
    with pytest.raises(GraphError) as raised:
        await take(work.history.follow(since=last - 2, every=0.01), 3)
    assert raised.value.code is Code.STORE_CONFLICT
    assert "graph-memory verify" in str(raised.value.details["hint"])
    assert [entry.seq for entry in await take(work.history.follow(since=last), 1)] == [last]


async def test_who_is_overtaken_by_a_compaction_is_told(work: Memory, tmp_path) -> None:
    last = (await work.domain_info()).events
    changes = work.history.follow(since=last, every=0.01)
    assert (await anext(changes)).seq == last
    await work.update_node("renovate", properties={"status": "missed"})
    await work.history.compact(last + 1, archive=tmp_path / "archive.jsonl.gz")
    with pytest.raises(GraphError) as caught:
        await anext(changes)
    assert caught.value.code is Code.HISTORY_COMPACTED


async def test_who_has_seen_what_is_compacted_goes_on(work: Memory, tmp_path) -> None:
    last = (await work.domain_info()).events
    changes = work.history.follow(since=last, every=0.01)
    assert (await anext(changes)).seq == last
    await work.history.compact(last, archive=tmp_path / "archive.jsonl.gz")
    await work.update_node("renovate", properties={"status": "next"})
    assert [entry.seq for entry in await take(changes, 2)] == [last + 1, last + 2]


async def test_a_log_that_is_put_back_is_followed_from_its_new_end(work: Memory, driver, domain) -> None:
    last = (await work.domain_info()).events
    changes = work.history.follow(since=last, every=0.01)
    assert (await anext(changes)).seq == last
    back = "MATCH (d:_Domain {_id: $d}) SET d._seq = $s WITH d MATCH (e:_Event {_domain: $d, _seq: $s + 1}) DELETE e"

    async def put_back_and_write() -> None:
        await anyio.sleep(0.1)
        driver.execute_query(back, d=domain, s=last - 1)
        await anyio.sleep(0.2)
        await work.in_domain(domain).create_node("Project", "# Anew")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(put_back_and_write)
        assert [entry.summary for entry in await take(changes, 1)] == ['Project "Anew" created']


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"domain": "nowhere"}, Code.ONTOLOGY_NOT_FOUND),
        ({"operations": ["erase"]}, Code.INVALID_ARGUMENT),
        ({"since": "evt_none"}, Code.EVENT_NOT_FOUND),
    ],
)
async def test_what_cannot_be_followed_is_refused(work: Memory, wanted: dict[str, Any], code: Code) -> None:
    with pytest.raises(GraphError) as caught:
        await anext(work.history.follow(**wanted))
    assert caught.value.code is code


def test_a_plain_loop_follows_too(settings: Settings, domain: str) -> None:
    with open_memory_sync(settings) as opened:
        memory = opened.in_domain(domain)
        memory.create_ontology(ONTOLOGY)
        seen = [entry.seq for entry in islice(memory.history.follow(since=1), 4)]
        assert seen == [1, 2, 3, 4]
        assert memory.upkeep.verify().clean

"""A clock that was wrong: what a log holds stays in its order, is found by time, and later times are right again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from profiles import some
from support import last

pytestmark = pytest.mark.anyio

ONTOLOGY = ontology_from({"node_types": ["Note"]})
YEARS = timedelta(days=3650)
DAY = timedelta(days=1)


class Wall:
    """A clock that is set as a test wants it, in days from now."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)
        self.shown = self.now
        self.skew = timedelta()
        """How much another process is ahead of it."""

    def __call__(self) -> datetime:
        return self.shown + self.skew

    def set(self, days: float) -> None:
        self.shown = self.now + timedelta(days=days)


@pytest.fixture
def wall(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wall]:
    """The clock of everything that writes into a domain or asks it for a time."""
    wall = Wall()
    monkeypatch.setattr(memory._core.log, "clock", wall)
    for module in (
        "domains.lineage",
        "branches.branch",
        "domains.tree",
        "retention.erasure",
        "transfer.archive.export",
        "retention.archive_file",
    ):
        monkeypatch.setattr(f"graph_memory.memory.{module}.utc_now", wall)
    return wall


async def note(memory: Memory, name: str) -> None:
    await memory.create_node("Note", name, id=name)


async def notes_at(memory: Memory, at: int | str) -> set[str]:
    return set((await (await memory.history.as_of(at)).query_nodes()).node_ids)


async def logged_subjects(memory: Memory, **arguments: Any) -> list[str]:
    return [entry.subject for entry in (await memory.history.log(limit=100, **arguments)).entries]


async def write_across_jump(memory: Memory, wall: Wall) -> dict[str, int]:
    """Three notes a week ago, three while the clock was ten years ahead, three now; the number after each."""
    wall.set(-7)
    await memory.create_ontology(ONTOLOGY)
    numbers: dict[str, int] = {}
    for name, days in (("before", -7.0), ("ahead", 3650.0), ("after", -0.01)):
        for n in range(3):
            wall.set(days + n / 1000)
            await note(memory, f"{name}{n}")
            numbers[f"{name}{n}"] = await last(memory)
    wall.set(0)
    return numbers


@pytest.mark.long
async def test_what_was_written_while_the_clock_was_ahead_is_there_now_and_new_times_are_right(
    memory: Memory, wall: Wall
) -> None:
    numbers = await write_across_jump(memory, wall)
    assert await notes_at(memory, "now") == set(numbers)
    assert await logged_subjects(memory, since="1 day ago") == [*reversed(list(numbers))][:6]
    assert await notes_at(memory, "1 day ago") == {"before0", "before1", "before2"}
    assert await notes_at(memory, (wall.now + 2 * YEARS).isoformat()) == set(numbers)
    entries = (await memory.history.log(limit=3)).entries
    assert all(timedelta() <= wall.now - entry.at < DAY for entry in entries)
    assert (await memory.get_node("after2")).modified <= wall.now
    assert (await memory.upkeep.verify()).differences == ()


@pytest.mark.long
async def test_nothing_is_hidden_before_the_next_write_sets_the_times_right(memory: Memory, wall: Wall) -> None:
    await memory.create_ontology(ONTOLOGY)
    wall.set(3650)
    await note(memory, "ahead")
    wall.set(0)
    assert await notes_at(memory, "now") == {"ahead"}
    assert (await memory.history.diff(since="1 hour ago")).added
    await memory.history.branch(f"{(await memory.domain_info()).name}-b", at="now")


@pytest.mark.long
async def test_diffs_reverts_branches_and_compactions_by_time_follow_the_order_of_the_log(
    memory: Memory, wall: Wall, domain: str, tmp_path: Path
) -> None:
    numbers = await write_across_jump(memory, wall)
    diff = await memory.history.diff(since="1 day ago")
    assert {entry.subject for entry in diff.entries} == {
        number for number in numbers if not number.startswith("before")
    }
    made = await memory.history.branch(f"{domain}-b", at="1 day ago")
    assert made.forked_at == numbers["before2"]
    branch = memory.in_domain(f"{domain}-b")
    await note(branch, "in-branch")
    assert await notes_at(branch, "now") == {"before0", "before1", "before2", "in-branch"}
    assert await notes_at(branch, "6 days ago") == {"before0", "before1", "before2"}
    await memory.history.merge(f"{domain}-b")
    assert "in-branch" in await notes_at(memory, "now")
    sessions = (await memory.history.sessions()).sessions
    assert sum(session.changes for session in sessions) == await last(memory)
    undone = await memory.history.revert(since="1 hour ago", dry_run=True)
    assert {change.subject for change in undone.changes} >= {"after0", "after1", "after2"}
    compacted = await memory.history.compact("1 day ago", archive=tmp_path / "archive.jsonl.gz")
    assert compacted.compacted_to == numbers["before2"]
    assert await notes_at(memory, "1 day ago") == {"before0", "before1", "before2"}
    for domain_memory in (memory, branch):
        assert (await domain_memory.upkeep.verify()).differences == ()


@pytest.mark.long
async def test_an_import_keeps_the_order_of_a_log_whose_times_turn_back(
    memory: Memory, wall: Wall, domain: str, tmp_path: Path
) -> None:
    numbers = await write_across_jump(memory, wall)
    await memory.transfer.export_file(tmp_path / "log.jsonl")
    await memory.transfer.import_file(tmp_path / "log.jsonl", name=f"{domain}-copy")
    copy = memory.in_domain(f"{domain}-copy")
    assert await notes_at(copy, "1 day ago") == {"before0", "before1", "before2"}
    assert await notes_at(copy, "now") == set(numbers)
    assert (await copy.upkeep.verify()).differences == ()


@pytest.mark.long
async def test_an_import_takes_a_compacted_log_whose_events_were_no_neighbours(
    memory: Memory, wall: Wall, domain: str, tmp_path: Path
) -> None:
    wall.set(-1)
    await memory.create_ontology(ONTOLOGY)
    for name, days in (("ahead", 3.0), ("right", 0.0), ("late", 2.5)):
        wall.set(days)
        await note(memory, name)
    await memory.update_node("right", properties={"done": True})
    await note(memory, "last")
    await memory.history.compact(await last(memory) - 1, archive=tmp_path / "archive.jsonl.gz")
    await memory.transfer.export_file(tmp_path / "log.jsonl")
    await memory.transfer.import_file(tmp_path / "log.jsonl", name=f"{domain}-copy")
    copy = memory.in_domain(f"{domain}-copy")
    assert await notes_at(copy, "now") == {"ahead", "right", "late", "last"}
    assert (await copy.upkeep.verify()).differences == ()


async def test_a_merge_begins_with_what_was_merged_last_whatever_the_clocks_said(
    memory: Memory, wall: Wall, domain: str
) -> None:
    await memory.create_ontology(ONTOLOGY)
    wall.set(3650)
    await memory.create_node("Note", "text", properties={"status": "new"}, id="one")
    await memory.history.branch(f"{domain}-b")
    wall.set(0)
    branch = memory.in_domain(f"{domain}-b")
    await branch.update_node("one", properties={"status": "begun"})
    assert (await memory.history.merge(f"{domain}-b")).updated == 1
    await memory.update_node("one", properties={"status": "done"})
    await branch.update_node("one", properties={"more": 1})
    merged = await memory.history.merge(f"{domain}-b")
    assert merged.conflicts == ()
    assert (await memory.get_node("one")).properties == {"status": "done", "more": 1}


async def test_a_clock_that_lost_the_time_is_not_believed(memory: Memory, wall: Wall) -> None:
    await memory.create_ontology(ONTOLOGY)
    wall.shown = datetime(1970, 1, 1, tzinfo=UTC)
    await note(memory, "early")
    wall.set(0)
    assert (await memory.history.log(limit=1)).entries[0].at >= wall.now
    assert "early" not in await notes_at(memory, "1 minute ago")


async def test_where_times_turn_back_is_looked_at_by_verify_and_mended_by_rebuild(
    memory: Memory, wall: Wall, domain: str, driver: Driver
) -> None:
    numbers = await write_across_jump(memory, wall)
    driver.execute_query("MATCH (d:_Domain {_id: $domain}) REMOVE d._turns", domain=domain)
    [named] = (await memory.upkeep.verify()).differences
    assert (named.problem, named.expected) == ("list of times that go back differs", f"[{numbers['after0']}]")
    assert (await memory.upkeep.rebuild()).unmended == ()
    assert await notes_at(memory, "1 day ago") == {"before0", "before1", "before2"}


@pytest.mark.parametrize("seed", some(range(3)))
async def test_a_time_stands_for_the_last_change_that_has_one_until_then(memory: Memory, wall: Wall, seed: int) -> None:
    """With clocks that jump to and fro at random, and several processes that disagree about the time."""
    rng = random.Random(seed)
    wall.set(-100)
    await memory.create_ontology(ONTOLOGY)
    for n in range(30):
        if rng.random() < 0.5:
            wall.set(rng.choice([-90 + n, -90 + n, 3650 + rng.random(), -90 + n + rng.random()]))
        wall.skew = rng.choice([timedelta(), 2 * DAY]) if seed else timedelta()
        await note(memory, f"n{n:02}")
        wall.skew = timedelta()
    wall.set(0)
    entries = [*reversed((await memory.history.log(limit=200)).entries)]
    times = [entry.at for entry in entries]
    assert any(earlier > two for earlier, two in pairwise(times)), "no clock was ever set back"
    for at in [*rng.sample(times, 12), *(wall.now - DAY * rng.uniform(0, 110) for _ in range(12))]:
        if at >= wall.now:
            expected = entries[-1].seq
        else:
            expected = max((entry.seq for entry in entries if entry.at <= at), default=0)
        assert (await memory.history.as_of(at.isoformat())).seq == expected
    assert (await memory.upkeep.verify()).differences == ()

"""Whatever an agent does in whatever order: the graph agrees with the log, and each earlier state reads as it was."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from graph_memory import GraphError, Memory
from support import agrees

pytestmark = [pytest.mark.anyio, pytest.mark.long]
STEPS = 40
State = dict[str, object]


class Doing:
    """Random operations of an agent, on what it has made so far."""

    def __init__(self, memory: Memory, seed: int, folder: Path) -> None:
        self.memory, self.agent = memory, memory.agent
        self.random = random.Random(seed)
        self.folder = folder
        self.made: dict[str, list[str]] = {"event": [], "goal": [], "pattern": []}
        self.archives: list[Path] = []

    def any_id(self, kind: str) -> str:
        """Return an id of a kind, sometimes an unknown one."""
        return self.random.choice([*self.made[kind], "mem_unknown"])

    async def event(self) -> None:
        day, causes = self.random.randint(1, 28), [self.any_id("event")] if self.random.random() < 0.4 else []
        result = await self.agent.episodic.record(
            "note",
            f"flaky test on day {day}",
            session=f"day {day}",
            timestamp=f"2026-01-{day:02}T09:00:00Z",
            caused_by=causes,
            entities=[{"name": f"file{day % 5}", "observations": [f"seen on day {day}"]}],
        )
        self.made["event"].append(result.event_id)

    async def goal(self) -> None:
        blockers = [self.any_id("goal")] if self.random.random() < 0.4 else []
        result = await self.agent.prospective.create(
            f"goal {self.random.random()}", steps=["a", "b"], blocked_by=blockers
        )
        self.made["goal"].append(result.goal.id)

    async def pattern(self) -> None:
        learned = [self.any_id("event")] if self.random.random() < 0.4 else []
        pattern = await self.agent.procedural.record("Freeze", conditions=[{"value": "flaky"}], learned_from=learned)
        self.made["pattern"].append(pattern.id)

    async def step(self) -> None:
        await self.agent.prospective.complete_step(self.any_id("goal"))

    async def block(self) -> None:
        await self.agent.prospective.block(self.any_id("goal"), by=self.any_id("goal"))

    async def abandon(self) -> None:
        await self.agent.prospective.abandon(self.any_id("goal"))

    async def apply(self) -> None:
        await self.agent.procedural.apply_result(self.any_id("pattern"), self.random.random() < 0.3)

    async def delete(self) -> None:
        await self.memory.delete_node(self.any_id(self.random.choice(["event", "goal", "pattern"])))

    async def prune(self) -> None:
        archive = self.folder / f"{len(self.archives)}.jsonl.gz"
        await self.agent.prune(dry_run=False, limits={"events": 2, "patterns": 0, "entities": 2}, archive=archive)
        self.archives += [archive] if archive.exists() else []

    async def restore(self) -> None:
        await self.agent.restore(self.random.choice([*self.archives, self.folder / "missing"]))

    async def undo(self) -> None:
        [last] = (await self.memory.history.log(limit=1)).entries
        await self.memory.history.revert(since=last.seq, until=last.seq)

    def next(self) -> Callable[[], Awaitable[None]]:
        makes = [self.event] * 4 + [self.goal] * 2 + [self.pattern] * 2
        changes = [self.step, self.block, self.abandon, self.apply, self.delete, self.prune, self.restore, self.undo]
        return self.random.choice([*makes, *changes])


async def state_of(memory: Memory) -> State:
    nodes = await memory.describe_nodes((await memory.query_nodes()).node_ids)
    return {node.id: (node.type, node.title, node.properties) for node in nodes}


@pytest.mark.parametrize("seed", range(3))
async def test_every_state_of_an_agent_is_kept(memory: Memory, tmp_path: Path, seed: int) -> None:
    doing, states = Doing(memory, seed, tmp_path), dict[int, State]()
    await doing.agent.episodic.record("start", timestamp="2026-01-01T09:00:00Z")
    accepted = 0
    for _ in range(STEPS):
        before = await state_of(memory)
        seq = (await memory.history.log(limit=1)).entries[0].seq
        try:
            await doing.next()()
            accepted += 1
        except GraphError:
            assert (await state_of(memory), (await memory.history.log(limit=1)).entries[0].seq) == (before, seq)
        states[(await memory.history.log(limit=1)).entries[0].seq] = await state_of(memory)
    assert accepted > STEPS // 3
    await agrees(memory)
    for seq, state in states.items():
        past = await memory.history.as_of(seq)
        nodes = [await past.get_node(node) for node in (await past.query_nodes()).node_ids]
        assert {node.id: (node.type, node.title, node.properties) for node in nodes} == state

"""What several test files need beyond the fixtures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from anyio.from_thread import BlockingPortal
from neo4j import Driver

from graph_memory import Memory
from graph_memory.model.events import Draft, Head, Op, Origin
from graph_memory.model.kinds import Kind
from graph_memory.model.subjects import State


class Conversation(NamedTuple):
    """An open memory, and the event loop on which it is asked."""

    portal: BlockingPortal
    memory: Memory


async def index(memory: Memory) -> None:
    """Have all texts of the memory's domain indexed for search, which is otherwise done behind the searches."""
    await memory._search.index(memory._domain(None))


async def last(memory: Memory) -> int:
    """Return the number at which the log of the memory's domain ends."""
    return (await memory.history.log(limit=1)).entries[0].seq


async def agrees(memory: Memory) -> None:
    """Assert that graph and log of the memory's domain agree, and that there is nothing to rebuild."""
    assert (await memory.upkeep.verify()).differences == ()
    assert (await memory.upkeep.rebuild()).differences == ()


def hits_of(driver: Driver, text: LiteralString, **given: object) -> int:
    """Return how often a statement looked into the store: the same in each run, on any machine."""
    profile = driver.execute_query(f"PROFILE {text}", given).summary.profile
    assert profile is not None
    return _hits(profile)


def _hits(part: dict[str, Any]) -> int:
    return part.get("dbHits", 0) + sum(_hits(child) for child in part.get("children", ()))


def observation(text: str, time: datetime) -> State:
    """Return what an event keeps of an observation."""
    return {"_text": text, "_time": time, "_origin": "chat", "_confidence": 0.5}


async def observe(memory: Memory, domain: str, node_id: str) -> str:
    """Write an observation through the log; the tools for it come later."""
    log = memory._core.log
    subject = f"obs_{node_id.removeprefix('mem_')}"

    async def nothing(*_: object) -> None:
        return None

    def decide(head: Head, _: None) -> Sequence[Draft]:
        state = observation("likes tea", head.at)
        return [Draft(op=Op.CREATE, kind=Kind.OBSERVATION, subject=subject, from_id=node_id, state=state)]

    await log.write("observe", domain, Origin(session="s1", source="agent", actor="test"), nothing, decide)
    return subject

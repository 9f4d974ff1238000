"""Questions about what changed: whether the statement that holds comes before the one that is out of date."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.graph import fresh, say
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.memory.entities.remember_results import Remembered

CHANGED = Path(__file__).parents[1] / "tests" / "data" / "changed.jsonl"


@dataclass(frozen=True, slots=True)
class Change:
    """What was known of a thing, what is said later, and a question about it."""

    entity: str
    known: str
    new: str
    question: str


async def _named(memory: Memory, one: Change) -> object:
    return await memory.entities.remember(name=one.entity, observations=[one.new], replaces=one.known)


async def _answered(memory: Memory, one: Change) -> object:
    """Write it, and close the known statement if it is asked about, as an agent that knows better does."""
    told = await memory.entities.remember(name=one.entity, observations=[one.new])
    return await _closed(memory, one, told)


async def _closed(memory: Memory, one: Change, told: Remembered) -> object:
    for question in told.questions or ():
        answer = "close" if question.known_text == one.known else "keep"
        await memory.entities.answer(question.id, answer)
    return told


async def _ignored(memory: Memory, one: Change) -> object:
    return await memory.entities.remember(name=one.entity, observations=[one.new])


WAYS: Mapping[str, Callable[[Memory, Change], Awaitable[object]]] = {
    "the change is said with `replaces`": _named,
    "questions of `remember` are answered": _answered,
    "questions are ignored": _ignored,
}


async def changed(place: Place, path: Path = CHANGED) -> str:
    """Return how often the statement that holds comes first, by how its change was said."""
    changes = read_changes(path)
    lines = ["| | current first | only the outdated | neither told |", "|---|--:|--:|--:|"]
    for way, write in WAYS.items():
        say(f"changed: {way}")
        lines.append(f"| {way} | {await _row(place.memory.in_domain(fresh('bench-changed-')), changes, write)} |")
    return f"## {len(changes)} questions about what changed\n\n" + "\n".join(lines) + "\n"


def read_changes(path: Path) -> list[Change]:
    """Return the changes of a file of JSON lines."""
    return [Change(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


async def _row(memory: Memory, changes: Sequence[Change], write: Callable[[Memory, Change], Awaitable[object]]) -> str:
    for one in changes:
        await memory.entities.remember(name=one.entity, observations=[one.known])
    for one in changes:
        await write(memory, one)
    await memory.upkeep.reindex(anew=False)
    first = stale = neither = 0
    for one in changes:
        told = str((await memory.recall.recall(one.question)).content)
        new, known = told.find(one.new), told.find(one.known)
        first += new >= 0 and (known < 0 or new < known)
        stale += new < 0 <= known
        neither += new < 0 and known < 0
    return f"{first} | {stale} | {neither}"

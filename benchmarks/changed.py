"""Questions about changed facts: whether the current statement comes before the outdated statement."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.graph import fresh, say
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.memory.entities.remember_results import RememberResult

CHANGED = Path(__file__).parents[1] / "tests" / "data" / "changed.jsonl"


@dataclass(frozen=True, slots=True)
class Change:
    """A known statement about an entity, a later statement, and a question about it."""

    entity: str
    known: str
    new: str
    question: str


async def _replace_by_name(memory: Memory, change: Change) -> object:
    return await memory.entities.remember(name=change.entity, observations=[change.new], replaces=change.known)


async def _answer_questions(memory: Memory, change: Change) -> object:
    """Write the new statement, and close the known statement if `remember` asks about it."""
    receipt = await memory.entities.remember(name=change.entity, observations=[change.new])
    return await _close_known(memory, change, receipt)


async def _close_known(memory: Memory, change: Change, receipt: RememberResult) -> object:
    for question in receipt.questions or ():
        answer = "close" if question.known_text == change.known else "keep"
        await memory.entities.answer(question.id, answer)
    return receipt


async def _ignore_questions(memory: Memory, change: Change) -> object:
    return await memory.entities.remember(name=change.entity, observations=[change.new])


WAYS: Mapping[str, Callable[[Memory, Change], Awaitable[object]]] = {
    "the change is said with `replaces`": _replace_by_name,
    "questions of `remember` are answered": _answer_questions,
    "questions are ignored": _ignore_questions,
}


async def rank_changed_facts(place: Place, path: Path = CHANGED) -> str:
    """Return a table of how often the current statement comes first, by the wording of the change."""
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
    for change in changes:
        await memory.entities.remember(name=change.entity, observations=[change.known])
    for change in changes:
        await write(memory, change)
    await memory.upkeep.reindex(anew=False)
    first = stale = neither = 0
    for change in changes:
        text = str((await memory.recall.recall(change.question)).content)
        new, known = text.find(change.new), text.find(change.known)
        first += new >= 0 and (known < 0 or new < known)
        stale += new < 0 <= known
        neither += new < 0 and known < 0
    return f"{first} | {stale} | {neither}"

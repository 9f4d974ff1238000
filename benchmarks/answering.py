"""An agent that answers each question of `remember` by the labels of people: its closed facts, kept facts and costs.

The part fails if it closes a current statement, or keeps an outdated statement that `remember` asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.graph import fresh, say
from benchmarks.remembering import PAIRS, Pair, read_pairs
from benchmarks.sizes import Place
from graph_memory import Memory

Answer = Literal["close", "keep", "same"]
ANSWERS: Mapping[str, Answer] = {"contradicted": "close", "same": "same", "refined": "keep", "unrelated": "keep"}
"""Answers of the agent, by the label of the new statement beside the known statement."""


@dataclass(slots=True)
class Loop:
    """The outcome of all pairs."""

    writes: int = 0
    questions: Counter[str] = field(default_factory=Counter[str])
    """Questions, by the label of their pair."""
    ended: Counter[str] = field(default_factory=Counter[str])
    """Known statements that are not shown any more, by the label of their pair."""
    without_time: int = 0
    """Known statements that were closed, and of which no time is told."""


async def answering(place: Place, path: Path = PAIRS) -> str:
    """Return a table of what answering by the labels comes to. Raises AssertionError where truth was lost."""
    pairs = read_pairs(path)
    memory = place.memory.in_domain(fresh("bench-answering-"))
    loop = Loop()
    for number, pair in enumerate(pairs):
        if number % 40 == 0:
            say(f"answering: {number} of {len(pairs)}")
        await _remember_both(memory, pair, loop)
    for pair in pairs:
        [entity] = (await memory.entities.open_nodes([pair.entity])).entities
        loop.ended[pair.label] += pair.known not in entity.observations
    differences = (await memory.upkeep.verify()).differences
    _check(loop, differences)
    return _report(pairs, loop)


async def _remember_both(memory: Memory, pair: Pair, loop: Loop) -> None:
    """Write both statements, and answer the questions about them."""
    for text in (pair.known, pair.new):
        receipt = await memory.entities.remember(name=pair.entity, observations=[text])
        loop.writes += 1
    for question in receipt.questions or ():
        loop.questions[pair.label] += 1
        answer = ANSWERS[pair.label]
        settled = await memory.entities.answer(question.id, answer)
        loop.without_time += answer == "close" and settled.ended is None


def _check(loop: Loop, differences: Sequence[object]) -> None:
    wrong = {label: number for label, number in loop.ended.items() if number and label != "contradicted"}
    if wrong:
        raise AssertionError(f"Statements that hold were closed: {wrong}")
    if loop.ended["contradicted"] != loop.questions["contradicted"] or loop.without_time:
        raise AssertionError(f"Of what was asked about, not all was closed with its time: {loop}")
    if differences:
        raise AssertionError(f"verify found {differences}")


def _report(pairs: Sequence[Pair], loop: Loop) -> str:
    labels = Counter(pair.label for pair in pairs)
    lines = ["| the new statement | pairs | asked about | closed |", "|---|--:|--:|--:|"]
    lines += [f"| {label} | {labels[label]} | {loop.questions[label]} | {loop.ended[label]} |" for label in ANSWERS]
    count = sum(loop.questions.values())
    text = f"{count} questions in {loop.writes} writes, {100 * count / loop.writes:.0f} of 100."
    return "## Remember: each question answered by the label\n\n" + "\n".join(lines) + f"\n\n{text}\n"

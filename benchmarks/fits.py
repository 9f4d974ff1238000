"""Whether recall says that nothing stored fits a question: each question asked of its own memory and of another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.changed import CHANGED, Change, read_changes
from benchmarks.graph import fresh, say
from benchmarks.report import table
from benchmarks.retrieval_data import stores
from benchmarks.searching import fill
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.memory.recall.questions.relevance import NOTHING_FITS

CONVERSATIONS = 3
QUESTION_STEP = 4
"""Of the questions of a conversation, every fourth one is asked."""


@dataclass(frozen=True, slots=True)
class AnswerableMemory:
    """A memory, and the questions that it can answer."""

    memory: Memory
    questions: Sequence[str]


async def fits(place: Place) -> str:
    """Return a table of how often recall says that nothing fits, by whether the memory has the answer."""
    rows = [await _row("conversations of LoCoMo", await _conversations(place))]
    rows.append(await _row("entities with a few facts", await _entities(place)))
    heading = ("memories", "questions", "wrongly without a fit", "found to be unrelated")
    return f"## Questions that nothing stored fits\n\n{table(heading, rows)}\n"


async def _conversations(place: Place) -> list[AnswerableMemory]:
    results: list[AnswerableMemory] = []
    for store in stores()[:CONVERSATIONS]:
        say(f"filling {store.name}")
        memory = place.memory.in_domain(fresh(f"bench-{store.name}-"))
        await fill(memory, store)
        known = [question.text for question in store.questions if question.evidence]
        results.append(AnswerableMemory(memory, known[::QUESTION_STEP]))
    return results


async def _entities(place: Place) -> list[AnswerableMemory]:
    """Return two memories, each with every other entity of the questions about changes."""
    changes = read_changes(CHANGED)
    names = sorted({change.entity for change in changes})
    return [
        await _entity_memory(place, [change for change in changes if change.entity in names[half::2]])
        for half in (0, 1)
    ]


async def _entity_memory(place: Place, changes: Sequence[Change]) -> AnswerableMemory:
    memory = place.memory.in_domain(fresh("bench-fits-"))
    for change in changes:
        await memory.entities.remember(name=change.entity, observations=[change.known])
    await memory.upkeep.reindex(anew=False)
    return AnswerableMemory(memory, [change.question for change in changes])


async def _row(name: str, memories: Sequence[AnswerableMemory]) -> tuple[str, int, str, str]:
    say(f"asking about {name}")
    own = other = 0
    for place, memory in enumerate(memories):
        unrelated = memories[(place + 1) % len(memories)]
        own += sum([await _is_without_fit(memory.memory, question) for question in memory.questions])
        other += sum([await _is_without_fit(unrelated.memory, question) for question in memory.questions])
    count = sum(len(memory.questions) for memory in memories)
    return name, count, f"{own / count:.1%}", f"{other / count:.1%}"


async def _is_without_fit(memory: Memory, question: str) -> bool:
    return str((await memory.recall.recall(question)).content).startswith(NOTHING_FITS)

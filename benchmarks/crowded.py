"""`remember` on an entity of which thousands of observations are known."""

from __future__ import annotations

import random
from statistics import median
from time import perf_counter

from benchmarks.graph import fresh, say
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.memory.entities.indexing import index_texts

KNOWN = (100, 1_000, 10_000, 50_000)
"""Observations of the entity."""
_AT_ONCE = 1_000
_CALLS = 20
_SUBJECTS = (
    "invoice printer backup garden meeting router parcel recipe lease ticket server window contract train".split()
)
_VERBS = "checked moved repaired ordered closed opened painted measured counted cleaned".split()
_PLACES = "Leeds York Hull Oslo Turin Bonn Ghent Kiel Lyon Riga".split()


async def time_known_statements(place: Place) -> str:
    """Return a table of how long a call takes with one new statement, by how much is known."""
    lines = [
        "## Remember: an entity with many observations\n",
        "| known | first call | median | slowest |",
        "|--:|--:|--:|--:|",
    ]
    for count in KNOWN:
        say(f"{count:,} observations of one entity")
        memory = place.memory.in_domain(fresh("bench-crowded-"))
        await fill(memory, count)
        first = await _time_call(memory, 0)
        await _index_texts(memory)
        took = [await _time_call(memory, number) for number in range(1, _CALLS)]
        cells = (f"{1_000 * value:.0f} ms" for value in (first, median(took), max(took)))
        lines.append(f"| {count:,} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


async def fill(memory: Memory, count: int) -> None:
    """Make the entity with so many observations."""
    chance = random.Random(count)
    texts = [statement(chance, number) for number in range(count)]
    await memory.entities.create_entities([{"name": "Diary"}])
    for start in range(0, count, _AT_ONCE):
        additions = [{"entityName": "Diary", "contents": texts[start : start + _AT_ONCE]}]
        await memory.entities.add_observations(additions)


def statement(chance: random.Random, number: int) -> str:
    """Return a statement like many others, with a number that only it has."""
    subject, verb, place = chance.choice(_SUBJECTS), chance.choice(_VERBS), chance.choice(_PLACES)
    return f"the {subject} in {place} was {verb} on day {number} by the person with the {chance.choice(_SUBJECTS)}"


async def _index_texts(memory: Memory) -> None:
    """Have the texts indexed, which is otherwise done behind the calls."""
    await index_texts(memory._core, memory._default_domain)


async def _time_call(memory: Memory, number: int) -> float:
    began = perf_counter()
    subject, where, verb = (words[number % len(words)] for words in (_SUBJECTS, _PLACES, _VERBS))
    text = f"the {subject} in {where} is no longer {verb}, says visitor {number}"
    await memory.entities.remember(name="Diary", observations=[text])
    return perf_counter() - began

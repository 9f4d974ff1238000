"""Searches beside other work: writes beside the follower of the log, and small domains beside a large one."""

from __future__ import annotations

import time
from collections.abc import Sequence

import anyio

from benchmarks.graph import fresh, say
from benchmarks.measure import Timings
from benchmarks.report import table
from graph_memory import Memory, ontology_from
from graph_memory.memory.background import task_group
from graph_memory.memory.search.index.following import follow_logs

WRITES = 100
"""Writes of one turn: some seconds, in which the follower looks several times."""
ROUNDS = 6
DOMAINS = 50
NODES = 20
"""Nodes of each small domain."""
MODES = ("lexical", "semantic", "hybrid")


async def writes_beside(memory: Memory, texts: Sequence[str]) -> str:
    """Return the times of writes with the follower of the log and without, in turns, on the same domain.

    The follower also has what was written while it did not run. Some writes follow each other without a pause, some
    with 50 ms between them, as a busy agent's do.
    """
    own = memory.in_domain(fresh("bench-followed-"))
    await own.create_ontology(ontology_from({"node_types": ["Entry"]}))
    rows: list[Sequence[str]] = []
    for name, pause in (("at once", 0.0), ("with pauses", 0.05)):
        say(f"writes beside the follower, {name}")
        alone, beside = Timings(), Timings()
        await _write(own, Timings(), texts, 0, pause)
        for turn in range(ROUNDS):
            await _write(own, alone, texts, 2 * turn + 1, pause)
            async with task_group() as tasks:
                tasks.start_soon(follow_logs, own._core)
                await _write(own, beside, texts, 2 * turn + 2, pause)
                tasks.cancel_scope.cancel()
        for side, timings in (("without", alone), ("with the follower", beside)):
            rows.append(
                (f"{name}, {side}", f"{timings.p50:.1f}", f"{timings.p95:.1f}", f"{timings.p50 / alone.p50:.2f}")
            )
    return table(("writes of a node, ms", "p50", "p95", "ratio of p50"), rows)


async def _write(memory: Memory, timings: Timings, texts: Sequence[str], turn: int, pause: float) -> None:
    async def create(place: int) -> object:
        return await memory.create_node("Entry", f"{texts[place % len(texts)]} {place}", format="text")

    for number in range(WRITES):
        await timings.take(create, turn * WRITES + number)
        await anyio.sleep(pause)


async def check_isolation(memory: Memory, texts: Sequence[str]) -> str:
    """Return whether each of many small domains is searched as if it were alone: it fills its own page with its own."""
    say(f"{DOMAINS} small domains")
    rows: list[Sequence[str]] = []
    smalls = [await _small(memory, texts, number) for number in range(DOMAINS)]
    for mode in MODES:
        for name, of_it in (("now", NODES), ("as of halfway", NODES // 2)):
            timings, filled, foreign = Timings(), 0, 0
            for number, (own, halfway) in enumerate(smalls):
                as_of = None if of_it == NODES else halfway
                began = time.perf_counter()
                result = await own.recall.search_memories("apple", search_mode=mode, max_results=NODES, as_of=as_of)
                timings.times.append(1_000 * (time.perf_counter() - began))
                hits = {hit.id for hit in result.hits}
                filled += hits == set(_ids(number)[:of_it])
                foreign += len(hits - set(_ids(number)))
            rows.append((f"{mode}, {name}", f"{filled} of {DOMAINS}", str(foreign), f"{timings.p50:.0f}"))
    return table((f"{DOMAINS} domains of {NODES} nodes", "complete", "hits of others", "p50, ms"), rows)


async def _small(memory: Memory, texts: Sequence[str], number: int) -> tuple[Memory, int]:
    """Return a small domain all of whose nodes have the word `apple`, and the number of its log halfway."""
    own = memory.in_domain(fresh(f"bench-small-{number}-"))
    await own.create_ontology(ontology_from({"node_types": ["Entry"]}))
    halfway = 0
    for place, name in enumerate(_ids(number)):
        text = f"{texts[(number * NODES + place) % len(texts)]} The apple of {name}."
        await own.create_node("Entry", text, id=name, format="text")
        if place == NODES // 2 - 1:
            halfway = (await own.upkeep.reindex(anew=False)).seq
    await own.upkeep.reindex(anew=False)
    return own, halfway


def _ids(number: int) -> list[str]:
    return [f"small-{number}-{place}" for place in range(NODES)]

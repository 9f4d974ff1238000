"""Graphs of several sizes: single calls, calls at once, batches, and how the times grow."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from neo4j import AsyncDriver

from benchmarks.graph import BATCH, fill, fill_raw, fresh, index, say
from benchmarks.measure import TURN, Result, at_once, compare, in_turns
from benchmarks.operations import Sides
from benchmarks.report import batches, growth, single, together
from graph_memory import Memory

WORKERS = 8
SMALL = 1_000
"""Nodes of the graphs that serve to warm up, and of the domains of writers that have one each."""
VERIFIED = 10_000
"""The largest size that is verified: that takes longer than filling."""


@dataclass(frozen=True)
class Place:
    """Where is measured, and how many calls are counted."""

    memory: Memory
    driver: AsyncDriver
    calls: int

    async def fill_graphs(self, size: int) -> tuple[Sides, str]:
        """Return both graphs of a size, made now, and a line on how long that took."""
        domain = fresh(f"bench-{size}-")
        say(f"filling {size:,} nodes and {2 * size:,} connections")
        ours = await fill(self.memory, domain, size)
        indexing = await index(self.memory, domain)
        raw = await fill_raw(self.driver, domain, size)
        rate, floor = 3 * size / ours, 3 * size / raw
        text = (
            f"Filled through the log in {ours:.1f} s ({rate:,.0f} nodes and connections a second; raw {floor:,.0f}), "
            f"its texts indexed for search in {indexing:.1f} s.\n"
        )
        return Sides(self.memory.in_domain(domain), self.driver, domain, size), text


async def measure(place: Place, sizes: Sequence[int]) -> str:
    """Return the results at every size, one after the other, and the growth from each to the next."""
    say("warming up")
    small, _ = await place.fill_graphs(SMALL)
    for operation in small.operations():
        await compare(operation, place.calls)
    parts: list[str] = []
    graphs: list[Sides] = []
    for size in sizes:
        sides, filling = await place.fill_graphs(size)
        graphs.append(sides)
        parts += [f"## {size:,} nodes, {2 * size:,} connections\n", filling, *await _at_size(place, sides)]
    parts += ["## Growth\n", await _growth(place, graphs)]
    parts += [f"## {WORKERS} writers in {WORKERS} domains\n", await _apart(place)]
    return "\n".join(parts)


async def _at_size(place: Place, sides: Sides) -> list[str]:
    alone: list[Result] = []
    crowd: list[Result] = []
    for operation in sides.operations():
        say(operation.name)
        alone.append(await compare(operation, place.calls))
        crowd.append(await at_once([operation] * WORKERS, 2 * place.calls))
    batch = await compare(sides.batch(), calls=8, turn=2)
    return [single(alone), together(f"{WORKERS} at once", crowd), batches(batch, BATCH), await _verify(sides)]


async def _verify(sides: Sides) -> str:
    if sides.size > VERIFIED:
        return "Not verified afterwards: that takes longer than filling.\n"
    say("verifying")
    began = time.perf_counter()
    verification = await sides.memory.upkeep.verify()
    took = time.perf_counter() - began
    differences = len(verification.differences)
    return f"`verify` afterwards: {verification.events:,} events, {differences} differences, {took:.1f} s.\n"


async def _growth(place: Place, graphs: Sequence[Sides]) -> str:
    """Return the growth of times with the size. All sizes take turns, so that they meet the same machine."""
    results: dict[int, list[Result]] = {sides.size: [] for sides in graphs}
    for sides in graphs:
        await index(place.memory, sides.domain)
    for operations in zip(*(sides.operations() for sides in graphs), strict=True):
        say(f"growth of {operations[0].name}")
        calls = [call for operation in operations for call in (operation.ours, operation.floor)]
        timings = await in_turns(calls, place.calls, turn=TURN // 2, writes=operations[0].writes)
        for step, sides in enumerate(graphs):
            results[sides.size].append(Result(operations[0].name, timings[2 * step], timings[2 * step + 1]))
    return growth(results)


async def _apart(place: Place) -> str:
    """Return the rates of writers with a domain each, whose writes need not take turns."""
    graphs = [(await place.fill_graphs(SMALL))[0] for _ in range(WORKERS)]
    writes = [
        operations for operations in zip(*(sides.operations() for sides in graphs), strict=True) if operations[0].writes
    ]
    return together("a domain each", [await at_once(operations, 2 * place.calls) for operations in writes])

"""`make bench`: measure, and print a report. `BENCH=full` takes more sizes and more calls."""

from __future__ import annotations

import argparse
import platform
import secrets
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import anyio
import psutil
from neo4j import AsyncGraphDatabase

from benchmarks.graph import BATCH, fill, fill_raw, index
from benchmarks.measure import Result, compare, rate
from benchmarks.operations import Sides
from benchmarks.report import batches, single, spread
from benchmarks.transports import transports
from graph_memory import Settings, local, open_memory

WRITERS = 8


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000], help="nodes of the graphs")
    parser.add_argument("--calls", type=int, default=200, help="calls of each operation that are counted")
    parser.add_argument("--output", type=Path, help="a file for the report; without it, it is printed")
    given = parser.parse_args()
    report = anyio.run(measured, given.sizes, given.calls)
    if given.output:
        given.output.write_text(report)
    sys.stdout.write(report)


async def measured(sizes: Sequence[int], calls: int) -> str:
    """Return the report."""
    settings = Settings()
    server = local.ensure_running(settings)
    parts = [_heading(settings, calls)]
    auth = (server.username, server.password)
    results: dict[int, list[Result]] = {}
    async with open_memory(settings) as memory, AsyncGraphDatabase.driver(server.uri, auth=auth) as driver:
        for size in sizes:
            domain = f"bench-{size}-{secrets.token_hex(3)}"
            _say(f"filling {size:,} nodes")
            await fill(memory, domain, size)
            began = time.perf_counter()
            await index(memory, domain)
            indexing = f"Indexing {size:,} texts for search took {time.perf_counter() - began:.1f} s.\n"
            await fill_raw(driver, domain, size)
            await driver.execute_query("CALL db.awaitIndexes()")
            sides = Sides(memory.in_domain(domain), driver, domain, size)
            results[size] = [await _compared(sides, place, calls) for place in range(len(sides.operations()))]
            parts += [single(size, results[size]), indexing]
            parts.append(await _together(sides, calls))
            parts.append(batches(await compare(sides.batch(), calls=8, turn=2), BATCH))
            _say("verifying")
            found = await memory.verify(domain=domain)
            parts.append(f"`verify` afterwards: {found.events:,} events, {len(found.differences)} differences.\n")
        parts.append(spread(results))
        parts.append(await transports(memory, settings, calls))
    return "\n".join(parts)


async def _compared(sides: Sides, place: int, calls: int) -> Result:
    operation = sides.operations()[place]
    _say(operation.name)
    return await compare(operation, calls)


async def _together(sides: Sides, calls: int) -> str:
    lines = [f"{WRITERS} at once, calls a second (ours / floor):"]
    for operation in sides.operations():
        if operation.name in ("get_node", "create_node", "update_node"):
            ours = await rate(operation.ours, calls * 2, WRITERS)
            floor = await rate(operation.floor, calls * 2, WRITERS)
            lines.append(f"- {operation.name}: {ours:,.0f} / {floor:,.0f} = {ours / floor:.2f}")
    return "\n".join([*lines, ""])


def _heading(settings: Settings, calls: int) -> str:
    cores, memory = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    return (
        f"# Benchmarks\n\n{date.today()}, {platform.system()} {platform.machine()}, {cores} cores, {memory:.0f} GiB, "
        f"Python {platform.python_version()}, Neo4j {settings.neo4j_version} with a heap of {settings.neo4j_heap}. "
        f"{calls} calls of each kind after a warm-up, ours and the floor in turns of 20. Times in ms. The machine is "
        "shared and noisy: take the ratios.\n"
    )


def _say(what: str) -> None:
    sys.stderr.write(f"{what}\n")


if __name__ == "__main__":
    main()

"""`make bench BENCH=guard`: fails when an operation has become much slower beside its floor. CI runs it.

Only ratios count: of medians, both sides in turns. A ratio over its bound is measured again before it counts.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
from neo4j import AsyncGraphDatabase

from benchmarks.graph import BATCH, fill, fill_raw, fresh, index, node_id, say
from benchmarks.measure import Operation, Result, compare
from benchmarks.operations import Sides
from benchmarks.report import milliseconds, table
from benchmarks.servers import local_settings, over_stdio
from benchmarks.transports import BARE_SERVER, text_of_reply
from graph_memory import Settings, local, open_memory

STDIO = "get_node over stdio"
BATCHED = f"{BATCH} nodes in one write"
BOUNDS: Mapping[str, float] = {
    "get_node": 3.0,
    "query_nodes, indexed property": 2.5,
    "get_connected_nodes": 3.0,
    "search_content, rare word": 3.5,
    "create_node": 3.5,
    "update_node": 4.0,
    "create_connection": 6.0,
    BATCHED: 12.0,
    STDIO: 2.5,
}
"""How many times as long as its floor an operation may take: about twice of what it takes."""

SIZE = 1_000
CALLS = 100
TURN = 5
BATCHES = 8
ATTEMPTS = 3


def main() -> None:
    """Measure, print the figures, and end with status 1 when an operation stays over its bound."""
    results = anyio.run(measure, local_settings())
    slow = [result for result in results if _is_slow(result)]
    sys.stdout.write(_render(results))
    if slow:
        say(f"Slower than they may be beside their floors: {', '.join(result.name for result in slow)}.")
        say("Is it the machine? Try again. Is it meant? Change BOUNDS in benchmarks/guard.py.")
    sys.exit(bool(slow))


async def measure(settings: Settings) -> Sequence[Result]:
    """Return the best of up to three results of each operation."""
    async with _operations(settings) as operations:
        return [await _best_result(operation) for operation in operations]


async def _best_result(operation: Operation) -> Result:
    results: list[Result] = []
    while not results or (_is_slow(results[-1]) and len(results) < ATTEMPTS):
        calls, turn = (BATCHES, 2) if operation.name == BATCHED else (CALLS, TURN)
        results.append(await compare(operation, calls, turn))
    return min(results, key=lambda result: result.ratio)


def _is_slow(result: Result) -> bool:
    return result.ratio > BOUNDS[result.name]


@asynccontextmanager
async def _operations(settings: Settings) -> AsyncGenerator[Sequence[Operation]]:
    """Give all operations that have a bound, on two new small graphs."""
    server = local.ensure_running(settings)
    auth = (server.username, server.password)
    domain = fresh("guard-")
    async with open_memory(settings) as memory, AsyncGraphDatabase.driver(server.uri, auth=auth) as driver:
        await fill(memory, domain, SIZE)
        await index(memory, domain)
        await fill_raw(driver, domain, SIZE)
        sides = Sides(memory.in_domain(domain), driver, domain, SIZE)
        async with _over_stdio(settings, sides) as stdio:
            yield [*sides.operations(), stdio, sides.batch()]  # the batches last: they leave texts to be indexed


@asynccontextmanager
async def _over_stdio(settings: Settings, sides: Sides) -> AsyncGenerator[Operation]:
    """Give a call over stdio, beside the same call from Python and one over stdio to a server that does nothing."""
    arguments = {"node_id": node_id(1), "domain": sides.domain}
    async with over_stdio(settings) as ours:
        reply = text_of_reply(await ours.call("get_node", **arguments))
        async with over_stdio(settings, *BARE_SERVER, reply) as bare:

            async def floor(_: int) -> object:
                await bare.call("get_node", **arguments)
                return await sides.memory.get_node(node_id(1))

            yield Operation(STDIO, ours.tool("get_node", **arguments), floor)


def _render(results: Sequence[Result]) -> str:
    heading = ("operation", "p50", "p95", "floor p50", "p95", "ratio", "bound")
    rows = [
        (
            result.name,
            *milliseconds(result.ours),
            *milliseconds(result.floor),
            f"{result.ratio:.2f}",
            f"{BOUNDS[result.name]:.1f}",
        )
        for result in results
    ]
    return table(heading, rows)


if __name__ == "__main__":
    main()

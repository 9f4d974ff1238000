"""`make bench BENCH=cold`: how long the first call takes, beside a Python process that reads one node with the driver.

Every figure is of a new process, with Neo4j running. The floor is measured in turns with each command and server. Only
ratios count; one over its bound is measured again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from operator import itemgetter
from statistics import median

import anyio
import anyio.to_thread

from benchmarks.graph import fresh, say
from benchmarks.report import table
from benchmarks.servers import COMMAND, environment_of, local_settings, over_stdio
from graph_memory import Memory, Settings, local, open_memory

RUNS = int(os.environ.get("RUNS", "10"))
SERVERS = 3
"""Server processes whose first calls are measured."""
ATTEMPTS = 3
SETTLED = 3.0
"""Seconds that an MCP client waits after connecting."""
FLOOR = (
    sys.executable,
    "-c",
    """
import os, neo4j
auth = (os.environ["BENCH_USERNAME"], os.environ["BENCH_PASSWORD"])
with neo4j.GraphDatabase.driver(os.environ["BENCH_URI"], auth=auth) as driver:
    driver.execute_query("MATCH (n:_Node) RETURN n LIMIT 1")
""",
)
COMMANDS: Mapping[str, Sequence[str]] = {
    "graph-memory --version": ("--version",),
    "graph-memory --help": ("--help",),
    "log": ("log", "--json"),
    "search": ("search", "tea", "--json"),
    "entity open": ("entity", "open", "Ann", "--json"),
}
CALLS: Mapping[str, Mapping[str, object]] = {
    "query_nodes": {"limit": 1},
    "memory_log": {"limit": 1},
    "search_memories": {"query": "tea"},
    "recall": {"query": "What does Ann drink?"},
    "create_entities": {"entities": [{"name": "Bob", "entityType": "person", "observations": ["Drinks coffee."]}]},
    "add_observations": {"observations": [{"entityName": "Ann", "contents": ["Lives in Rome."]}]},
}
READS = ("log", "search", "entity open")
SEARCHES = ("search_memories", "recall")
BOUNDS: Mapping[str, float] = {
    "graph-memory --version": 0.4,
    "graph-memory --help": 1.2,
    **dict.fromkeys(READS, 4.6),
    **{f"{name}, a server runs": 1.2 for name in READS},
    **{f"MCP, first {name}": 1.2 if name in SEARCHES else 0.3 for name in CALLS},
}
"""Maximum ratio to the floor: about twice the aim, such as 1 s for a command that reads, over a floor of 0.43 s."""
Figures = dict[str, tuple[float, float]]
"""The seconds and the ratio to the floor of each command and call."""


def main() -> None:
    """Measure, print the figures, and end with status 1 if a ratio stays over its bound."""
    figures = anyio.run(_measure, local_settings())
    slow = [name for name, (_, ratio) in figures.items() if ratio > BOUNDS[name]]
    rows = [(name, f"{value:.2f}", f"{ratio:.2f}", f"{BOUNDS[name]:.1f}") for name, (value, ratio) in figures.items()]
    heading = (f"new processes, medians of {RUNS}", "seconds", "ratio", "bound")
    sys.stdout.write(f"## First calls\n\n{table(heading, rows)}")
    if slow:
        say(f"Slower than they may be beside the floor: {', '.join(slow)}.")
    sys.exit(bool(slow))


async def _measure(settings: Settings) -> Figures:
    server = local.ensure_running(settings)
    domain = fresh("bench-cold-")
    async with open_memory(settings) as memory:
        await _fill(memory.in_domain(domain))
    os.environ["GRAPH_MEMORY_DOMAIN"] = domain  # of the commands, and of servers
    login = {"BENCH_URI": server.uri, "BENCH_USERNAME": server.username, "BENCH_PASSWORD": server.password}
    environment = {**environment_of(settings), **login}
    figures = {name: _best_figure(name, arguments, environment) for name, arguments in COMMANDS.items()}
    async with over_stdio(settings):
        await anyio.sleep(SETTLED)
        for name in READS:
            figures[f"{name}, a server runs"] = await anyio.to_thread.run_sync(
                _best_figure, f"{name}, a server runs", COMMANDS[name], environment
            )
    return figures | await _best_first_calls(settings, environment)


async def _fill(memory: Memory) -> None:
    facts = ["Drinks tea.", "Works at Acme."]
    await memory.entities.create_entities([{"name": "Ann", "entityType": "person", "observations": facts}])
    await memory.recall.search_memories("tea")


async def _best_first_calls(settings: Settings, environment: Mapping[str, str]) -> Figures:
    """Return the best of up to three figures of each first call."""
    best = await _first_calls(settings, environment)
    for _ in range(ATTEMPTS - 1):
        if all(ratio <= BOUNDS[name] for name, (_, ratio) in best.items()):
            break
        again = await _first_calls(settings, environment)
        best = {name: min(best[name], again[name], key=itemgetter(1)) for name in best}
    return best


async def _first_calls(settings: Settings, environment: Mapping[str, str]) -> Figures:
    """Return the figures of the first call of each kind in new servers, whose clients wait before they call."""
    times: dict[str, list[float]] = {}
    floors: list[float] = []
    for _ in range(SERVERS):
        say("first calls over MCP")
        floors += [await anyio.to_thread.run_sync(_seconds, FLOOR, environment) for _ in range(SERVERS)]
        async with over_stdio(settings, str(COMMAND), "mcp", "--toolsets", "all") as server:
            await server.client.list_tools()  # as every client does, and as this one would do within its first call
            await anyio.sleep(SETTLED)
            for name, arguments in CALLS.items():
                began = time.perf_counter()
                await server.call(name, **arguments)
                times.setdefault(f"MCP, first {name}", []).append(time.perf_counter() - began)
    return {name: (median(values), median(values) / median(floors)) for name, values in times.items()}


def _best_figure(name: str, arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Return the best of up to three figures of a command."""
    figures: list[tuple[float, float]] = []
    while not figures or (figures[-1][1] > BOUNDS[name] and len(figures) < ATTEMPTS):
        say(name)
        pairs = [(_seconds((str(COMMAND), *arguments), environment), _seconds(FLOOR, environment)) for _ in range(RUNS)]
        ours, floor = (median(values) for values in zip(*pairs, strict=True))
        figures.append((ours, ours / floor))
    return min(figures, key=itemgetter(1))


def _seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()

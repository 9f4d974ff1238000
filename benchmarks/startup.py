"""How long it takes to get going: the real command in a process of its own, from its start to its end."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.graph import say
from benchmarks.report import table
from benchmarks.servers import COMMAND, environment_of, over_stdio
from graph_memory import Settings, local
from graph_memory.local.aot.fast_start import fast_start

RUNS = 3
IMPORTS = 5
QUERY = (str(COMMAND), "query", "--json")
PLAIN, WITH_CACHE = "off", "use"


async def startup(settings: Settings) -> str:
    """Return tables of starts, and of what a process takes before it does anything."""
    modes = [PLAIN, *([WITH_CACHE] if _has_cache(settings) else [])]
    columns = [_starts(settings, mode) for mode in modes]
    heading = ("`graph-memory query`, median of three, seconds", *map(_mode_name, modes))
    rows = [(name, *(f"{column[name]:.1f}" for column in columns)) for name in columns[0]]
    return "\n".join(["## Start-up\n", table(heading, rows), await _processes(settings)])


def _has_cache(settings: Settings) -> bool:
    return fast_start(settings.model_copy(update={"aot": WITH_CACHE})).ready


def _mode_name(mode: str) -> str:
    return {PLAIN: "without Java's AOT cache", WITH_CACHE: "with it"}[mode]


def _starts(settings: Settings, mode: str) -> dict[str, float]:
    """Return the medians of first, later and repeated calls, each run in a home of its own."""
    say(f"starts {_mode_name(mode)}")
    runs = [_one_home(settings, mode) for _ in range(RUNS)]
    return {name: median(run[name] for run in runs) for name in runs[0]}


def _one_home(settings: Settings, mode: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        own = settings.model_copy(update={"home": Path(folder) / "home", "aot": mode})
        environment = environment_of(own, GRAPH_MEMORY_AOT=mode)
        try:
            first = _seconds(QUERY, environment)
            reuse = _median(QUERY, environment)
            local.stop(own)
            later = _seconds(QUERY, environment)
        finally:
            local.stop(own)
    return {
        "first start: jars are there, no data yet": first,
        "later start: data are there, Neo4j is stopped": later,
        "reuse: Neo4j runs": reuse,
    }


async def _processes(settings: Settings) -> str:
    say("imports")
    python = sys.executable
    commands = {
        "Python itself": (python, "-c", "pass"),
        "`import graph_memory`": (python, "-c", "import graph_memory"),
        "the command's imports": (python, "-c", "import graph_memory.cli.main"),
        "`graph-memory version`": (str(COMMAND), "version"),
        "`open_memory`'s imports": (python, "-c", "import graph_memory.app"),
    }
    environment = environment_of(settings)
    rows = [(name, f"{_median(command, environment):.2f}") for name, command in commands.items()]
    rows += await _mcp(settings)
    return table(("a process, median of five, seconds", "from start to end"), rows)


async def _mcp(settings: Settings) -> Sequence[tuple[str, str]]:
    """Return the seconds until a server process with a running Neo4j lists its tools, and until its first reply."""
    listed: list[float] = []
    answered: list[float] = []
    for _ in range(IMPORTS):
        began = time.perf_counter()
        async with over_stdio(settings) as server:
            await server.client.list_tools()
            listed.append(time.perf_counter() - began)
            await server.call("query_nodes", limit=1)
            answered.append(time.perf_counter() - began)
    return (
        ("`graph-memory mcp` until the tools are listed", f"{median(listed):.2f}"),
        ("`graph-memory mcp` until the first call is answered", f"{median(answered):.2f}"),
    )


def _median(command: Sequence[str], environment: dict[str, str]) -> float:
    return median(_seconds(command, environment) for _ in range(IMPORTS))


def _seconds(command: Sequence[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began

"""Where a server process on stdio spends its time: `python -m benchmarks.hotspots [calls]` profiles so many get_node.

Times are processor time of the thread that runs the event loop: waiting, Neo4j and worker threads are left out. The
profiler itself slows Python down, so take the shares.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

import anyio

from benchmarks.graph import ONTOLOGY, fresh, text_of
from benchmarks.servers import local_settings, over_stdio
from graph_memory import Settings, open_memory

SERVE = "--serve"
SHOWN = 40
WARM_UP = 200


async def make_calls(settings: Settings, profile: Path, calls: int) -> None:
    """Make calls to a server process that writes its profile when it ends."""
    async with open_memory(settings) as memory:
        domain = fresh("hotspots-")
        await memory.create_ontology(ONTOLOGY, domain=domain)
        node = (await memory.create_node("Thing", text_of(1), properties={"code": 1}, domain=domain)).node_id
    command = (sys.executable, "-m", "benchmarks.hotspots", SERVE, str(profile), str(calls))
    async with over_stdio(settings, *command) as server:
        for _ in range(WARM_UP + calls):
            await server.call("get_node", node_id=node, domain=domain)


def serve(profile: Path, calls: int) -> None:
    """Serve as `graph-memory mcp` does, profiled from the end of the warm-up to the last call."""
    from graph_memory.mcp_server import server
    from graph_memory.mcp_server.transport import stdio

    profiler = cProfile.Profile(time.thread_time)
    answer, made = server.ToolHandlers.call_tool, 0

    async def call_counted(calls_: server.ToolHandlers, *values: object) -> object:
        nonlocal made
        made += 1
        if made == WARM_UP:
            profiler.enable()
        result = await answer(calls_, *values)  # pyright: ignore[reportArgumentType]
        if made == WARM_UP + calls:
            profiler.disable()
            profiler.dump_stats(profile)
        return result

    with patch.object(server.ToolHandlers, "call_tool", call_counted):
        stdio.serve_stdio(local_settings(), ["graph"])


def main() -> None:
    """Profile, and print what took longest: by itself, and with what it called."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "server.prof"
        anyio.run(make_calls, local_settings(), profile, calls)
        stats = pstats.Stats(str(profile)).strip_dirs()
        stats.sort_stats("tottime").print_stats(SHOWN)
        stats.sort_stats("cumulative").print_stats(SHOWN)


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVE]:
        serve(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main()

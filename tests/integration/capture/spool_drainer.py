"""A process that stores the events of a spool until it is killed.

`python spool_drainer.py HOME SPOOL_HOME`. HOME has the Neo4j.
"""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from graph_memory import Settings, open_memory
from graph_memory.agent.capture.drain import drain
from graph_memory.hooks.spool import Spool


async def main(home: str, spool_home: str) -> None:
    spool = Spool.of(Path(spool_home))
    async with open_memory(Settings(home=Path(home))) as memory:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            await drain(memory, spool)
            await anyio.sleep(0.01)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])

"""A process that does one long operation, and kills itself or Neo4j with SIGKILL somewhere in it.

`python long_worker.py HOME WORK VICTIM STEP DELAY`. WORK is a `Work` as JSON. After so many of its transactions (0: at
its begin) and so many seconds more the victim, `self` or `database`, is killed; `nobody` leaves it alone. The last line
tells how it ended, how many transactions it took, and how long. LONG_WORK_PAGE is how much goes into each.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio

from graph_memory import GraphError, Memory, Settings, local, open_memory
from graph_memory.memory.branches import branch
from graph_memory.memory.changes import paging
from graph_memory.memory.domains import deletion
from graph_memory.memory.retention import compaction, erasure
from graph_memory.memory.transfer.archive import export, importing, reader
from graph_memory.storage.store import Store

PAGED = (reader, branch, compaction, deletion, erasure, export, paging)


@dataclass(frozen=True, kw_only=True)
class Work:
    """An operation, the domain that it is done to, and what is given to it."""

    operation: str
    domain: str
    begin: int
    at: int
    node: str
    file: str
    archive: str

    async def run(self, memory: Memory) -> object:
        """Do it, or go on with it."""
        return await OPERATIONS[self.operation](memory, self)

    def to_json(self) -> str:
        return json.dumps(asdict(self))


OPERATIONS: dict[str, Callable[[Memory, Work], Awaitable[object]]] = {
    "branch": lambda memory, work: memory.history.branch(f"{work.domain}-new", at=work.at, domain=work.domain),
    "merge": lambda memory, work: memory.history.merge(f"{work.domain}-b", into=work.domain),
    "compact": lambda memory, work: memory.history.compact(work.at, archive=Path(work.archive), domain=work.domain),
    "erase": lambda memory, work: memory.history.erase(work.node, domain=work.domain),
    "import": lambda memory, work: memory.transfer.import_file(work.file, name=f"{work.domain}-new"),
    "delete": lambda memory, work: memory.delete_domain(work.domain),
    "delete hub": lambda memory, work: memory.delete_node(work.node, domain=work.domain),
    "revert": lambda memory, work: memory.history.revert(since=work.begin, domain=work.domain),
}


class Killer:
    """Counts the transactions of this process, and kills once it is time."""

    def __init__(self, settings: Settings, victim: str, step: int, delay: float) -> None:
        self._pid = os.getpid() if victim == "self" else local.status(settings).pid
        self._step = None if victim == "nobody" else step
        self._delay = delay
        self.steps = 0

    def look(self) -> None:
        if self.steps == self._step and self._pid is not None:
            timer = threading.Timer(self._delay, os.kill, (self._pid, signal.SIGKILL))
            timer.daemon = True
            timer.start()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count every transaction that is committed from now on."""
        write: Callable[..., Awaitable[Any]] = Store.write

        async def count_step(store: Store, *values: Any, **more: Any) -> Any:
            result = await write(store, *values, **more)
            self.steps += 1
            self.look()
            return result

        Store.write = count_step
        try:
            self.look()
            yield
        finally:
            Store.write = write


def use_pages_of(size: int) -> None:
    """Have each transaction do little, so that there are many."""
    for module in PAGED:
        module.PAGE = size
    importing.SUBJECTS = size
    paging.AT_ONCE = size


async def main(home: str, work: str, victim: str, step: str, delay: str) -> None:
    use_pages_of(int(os.environ["LONG_WORK_PAGE"]))
    settings = Settings(home=Path(home))
    killer = Killer(settings, victim, int(step), float(delay))
    async with open_memory(settings) as memory:
        began, ended = time.monotonic(), "done"
        with killer.counting():
            try:
                await Work(**json.loads(work)).run(memory)
            except GraphError as error:
                ended = error.code
        seconds = time.monotonic() - began
    sys.stdout.write(json.dumps({"ended": ended, "steps": killer.steps, "seconds": seconds}) + "\n")


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])

"""Processes that follow the log of a domain until they are ended: slowly, so that they are often stopped in mid page.

`python follower_process.py HOME DOMAIN COUNT`. Each says its id once it follows. With LEASE_MILLISECONDS in the
environment, they have real leases; without it, they index at once, as searches do.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from graph_memory import Settings, open_memory
from graph_memory.memory.search.index import following, index
from graph_memory.storage.queries import Query
from graph_memory.storage.store import Transaction

sys.path.insert(0, str(Path(__file__).parents[2]))
from integration.search.fakes import Fake

PAUSE = 0.03


class Slow(Fake):
    """An embedder that takes its time."""

    async def passages(self, texts: Any) -> list[list[float]]:
        await anyio.sleep(PAUSE)
        return await super().passages(texts)


def slow_down() -> None:
    """Pause between reading a page and writing it, and between what it writes and that it advances."""
    changes: Callable[..., Awaitable[Any]] = index._compute_changes
    run: Callable[..., Awaitable[Any]] = Transaction.run

    async def slow_changes(*values: Any) -> Any:
        result = await changes(*values)
        await anyio.sleep(PAUSE)
        return result

    async def slow_run(transaction: Transaction, statement: Query[Any], **arguments: Any) -> Any:
        if statement is index.ADVANCE:
            await anyio.sleep(PAUSE)
        return await run(transaction, statement, **arguments)

    index._compute_changes = slow_changes
    Transaction.run = slow_run
    index.PAGE, index.AT_ONCE = 4, 3
    following.INTERVAL, following.SECONDS_PER_DOMAIN = 0.02, 0.3
    if milliseconds := os.environ.get("LEASE_MILLISECONDS"):
        following.LEASE_MILLISECONDS = int(milliseconds)
        return
    following.LEASE_MILLISECONDS = 1  # it is always over, so that they are in each other's way as searches are
    following.FencedStore = lambda outer, _domain, _lease: outer  # pyright: ignore[reportAttributeAccessIssue]


async def main(home: str, domain: str) -> None:
    slow_down()
    async with open_memory(Settings(home=Path(home), embeddings="off", write_timeout=2)) as memory:
        await memory.search_content("words", domain=domain)  # so it has met the domain
        os.write(1, f"{os.getpid()}\n".encode())
        await following.follow_logs(replace(memory._core, embedder=Slow()))


def begin(home: str, domain: str, count: str) -> None:
    """Fork the processes, so that all of them have imported what they need at once, and wait until all have ended."""
    for _ in range(int(count)):
        if os.fork() == 0:
            anyio.run(main, home, domain)
            return
    for _ in range(int(count)):
        os.wait()


if __name__ == "__main__":
    begin(*sys.argv[1:])

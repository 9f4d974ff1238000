"""A process that makes batches and transactions until it is killed, and says on stdout what it tries and has done.

`python batch_writer.py HOME DOMAIN NAME WRITERS SECONDS`. A batch that fails because the database is away is asked for
again with its key; a transaction that fails so is left alone.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import anyio

from graph_memory import Code, GraphError, Memory, Settings, open_memory

SIZE = 40
"""Nodes of a batch, and connections."""
AWAY = (Code.STORE_UNAVAILABLE, Code.STARTING, Code.DOMAIN_BUSY, Code.TRANSACTION_LOST, Code.TIMEOUT)


def say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def operations_of(key: str) -> list[dict[str, Any]]:
    """Return a ring of notes that say which batch they are of; one of them has a large content."""
    notes = [
        {
            "op": "create_node",
            "type": "Note",
            "content": f"{key}zq " * (3_000 if number == 0 else 1),
            "properties": {"batch": key},
            "ref": f"n{number}",
        }
        for number in range(SIZE)
    ]
    ends = [(number, (number + 1) % SIZE) for number in range(SIZE)]
    links = [
        {"op": "create_connection", "type": "RelatesTo", "from_node_id": f"$n{number}", "to_node_id": f"$n{two}"}
        for number, two in ends
    ]
    return [*notes, *links]


async def batch(memory: Memory, key: str) -> None:
    """Make a batch; ask again until it is made."""
    say(done=False, batch=key)
    while True:
        try:
            made = await memory.execute_batch(operations_of(key), idempotency_key=key)
        except GraphError as error:
            if error.code not in AWAY:
                raise
            say(failed=error.code, batch=key, message=error.message)
            await anyio.sleep(0.2)
        else:
            say(done=True, batch=key, since=made.since, until=made.until)
            return


async def transaction(memory: Memory, key: str) -> None:
    """Make a batch's notes one by one within a transaction."""
    say(done=False, transaction=key)
    try:
        async with memory.transaction() as t:
            for operation in operations_of(key)[:SIZE]:
                await t.create_node("Note", operation["content"], properties=operation["properties"])
    except GraphError as error:
        if error.code not in AWAY:
            raise
        say(failed=error.code, transaction=key, message=error.message)
    else:
        say(done=True, transaction=key)


async def work(memory: Memory, name: str, until: float) -> None:
    made = 0
    while time.monotonic() < until:
        made += 1
        await (transaction if made % 3 == 0 else batch)(memory, f"{name}x{made}")


async def main(home: str, domain: str, name: str, writers: str, seconds: str) -> None:
    async with open_memory(Settings(home=Path(home), domain=domain)) as memory:
        say(ready=True)
        until = time.monotonic() + float(seconds)
        async with anyio.create_task_group() as tasks:
            for number in range(int(writers)):
                tasks.start_soon(work, memory, f"{name}w{number}", until)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])

"""A process that writes to a memory until it is killed or told to stop, and says on stdout what it tries and has done.

`python fault_writer.py HOME DOMAIN SEED WRITERS SECONDS`. One line of JSON per attempt (`"done": false`, printed
before the call) and per acknowledged write (`"done": true`, with its version). An attempt that fails is never
repeated, and its subject is left alone from then on: it may or may not have been changed.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import anyio

from graph_memory import Code, GraphError, Memory, Settings, open_memory

SHARED = 4
"""Nodes that all writers of all processes count in."""


def text_of(subject: str, turn: int) -> str:
    """The content that a node gets in a turn: some small, some of many windows and in a blob."""
    words = f"{subject}turn{turn}zq "
    return words * (900 if turn % 3 == 2 else 1)


def say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class Writer:
    """One task: creates, changes, connects and deletes nodes of its own, and counts in those that all share."""

    def __init__(self, memory: Memory, name: str, rng: random.Random) -> None:
        self.memory = memory
        self.name = name
        self.rng = rng
        self.nodes: dict[str, int] = {}
        self.connections: dict[str, int] = {}
        self.made = 0
        self.counted = 0

    async def attempt(self, subject: str, turn: int | None, call: Any, **told: Any) -> bool:
        """Say, do, say again; `turn` is what the subject will be at, None when it will be gone."""
        say(done=False, subject=subject, turn=turn, **told)
        try:
            result = await call
        except GraphError as error:
            say(failed=error.code, subject=subject, message=error.message)
            if error.code not in (Code.STORE_UNAVAILABLE, Code.STARTING, Code.DOMAIN_BUSY):
                raise
            self.nodes.pop(subject, None)
            self.connections.pop(subject, None)
            return False
        say(done=True, subject=subject, turn=turn, version=result.version, **told)
        return True

    async def create(self) -> None:
        self.made += 1
        one = f"{self.name}n{self.made}"
        properties = {"turn": 0, "by": self.name}
        if await self.attempt(one, 0, self.memory.create_node("Note", text_of(one, 0), properties=properties, id=one)):
            self.nodes[one] = 0

    async def update(self) -> None:
        one = self.rng.choice(list(self.nodes))
        turn = self.nodes[one] = self.nodes[one] + 1
        call = self.memory.update_node(one, properties={"turn": turn}, content=text_of(one, turn), encoding="utf-8")
        await self.attempt(one, turn, call)

    async def connect(self) -> None:
        self.made += 1
        one, ends = f"{self.name}c{self.made}", (self.rng.choice(list(self.nodes)), self.rng.choice(list(self.nodes)))
        call = self.memory.create_connection("RelatesTo", *ends, properties={"turn": 0}, content=one, id=one)
        if await self.attempt(one, 0, call, ends=ends):
            self.connections[one] = 0

    async def update_connection(self) -> None:
        one = self.rng.choice(list(self.connections))
        turn = self.connections[one] = self.connections[one] + 1
        await self.attempt(one, turn, self.memory.update_connection(one, properties={"turn": turn}))

    async def disconnect(self) -> None:
        one, _ = self.connections.popitem()
        await self.attempt(one, None, self.memory.delete_connection(one))

    async def delete(self) -> None:
        """Only a node without connections of ours, so that what goes with it is known."""
        self.made += 1
        one = f"{self.name}n{self.made}"
        if await self.attempt(one, 2, self.memory.create_node("Note", text_of(one, 2), properties={"turn": 2}, id=one)):
            await self.attempt(one, None, self.memory.delete_node(one))

    async def search(self) -> None:
        """Nobody else writes these nodes, so what is found is known, whatever is being indexed."""
        one = self.rng.choice(list(self.nodes))
        found = (await self.memory.search_content(f"{one}turn")).node_ids
        if found != (one,):
            raise AssertionError(f"searched for {one}, found {found}")

    async def index(self) -> None:
        await self.memory._search.index(self.memory._domain(None))

    async def count(self) -> None:
        """Add one to a shared node, if nobody else has since it was read."""
        one = f"shared{self.rng.randrange(SHARED)}"
        node = await self.memory.get_node(one)
        count = int(node.properties["count"])
        say(counting=one, to=count + 1)
        try:
            changed = await self.memory.update_node(
                one, properties={"count": count + 1, f"last by {self.name}": count + 1}, expected_version=node.version
            )
        except GraphError as error:
            if error.code is not Code.VERSION_CONFLICT:
                raise
            say(conflict=one)
        else:
            self.counted += 1
            say(counted=one, to=count + 1, version=changed.version, by=self.name)

    async def work(self, until: float) -> None:
        """Go on until a time, and for as long as it takes to have counted where that is asked for."""
        while time.monotonic() < until or (self.name.startswith("count") and not self.counted):
            acts = [self.create, self.delete]
            acts += (
                [self.update, self.update, self.connect, self.connect, self.search, self.index] if self.nodes else []
            )
            acts += [self.update_connection, self.disconnect] if self.connections else []
            acts += [self.count, self.count] if self.name.startswith("count") else []
            try:
                await self.rng.choice(acts)()
            except GraphError as error:
                if error.code not in (Code.STORE_UNAVAILABLE, Code.STARTING, Code.DOMAIN_BUSY):
                    raise
                say(failed=error.code, subject=None, message=error.message)


async def main(home: str, domain: str, seed: str, writers: str, seconds: str) -> None:
    async with open_memory(Settings(home=Path(home), domain=domain)) as memory:
        say(ready=True)
        until = time.monotonic() + float(seconds)
        async with anyio.create_task_group() as tasks:
            for number in range(int(writers)):
                writer = Writer(memory, f"{seed}w{number}", random.Random(f"{seed} {number}"))
                tasks.start_soon(writer.work, until)
    say(finished=True)


if __name__ == "__main__":
    anyio.run(main, *sys.argv[1:])

"""A process that writes to a memory until it is killed or told to stop, and says on stdout what it tries and has done.

`python fault_writer.py HOME DOMAIN SEED WRITERS SECONDS`. One line of JSON per attempt (`"done": false`, printed
before the call) and per acknowledged write (`"done": true`, with its version). `turn` is what the subject will be at,
null when it will be gone; `goes` names what is gone with it. An attempt that fails is never repeated, and its
subject is left alone from then on: it may or may not have been changed.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import anyio

from graph_memory import Code, ConnectionType, GraphError, Memory, NodeType, Settings, ontology_from, open_memory

ANY = ("*",)
LOSSES = (Code.STORE_UNAVAILABLE, Code.STARTING, Code.DOMAIN_BUSY)
"""How a write fails while the database is away."""


def text_of(subject: str, turn: int) -> str:
    """The content that a node gets in a turn: some small, some of many windows and in a blob."""
    words = f"{subject}turn{turn}zq "
    return words * (900 if turn % 3 == 2 else 1)


def say(**line: Any) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


class Writer:
    """One task: creates, changes, connects and deletes nodes of its own, and adds types to the ontology."""

    def __init__(self, memory: Memory, name: str, rng: random.Random) -> None:
        self.memory = memory
        self.name = name
        self.rng = rng
        self.nodes: dict[str, int] = {}
        self.connections: dict[str, int] = {}
        self.ends: dict[str, tuple[str, str]] = {}
        """Of every connection that is there or may be."""
        self.node_types = ["Note"]
        self.connection_types = ["RelatesTo"]
        self.made = 0

    async def attempt(self, subject: str, turn: int | None, call: Any, **rendered: Any) -> bool:
        """Say, do, say again; `turn` is what the subject will be at, None when it will be gone."""
        say(done=False, subject=subject, turn=turn, **rendered)
        try:
            result = await call
        except GraphError as error:
            say(failed=error.code, subject=subject, message=error.message)
            if error.code not in LOSSES:
                raise
            self.nodes.pop(subject, None)
            self.connections.pop(subject, None)
            return False
        say(done=True, subject=subject, turn=turn, version=result.version, **rendered)
        return True

    def fresh(self, kind: str) -> str:
        """Return a name that nobody has used; its letter tells what it names."""
        self.made += 1
        return f"{self.name}{kind}{self.made}"

    async def create(self) -> None:
        await self.create_at(0)

    async def create_at(self, turn: int) -> str | None:
        """Create a node of any type that there is, and return its id once it is acknowledged."""
        text, properties = self.fresh("n"), {"turn": turn, "by": self.name}
        node_type = self.rng.choice(self.node_types)
        call = self.memory.create_node(node_type, text_of(text, turn), properties=properties, id=text)
        if not await self.attempt(text, turn, call):
            return None
        self.nodes[text] = turn
        return text

    async def update(self) -> None:
        text = self.rng.choice(list(self.nodes))
        turn = self.nodes[text] = self.nodes[text] + 1
        call = self.memory.update_node(text, properties={"turn": turn}, content=text_of(text, turn), encoding="utf-8")
        await self.attempt(text, turn, call)

    async def connect(self) -> None:
        text, ends = self.fresh("c"), (self.rng.choice(list(self.nodes)), self.rng.choice(list(self.nodes)))
        connection_type = self.rng.choice(self.connection_types)
        self.ends[text] = ends
        call = self.memory.create_connection(connection_type, *ends, properties={"turn": 0}, content=text, id=text)
        if await self.attempt(text, 0, call, ends=ends):
            self.connections[text] = 0

    async def update_connection(self) -> None:
        text = self.rng.choice(list(self.connections))
        turn = self.connections[text] = self.connections[text] + 1
        await self.attempt(text, turn, self.memory.update_connection(text, properties={"turn": turn}))

    async def disconnect(self) -> None:
        text, _ = self.connections.popitem()
        if await self.attempt(text, None, self.memory.delete_connection(text)):
            del self.ends[text]

    async def delete(self) -> None:
        """A node that is there for a moment only."""
        if text := await self.create_at(2):
            await self.delete_node(text)

    async def delete_any(self) -> None:
        await self.delete_node(self.rng.choice(list(self.nodes)))

    async def delete_node(self, text: str) -> None:
        """Delete a node with its connections, including connections that may be created or deleted already."""
        goes = [connection for connection, ends in self.ends.items() if text in ends]
        del self.nodes[text]
        for connection in goes:
            self.connections.pop(connection, None)
        if await self.attempt(text, None, self.memory.delete_node(text), goes=goes):
            for connection in goes:
                del self.ends[connection]

    async def declare(self) -> None:
        """Add a node type, a connection type, or one of each in one write. A type may not be redefined."""
        kind = self.rng.choice("krb")
        text, before = self.fresh(kind), self.rng.choice(self.node_types)
        if kind == "k":
            call = self.memory.add_node_type(NodeType(text))
        elif kind == "r":
            call = self.memory.add_connection_type(ConnectionType(text, ANY, ANY))
        else:
            ends = {"from_types": ["*"], "to_types": ["*"]}
            both = ontology_from({"node_types": [text], "connection_types": [{"name": text, **ends}]})
            call = self.memory.apply_ontology(both)
        if await self.attempt(text, 0, call):
            self.node_types += [text] if kind in "kb" else []
            self.connection_types += [text] if kind in "rb" else []
            await self.define_anew(before)

    async def define_anew(self, node_type: str) -> None:
        """Try to change a type that was acknowledged: what there is of it now would be wrong."""
        try:
            await self.memory.add_node_type(NodeType(node_type, "another"))
        except GraphError as error:
            if error.code is not Code.TYPE_ALREADY_EXISTS:
                raise
        else:
            raise AssertionError(f"{node_type} was defined twice")

    async def search(self) -> None:
        """Nobody else writes these nodes, so what is found is known, whatever is being indexed."""
        text = self.rng.choice(list(self.nodes))
        ids = (await self.memory.search_content(f"{text}turn")).node_ids
        if ids != (text,):
            raise AssertionError(f"searched for {text}, found {ids}")

    async def index(self) -> None:
        await self.memory._search.index(self.memory._domain(None))

    def acts(self) -> list[Any]:
        """The possible actions, repeated by their weight. The more types there are, the fewer are added."""
        acts = [self.create, self.create, self.delete]
        if self.nodes:
            acts += [self.update, self.update, self.connect, self.connect, self.search, self.index, self.delete_any]
        if self.connections:
            acts += [self.update_connection, self.disconnect]
        types = len(self.node_types) + len(self.connection_types)
        return acts + ([self.declare] if self.rng.random() * types < 1 else [])

    async def work(self, until: float) -> None:
        while time.monotonic() < until:
            try:
                await self.rng.choice(self.acts())()
            except GraphError as error:
                if error.code not in LOSSES:
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

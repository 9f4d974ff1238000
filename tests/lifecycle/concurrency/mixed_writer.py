"""A process with eight writers, which do everything that a memory can do in domains that another process writes to too.

`python mixed_writer.py PLAN`, a JSON object (see `Plan`). It says `ready`, begins at a line on stdin, and leaves in its
file a line of JSON for every call: how long it took, and what was acknowledged or refused with which code.
Refusals that a call may meet in competition with others are named where it is made; any other ends the process.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import anyio

from graph_memory import Code, ConnectionType, GraphError, Memory, NodeType, PropertyRule, Settings, open_memory
from graph_memory.storage import store

WRITERS = 8
COUNTERS = 2
CODES = 6
"""Values of a unique property, for which all writers compete."""

Act = Callable[[str], Awaitable[None]]


@dataclass(frozen=True)
class Plan:
    """What a process is to do. The first half of its writers keep to the first domain, the others change about."""

    name: str
    home: str
    domains: list[str]
    open_domain: str
    """A domain with an open ontology, where a type that is used before it is declared can never be declared."""
    seconds: float
    seed: int
    told: str
    news: str
    """A file in which the process that changes ontologies says what it is about to do and what is done."""
    changes: bool
    """Whether this is the process that changes ontologies."""

    def text(self) -> str:
        return json.dumps(asdict(self))


def text_of(node: str, turn: int) -> str:
    """The content of a note in a turn: most are small, some have many windows and a blob."""
    return f"{node}turn{turn}zq " * (900 if turn % 8 == 7 else 1)


class Told:
    """What became of every call, in the order in which the calls of this process ended."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.made = 0

    async def call(self, writer: str, act: str, domain: str, call: Any, *refusals: Code, **told: Any) -> Any:
        """Await a call and note it; return nothing when it is refused with one of the codes that it may meet."""
        code, result, begun = None, None, time.perf_counter()
        try:
            result = await call
        except GraphError as error:
            if error.code not in refusals:
                raise
            code = error.code
        taken = (time.perf_counter() - begun) * 1000
        version = getattr(result, "version", None) if told else None
        line = {"writer": writer, "act": act, "domain": domain, "ms": taken, "code": code, "version": version}
        self.lines.append(line | told)
        return result


class Writer:
    """One task. Notes are its own; steps, counters and codes are everybody's."""

    def __init__(self, memory: Memory, told: Told, name: str, domains: Sequence[str], rng: random.Random) -> None:
        self.memory = memory
        self.told = told
        self.name = name
        self.rng = rng
        self.domains = domains
        self.notes: dict[str, dict[str, int]] = {domain: {} for domain in domains}
        self.abouts: dict[str, dict[str, int]] = {domain: {} for domain in domains}
        self.tickets: dict[str, list[str]] = {domain: [] for domain in domains}

    def fresh(self) -> str:
        self.told.made += 1
        return f"{self.name}n{self.told.made}x"

    async def call(self, act: str, domain: str, call: Any, *refusals: Code, **told: Any) -> Any:
        return await self.told.call(self.name, act, domain, call, *refusals, **told)

    async def create(self, domain: str) -> None:
        one, has = self.fresh(), {"turn": 0, "by": self.name}
        call = self.memory.create_node("Note", text_of(one, 0), properties=has, id=one, domain=domain)
        await self.call("create a node", domain, call, op="create", subject=one, type="Note", has=has)
        self.notes[domain][one] = 0

    async def update(self, domain: str) -> None:
        one = self.rng.choice(list(self.notes[domain]))
        turn = self.notes[domain][one] = self.notes[domain][one] + 1
        has, text = {"turn": turn}, text_of(one, turn)
        call = self.memory.update_node(one, properties=has, content=text, encoding="utf-8", domain=domain)
        await self.call("update a node", domain, call, op="update", subject=one, has=has)

    async def delete(self, domain: str) -> None:
        one, _ = self.notes[domain].popitem()
        call = self.memory.delete_node(one, domain=domain)
        await self.call("delete a node", domain, call, op="delete", subject=one)

    async def connect(self, domain: str) -> None:
        """From a note to a step that others may delete at any moment."""
        one, note, step = self.fresh(), self.rng.choice(list(self.notes[domain])), await self.step(domain)
        call = self.memory.create_connection("About", note, step, properties={"turn": 0}, id=one, domain=domain)
        told = {"op": "create", "subject": one, "type": "About", "ends": (note, step), "has": {"turn": 0}}
        if await self.call("connect", domain, call, Code.NODE_NOT_FOUND, **told):
            self.abouts[domain][one] = 0

    async def update_connection(self, domain: str) -> None:
        one = self.rng.choice(list(self.abouts[domain]))
        turn = self.abouts[domain][one] = self.abouts[domain][one] + 1
        call = self.memory.update_connection(one, properties={"turn": turn}, domain=domain)
        told = {"op": "update", "subject": one, "has": {"turn": turn}}
        if not await self.call("update a connection", domain, call, Code.CONNECTION_NOT_FOUND, **told):
            del self.abouts[domain][one]

    async def disconnect(self, domain: str) -> None:
        one, _ = self.abouts[domain].popitem()
        call = self.memory.delete_connection(one, domain=domain)
        await self.call("disconnect", domain, call, Code.CONNECTION_NOT_FOUND, op="delete", subject=one)

    async def step(self, domain: str) -> str:
        found = await self.call("query nodes", domain, self.memory.query_nodes(type="Step", domain=domain))
        return self.rng.choice(found.node_ids)

    async def link(self, domain: str) -> None:
        """Connect two steps: each follows one other and is followed by one at most, and no chain leads back."""
        one, ends = self.fresh(), (await self.step(domain), await self.step(domain))
        call = self.memory.create_connection("Then", *ends, id=one, domain=domain)
        refusals = (Code.NODE_NOT_FOUND, Code.INVALID_TOPOLOGY)
        told = {"op": "create", "subject": one, "type": "Then", "ends": ends, "has": {}}
        await self.call("connect by rules", domain, call, *refusals, **told)

    async def replace(self, domain: str) -> None:
        """Make a step, then delete one, with the connections that anybody has tied to it."""
        old, one = await self.step(domain), self.fresh()
        call = self.memory.create_node("Step", one, id=one, domain=domain)
        await self.call("create a node", domain, call, op="create", subject=one, type="Step", has={})
        call = self.memory.delete_node(old, domain=domain)
        await self.call("delete a hub", domain, call, Code.NODE_NOT_FOUND, op="delete", subject=old)

    async def claim(self, domain: str) -> None:
        one, has = self.fresh(), {"code": self.rng.randrange(CODES)}
        call = self.memory.create_node("Ticket", one, properties=has, id=one, domain=domain)
        told = {"op": "create", "subject": one, "type": "Ticket", "has": has}
        if await self.call("claim a unique value", domain, call, Code.UNIQUE_PROPERTY_TAKEN, **told):
            self.tickets[domain].append(one)

    async def release(self, domain: str) -> None:
        one = self.tickets[domain].pop()
        call = self.memory.delete_node(one, domain=domain)
        await self.call("delete a node", domain, call, op="delete", subject=one)

    async def count(self, domain: str) -> None:
        """Add one to a counter of all, once: from the start again whenever somebody else was faster."""
        one, counted = f"counter{self.rng.randrange(COUNTERS)}", None
        while not counted:
            node = await self.call("get a node", domain, self.memory.get_node(one, domain=domain))
            has = {"count": int(node.properties["count"]) + 1}
            call = self.memory.update_node(one, properties=has, expected_version=node.version, domain=domain)
            told = {"op": "update", "subject": one, "has": has}
            counted = await self.call("count by version", domain, call, Code.VERSION_CONFLICT, **told)

    async def search(self, domain: str) -> None:
        """Nobody else writes these nodes, so what is found is known."""
        one = self.rng.choice(list(self.notes[domain]))
        found = await self.call("search", domain, self.memory.search_content(f"{one}turn", domain=domain))
        assert found.node_ids == (one,), f"searched for {one}, found {found}"

    def acts(self, domain: str) -> list[Act]:
        acts: list[Act] = [self.create, self.create, self.count, self.link, self.replace, self.claim]
        if self.notes[domain]:
            acts += [self.update, self.update, self.connect, self.connect, self.search, self.search]
        acts += [self.delete] if len(self.notes[domain]) > 10 else []
        acts += [self.update_connection, self.disconnect] if self.abouts[domain] else []
        return acts + ([self.release] if self.tickets[domain] else [])

    async def work(self, until: float) -> None:
        while time.monotonic() < until:
            domain = self.rng.choice(self.domains)
            await self.rng.choice(self.acts(domain))(domain)


class Ontologies:
    """Changes the ontologies under the writers, or does at once what a change of the other process allows and forbids.

    A node type that is declared requires a code. `soon` is said before the change is asked for, `done` once it is
    acknowledged, so whoever has read `done` must be judged by it.
    """

    def __init__(self, memory: Memory, told: Told, plan: Plan, rng: random.Random) -> None:
        self.memory = memory
        self.told = told
        self.plan = plan
        self.rng = rng
        self.news = Path(plan.news)

    async def call(self, act: str, domain: str, call: Any, *refusals: Code, **told: Any) -> Any:
        return await self.told.call(f"{self.plan.name} ontology", act, domain, call, *refusals, **told)

    def say(self, *words: str) -> None:
        with self.news.open("a") as news:
            news.write(" ".join(words) + "\n")

    async def change(self, until: float) -> None:
        turn = 0
        while time.monotonic() < until:
            turn += 1
            open_or_closed = [self.plan.open_domain, self.rng.choice(self.plan.domains)]
            await self.add_node_type(f"Kind{turn}", open_or_closed[turn % 2])
            if turn % 4 == 0:
                await self.add_connection_type(f"Link{turn}", self.rng.choice(self.plan.domains))
            await anyio.sleep(max(0.1, self.plan.seconds / 200))

    async def add_node_type(self, name: str, domain: str) -> None:
        self.say("soon", "node", name, domain)
        await anyio.sleep(self.rng.uniform(0, 0.03))
        declared = NodeType(name, properties=(PropertyRule("code", required=True),))
        told = {"op": "create", "subject": f"node_type/{name}", "type": None, "has": {}}
        call = self.memory.add_node_type(declared, domain=domain)
        done = await self.call("add a type", domain, call, Code.TYPE_ALREADY_EXISTS, **told)
        assert done or domain == self.plan.open_domain
        self.say("done" if done else "lost", "node", name, domain)

    async def add_connection_type(self, name: str, domain: str) -> None:
        told = {"op": "create", "subject": f"connection_type/{name}", "type": None, "has": {}}
        call = self.memory.add_connection_type(ConnectionType(name, ("Ticket",), ("Ticket",)), domain=domain)
        await self.call("add a type", domain, call, **told)
        self.say("done", "connection", name, domain)

    async def obey(self, until: float) -> None:
        """Try the newest type until it is done, and then once each what it allows and forbids."""
        heard = 0
        while time.monotonic() < until or not heard:
            lines = self.news.read_text().split("\n")[:-1]
            for line in lines[heard:]:
                await self.follow(*line.split())
            heard = len(lines) - (lines[-1:] != [] and lines[-1].startswith("soon"))
            await anyio.sleep(0.005)

    async def follow(self, state: str, kind: str, name: str, domain: str) -> None:
        if kind == "connection":
            await self.connect(name, domain)
        elif state == "soon":
            await self.create_without(name, domain)
        elif state == "done":
            refusal = await self.create_without(name, domain)
            assert refusal == Code.REQUIRED_PROPERTY_MISSING, f"{name} was declared, and yet: {refusal}"
            await self.create_with(name, domain)

    async def create_without(self, name: str, domain: str) -> str | None:
        """Create a node without its code, and return how that was refused."""
        self.told.made += 1
        one = f"{name}without{self.told.made}x"
        refusals = [Code.REQUIRED_PROPERTY_MISSING]
        refusals += [Code.INVALID_NODE_TYPE] if domain != self.plan.open_domain else []
        call = self.memory.create_node(name, one, id=one, domain=domain)
        await self.call("use a new type", domain, call, *refusals, op="create", subject=one, type=name, has={})
        return self.told.lines[-1]["code"]

    async def create_with(self, name: str, domain: str) -> None:
        one, has = f"{name}with", {"code": 1}
        call = self.memory.create_node(name, one, properties=has, id=one, domain=domain)
        await self.call("use a new type", domain, call, op="create", subject=one, type=name, has=has)

    async def connect(self, name: str, domain: str) -> None:
        """Use a new type of connections, between two nodes that nobody else touches."""
        ends = (f"{name}from", f"{name}to")
        for one in ends:
            call = self.memory.create_node("Ticket", one, id=one, domain=domain)
            await self.call("create a node", domain, call, op="create", subject=one, type="Ticket", has={})
        call = self.memory.create_connection(name, *ends, id=f"{name}c", domain=domain)
        told = {"op": "create", "subject": f"{name}c", "type": name, "ends": ends, "has": {}}
        await self.call("use a new type", domain, call, **told)


@contextmanager
def deadlocks_met() -> Iterator[list[str]]:
    """Give a list that grows with every deadlock of which a statement of this process is the victim."""
    met: list[str] = []
    judge = store.is_transient

    def judging(error: BaseException) -> bool:
        code = getattr(error, "code", None) or ""
        met.extend([code] if "DeadlockDetected" in code else [])
        return judge(error)

    store.is_transient = judging
    try:
        yield met
    finally:
        store.is_transient = judge


async def work(memory: Memory, plan: Plan, told: Told) -> None:
    until = time.monotonic() + plan.seconds
    ontologies = Ontologies(memory, told, plan, random.Random(f"{plan.seed} {plan.name}"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ontologies.change if plan.changes else ontologies.obey, until)
        for number in range(WRITERS):
            rng = random.Random(f"{plan.seed} {plan.name} {number}")
            domains = plan.domains[:1] if number < WRITERS // 2 else plan.domains
            tasks.start_soon(Writer(memory, told, f"{plan.name}{number}", domains, rng).work, until)


async def main(text: str) -> None:
    plan, told = Plan(**json.loads(text)), Told()
    with deadlocks_met() as deadlocks:
        async with open_memory(Settings(home=Path(plan.home))) as memory:
            print("ready", flush=True)  # noqa: T201
            sys.stdin.readline()
            await work(memory, plan, told)
    await anyio.Path(plan.told).write_text("".join(json.dumps(line) + "\n" for line in told.lines))
    print(json.dumps({"deadlocks": len(deadlocks)}), flush=True)  # noqa: T201


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])

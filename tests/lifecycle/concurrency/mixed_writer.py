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
    """The plan of a process. The first half of its writers keep to the first domain, the others alternate."""

    name: str
    home: str
    domains: list[str]
    open_domain: str
    """A domain with an open ontology, where a type that is used before it is declared can never be declared."""
    seconds: float
    seed: int
    reports: str
    news: str
    """A file in which the process that changes ontologies says what it is about to do and what is done."""
    changes: bool
    """Whether this is the process that changes ontologies."""

    def text(self) -> str:
        return json.dumps(asdict(self))


def text_of(node: str, turn: int) -> str:
    """The content of a note in a turn: most are small, some have many windows and a blob."""
    return f"{node}turn{turn}zq " * (900 if turn % 8 == 7 else 1)


class Reporter:
    """The outcomes of all calls, in the order in which the calls of this process ended."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.made = 0

    async def call(self, writer: str, act: str, domain: str, call: Any, *refusals: Code, **rendered: Any) -> Any:
        """Await a call and note it; return nothing when it is refused with one of the codes that it may meet."""
        code, result, begun = None, None, time.perf_counter()
        try:
            result = await call
        except GraphError as error:
            if error.code not in refusals:
                raise
            code = error.code
        taken = (time.perf_counter() - begun) * 1000
        version = getattr(result, "version", None) if rendered else None
        line = {"writer": writer, "act": act, "domain": domain, "ms": taken, "code": code, "version": version}
        self.lines.append(line | rendered)
        return result


class Writer:
    """One task. Notes are its own; steps, counters and codes are everybody's."""

    def __init__(
        self, memory: Memory, reports: Reporter, name: str, domains: Sequence[str], rng: random.Random
    ) -> None:
        self.memory = memory
        self.reports = reports
        self.name = name
        self.rng = rng
        self.domains = domains
        self.notes: dict[str, dict[str, int]] = {domain: {} for domain in domains}
        self.abouts: dict[str, dict[str, int]] = {domain: {} for domain in domains}
        self.tickets: dict[str, list[str]] = {domain: [] for domain in domains}

    def fresh(self) -> str:
        self.reports.made += 1
        return f"{self.name}n{self.reports.made}x"

    async def call(self, act: str, domain: str, call: Any, *refusals: Code, **rendered: Any) -> Any:
        return await self.reports.call(self.name, act, domain, call, *refusals, **rendered)

    async def create(self, domain: str) -> None:
        text, has = self.fresh(), {"turn": 0, "by": self.name}
        call = self.memory.create_node("Note", text_of(text, 0), properties=has, id=text, domain=domain)
        await self.call("create a node", domain, call, op="create", subject=text, type="Note", has=has)
        self.notes[domain][text] = 0

    async def update(self, domain: str) -> None:
        answer = self.rng.choice(list(self.notes[domain]))
        turn = self.notes[domain][answer] = self.notes[domain][answer] + 1
        has, text = {"turn": turn}, text_of(answer, turn)
        call = self.memory.update_node(answer, properties=has, content=text, encoding="utf-8", domain=domain)
        await self.call("update a node", domain, call, op="update", subject=answer, has=has)

    async def delete(self, domain: str) -> None:
        text, _ = self.notes[domain].popitem()
        call = self.memory.delete_node(text, domain=domain)
        await self.call("delete a node", domain, call, op="delete", subject=text)

    async def connect(self, domain: str) -> None:
        """From a note to a step that others may delete at any moment."""
        text, note, step = self.fresh(), self.rng.choice(list(self.notes[domain])), await self.step(domain)
        call = self.memory.create_connection("About", note, step, properties={"turn": 0}, id=text, domain=domain)
        rendered = {"op": "create", "subject": text, "type": "About", "ends": (note, step), "has": {"turn": 0}}
        if await self.call("connect", domain, call, Code.NODE_NOT_FOUND, **rendered):
            self.abouts[domain][text] = 0

    async def update_connection(self, domain: str) -> None:
        text = self.rng.choice(list(self.abouts[domain]))
        turn = self.abouts[domain][text] = self.abouts[domain][text] + 1
        call = self.memory.update_connection(text, properties={"turn": turn}, domain=domain)
        rendered = {"op": "update", "subject": text, "has": {"turn": turn}}
        if not await self.call("update a connection", domain, call, Code.CONNECTION_NOT_FOUND, **rendered):
            del self.abouts[domain][text]

    async def disconnect(self, domain: str) -> None:
        text, _ = self.abouts[domain].popitem()
        call = self.memory.delete_connection(text, domain=domain)
        await self.call("disconnect", domain, call, Code.CONNECTION_NOT_FOUND, op="delete", subject=text)

    async def step(self, domain: str) -> str:
        result = await self.call("query nodes", domain, self.memory.query_nodes(type="Step", domain=domain))
        return self.rng.choice(result.node_ids)

    async def link(self, domain: str) -> None:
        """Connect two steps: each follows one other and is followed by one at most, and no chain leads back."""
        text, ends = self.fresh(), (await self.step(domain), await self.step(domain))
        call = self.memory.create_connection("Then", *ends, id=text, domain=domain)
        refusals = (Code.NODE_NOT_FOUND, Code.INVALID_TOPOLOGY)
        rendered = {"op": "create", "subject": text, "type": "Then", "ends": ends, "has": {}}
        await self.call("connect by rules", domain, call, *refusals, **rendered)

    async def replace(self, domain: str) -> None:
        """Make a step, then delete one, with the connections that anybody has tied to it."""
        old, text = await self.step(domain), self.fresh()
        call = self.memory.create_node("Step", text, id=text, domain=domain)
        await self.call("create a node", domain, call, op="create", subject=text, type="Step", has={})
        call = self.memory.delete_node(old, domain=domain)
        await self.call("delete a hub", domain, call, Code.NODE_NOT_FOUND, op="delete", subject=old)

    async def claim(self, domain: str) -> None:
        text, has = self.fresh(), {"code": self.rng.randrange(CODES)}
        call = self.memory.create_node("Ticket", text, properties=has, id=text, domain=domain)
        rendered = {"op": "create", "subject": text, "type": "Ticket", "has": has}
        if await self.call("claim a unique value", domain, call, Code.UNIQUE_PROPERTY_TAKEN, **rendered):
            self.tickets[domain].append(text)

    async def release(self, domain: str) -> None:
        text = self.tickets[domain].pop()
        call = self.memory.delete_node(text, domain=domain)
        await self.call("delete a node", domain, call, op="delete", subject=text)

    async def count(self, domain: str) -> None:
        """Add one to the common counter, once. Start again whenever another writer was faster."""
        text, counted = f"counter{self.rng.randrange(COUNTERS)}", None
        while not counted:
            node = await self.call("get a node", domain, self.memory.get_node(text, domain=domain))
            has = {"count": int(node.properties["count"]) + 1}
            call = self.memory.update_node(text, properties=has, expected_version=node.version, domain=domain)
            rendered = {"op": "update", "subject": text, "has": has}
            counted = await self.call("count by version", domain, call, Code.VERSION_CONFLICT, **rendered)

    async def search(self, domain: str) -> None:
        """Nobody else writes these nodes, so what is found is known."""
        text = self.rng.choice(list(self.notes[domain]))
        result = await self.call("search", domain, self.memory.search_content(f"{text}turn", domain=domain))
        assert result.node_ids == (text,), f"searched for {text}, found {result}"

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
    acknowledged, so a writer that has read `done` is judged by it.
    """

    def __init__(self, memory: Memory, reports: Reporter, plan: Plan, rng: random.Random) -> None:
        self.memory = memory
        self.reports = reports
        self.plan = plan
        self.rng = rng
        self.news = Path(plan.news)

    async def call(self, act: str, domain: str, call: Any, *refusals: Code, **rendered: Any) -> Any:
        return await self.reports.call(f"{self.plan.name} ontology", act, domain, call, *refusals, **rendered)

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
        rendered = {"op": "create", "subject": f"node_type/{name}", "type": None, "has": {}}
        call = self.memory.add_node_type(declared, domain=domain)
        done = await self.call("add a type", domain, call, Code.TYPE_ALREADY_EXISTS, **rendered)
        assert done or domain == self.plan.open_domain
        self.say("done" if done else "lost", "node", name, domain)

    async def add_connection_type(self, name: str, domain: str) -> None:
        rendered = {"op": "create", "subject": f"connection_type/{name}", "type": None, "has": {}}
        call = self.memory.add_connection_type(ConnectionType(name, ("Ticket",), ("Ticket",)), domain=domain)
        await self.call("add a type", domain, call, **rendered)
        self.say("done", "connection", name, domain)

    async def obey(self, until: float) -> None:
        """Try the newest type until it is done, and then once each what it allows and forbids."""
        result = 0
        while time.monotonic() < until or not result:
            lines = self.news.read_text().split("\n")[:-1]
            for line in lines[result:]:
                await self.follow(*line.split())
            result = len(lines) - (lines[-1:] != [] and lines[-1].startswith("soon"))
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
        self.reports.made += 1
        text = f"{name}without{self.reports.made}x"
        refusals = [Code.REQUIRED_PROPERTY_MISSING]
        refusals += [Code.INVALID_NODE_TYPE] if domain != self.plan.open_domain else []
        call = self.memory.create_node(name, text, id=text, domain=domain)
        await self.call("use a new type", domain, call, *refusals, op="create", subject=text, type=name, has={})
        return self.reports.lines[-1]["code"]

    async def create_with(self, name: str, domain: str) -> None:
        text, has = f"{name}with", {"code": 1}
        call = self.memory.create_node(name, text, properties=has, id=text, domain=domain)
        await self.call("use a new type", domain, call, op="create", subject=text, type=name, has=has)

    async def connect(self, name: str, domain: str) -> None:
        """Use a new type of connections, between two nodes that nobody else touches."""
        ends = (f"{name}from", f"{name}to")
        for end in ends:
            call = self.memory.create_node("Ticket", end, id=end, domain=domain)
            await self.call("create a node", domain, call, op="create", subject=end, type="Ticket", has={})
        call = self.memory.create_connection(name, *ends, id=f"{name}c", domain=domain)
        rendered = {"op": "create", "subject": f"{name}c", "type": name, "ends": ends, "has": {}}
        await self.call("use a new type", domain, call, **rendered)


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


async def work(memory: Memory, plan: Plan, reports: Reporter) -> None:
    until = time.monotonic() + plan.seconds
    ontologies = Ontologies(memory, reports, plan, random.Random(f"{plan.seed} {plan.name}"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ontologies.change if plan.changes else ontologies.obey, until)
        for number in range(WRITERS):
            rng = random.Random(f"{plan.seed} {plan.name} {number}")
            domains = plan.domains[:1] if number < WRITERS // 2 else plan.domains
            tasks.start_soon(Writer(memory, reports, f"{plan.name}{number}", domains, rng).work, until)


async def main(text: str) -> None:
    plan, result = Plan(**json.loads(text)), Reporter()
    with deadlocks_met() as deadlocks:
        async with open_memory(Settings(home=Path(plan.home))) as memory:
            print("ready", flush=True)  # noqa: T201
            sys.stdin.readline()
            await work(memory, plan, result)
    await anyio.Path(plan.reports).write_text("".join(json.dumps(line) + "\n" for line in result.lines))
    print(json.dumps({"deadlocks": len(deadlocks)}), flush=True)  # noqa: T201


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])

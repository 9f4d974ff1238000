"""Two processes of a server of entities, and callers that all write at once: what was acknowledged must be there."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import anyio

from benchmarks.entities.servers import Caller, Graph, Request, Start, Triple
from benchmarks.report import table

PROCESSES = 2
CALLERS = 4
"""Callers of each process, which call at the same time."""
SHARED = 50
"""Names that all callers create."""
ACTS = {
    "create": 25,
    "create what others create": 15,
    "add": 20,
    "add to what others add to": 10,
    "relate": 10,
    "forget": 6,
    "delete": 4,
    "open": 5,
    "search": 5,
}


def shared_name(number: int) -> str:
    """Return a name that all callers use."""
    return f"everybody's {number}"


@dataclass
class Ledger:
    """The items that one caller's replies reported as stored, and as deleted."""

    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    relations: set[Triple] = field(default_factory=set[Triple])
    common: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Observations of names that all callers use."""
    met: set[str] = field(default_factory=set[str])
    """The names of all callers that are known to be there."""
    deleted: set[str] = field(default_factory=set[str])
    forgotten: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    refused: Counter[str] = field(default_factory=Counter[str])
    calls: int = 0


class Writer:
    """A caller who does as agents do, with names of its own and with everybody's."""

    def __init__(self, caller: Caller, name: str, rng: random.Random) -> None:
        """Begin with nothing."""
        self.caller = caller
        self.name = name
        self.rng = rng
        self.ledger = Ledger()
        self.made = 0

    async def work(self, calls: int) -> None:
        """Make so many calls."""
        while self.ledger.calls < calls:
            [act] = self.rng.choices(list(ACTS), list(ACTS.values()))
            if self.ledger.texts or act == "create":
                await self._take(act)

    async def _take(self, act: str) -> None:
        match act:
            case "create":
                await self.create()
            case "create what others create":
                await self.create_shared()
            case "add":
                await self.add()
            case "add to what others add to":
                await self.add_shared()
            case "relate":
                await self.relate()
            case "forget":
                await self.forget()
            case "delete":
                await self.delete()
            case "open":
                await self.ask(self.caller.words.open(self.any_name()))
            case _:
                await self.ask(self.caller.words.search(self.any_name()))

    async def ask(self, request: Request) -> bool:
        """Make a call, and return whether it was acknowledged."""
        self.ledger.calls += 1
        try:
            await self.caller.ask(request)
        except RuntimeError as refused:
            self.ledger.refused[str(refused)[:120]] += 1
            return False
        return True

    def any_name(self) -> str:
        """Return a name of the caller's own."""
        return self.rng.choice(list(self.ledger.texts))

    def text(self) -> str:
        """Return a text that nobody wrote before."""
        self.made += 1
        return f"{self.name} says {self.made}"

    async def create(self) -> None:
        """Create up to three entities that nobody else has."""
        new = {f"{self.name} {self.text()}": [self.text() for _ in range(3)] for _ in range(self.rng.randint(1, 3))}
        if await self.ask(self.caller.words.create(new)):
            self.ledger.texts |= new

    async def create_shared(self) -> None:
        """Create entities that others may be creating at this moment."""
        names = [shared_name(number) for number in self.rng.sample(range(SHARED), 2)]
        if await self.ask(self.caller.words.create({name: [] for name in names})):
            self.ledger.met |= {*names}

    async def add(self) -> None:
        """Add an observation to an entity of the caller's own."""
        name, text = self.any_name(), self.text()
        if await self.ask(self.caller.words.add(name, text)):
            self.ledger.texts[name] = [*self.ledger.texts[name], text]

    async def add_shared(self) -> None:
        """Add an observation to an entity that others add to at this moment."""
        if self.ledger.met:
            name, text = self.rng.choice(sorted(self.ledger.met)), self.text()
            if await self.ask(self.caller.words.add(name, text)):
                self.ledger.common.append((name, text))

    async def relate(self) -> None:
        """Relate an entity to another, or to one of everybody's."""
        relation = (self.any_name(), self.rng.choice([*sorted(self.ledger.met), self.any_name()]), "relates_to")
        if await self.ask(self.caller.words.relate(relation)):
            self.ledger.relations.add(relation)

    async def forget(self) -> None:
        """Delete an observation."""
        name = self.any_name()
        if texts := self.ledger.texts[name]:
            text = self.rng.choice(texts)
            if await self.ask(self.caller.words.forget(name, text)):
                self.ledger.texts[name] = [other for other in texts if other != text]
                self.ledger.forgotten.add((name, text))

    async def delete(self) -> None:
        """Delete an entity and what is related to it."""
        name = self.any_name()
        if await self.ask(self.caller.words.delete(name)):
            del self.ledger.texts[name]
            self.ledger.deleted.add(name)
            self.ledger.relations = {relation for relation in self.ledger.relations if name not in relation[:2]}


@dataclass(frozen=True)
class Outcome:
    """How what is there differs from what was acknowledged."""

    calls: int
    seconds: float
    refused: Counter[str]
    names: int
    lost_names: Sequence[str]
    doubled_names: Sequence[str]
    lost_texts: Sequence[tuple[str, str]]
    doubled_texts: Sequence[tuple[str, str]]
    risen: Sequence[object]
    """Entities and observations that were deleted, and are there."""
    lost_relations: Sequence[Triple]
    doubled_relations: Sequence[Triple]

    @property
    def faults(self) -> dict[str, int]:
        """Return the number of faults of each kind that occurs."""
        counted = {
            "names lost": len(self.lost_names),
            "names doubled": len(self.doubled_names),
            "observations lost": len(self.lost_texts),
            "observations doubled": len(self.doubled_texts),
            "deleted and there": len(self.risen),
            "relations lost": len(self.lost_relations),
            "relations doubled": len(self.doubled_relations),
            "calls refused": sum(self.refused.values()),
        }
        return {name: count for name, count in counted.items() if count}

    def row(self, name: str) -> Sequence[object]:
        """Return a line of the table."""
        lost = (self.lost_names, self.lost_texts, self.lost_relations)
        doubled = (self.doubled_names, self.doubled_texts, self.doubled_relations)
        counts = [*map(len, lost), *map(len, doubled), len(self.risen), sum(self.refused.values())]
        return (name, f"{self.calls:,}", f"{self.calls / self.seconds:,.0f}", f"{self.names:,}", *counts)


HEADING = (
    *("server", "calls", "calls/s", "names acknowledged", "names lost", "observations lost", "relations lost"),
    *("names doubled", "observations doubled", "relations doubled", "deleted and there", "calls refused"),
)


def compare_ledgers(ledgers: Sequence[Ledger], graph: Graph, seconds: float) -> Outcome:
    """Compare the graph with the replies to the callers."""
    names = Counter(name for name, _ in graph.entities)
    texts = Counter((name, text) for name, held in graph.entities for text in held)
    relations = Counter(graph.relations)
    reported_names = {name for ledger in ledgers for name in (*ledger.texts, *ledger.met)}
    reported_texts = {(name, text) for ledger in ledgers for name, held in ledger.texts.items() for text in held}
    reported_texts |= {pair for ledger in ledgers for pair in ledger.common}
    tied = {relation for ledger in ledgers for relation in ledger.relations}
    risen = [
        item for ledger in ledgers for item in (*ledger.deleted, *ledger.forgotten) if item in names or item in texts
    ]
    return Outcome(
        calls=sum(ledger.calls for ledger in ledgers),
        seconds=seconds,
        refused=sum((ledger.refused for ledger in ledgers), Counter[str]()),
        names=len(reported_names),
        lost_names=sorted(reported_names - names.keys()),
        doubled_names=sorted(name for name, count in names.items() if count > 1),
        lost_texts=sorted(reported_texts - texts.keys()),
        doubled_texts=sorted(text for text, count in texts.items() if count > 1),
        risen=risen,
        lost_relations=sorted(tied - relations.keys()),
        doubled_relations=sorted(relation for relation, count in relations.items() if count > 1),
    )


@asynccontextmanager
async def processes(start: Start) -> AsyncGenerator[Sequence[Caller]]:
    """Give a client of each of the processes."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(start.client()) for _ in range(PROCESSES)]


async def run_callers(start: Start, calls: int, seed: int) -> Outcome:
    """Have all callers make so many calls together, and compare."""
    async with processes(start) as clients:
        writers = [
            Writer(client, f"{process}-{number}", random.Random(f"{seed} {process} {number}"))
            for process, client in enumerate(clients)
            for number in range(CALLERS)
        ]
        began = time.monotonic()
        async with anyio.create_task_group() as tasks:
            for writer in writers:
                tasks.start_soon(writer.work, calls // len(writers))
        seconds = time.monotonic() - began
        read = start.words.read()
        assert read, f"{start.name} does not tell what it holds"
        graph = start.words.graph(await clients[0].ask(read))
    return compare_ledgers([writer.ledger for writer in writers], graph, seconds)


def rows(outcomes: Sequence[tuple[str, Outcome]]) -> str:
    """Return the table."""
    return table(HEADING, [outcome.row(name) for name, outcome in outcomes])

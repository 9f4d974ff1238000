"""Entities of three observations over MCP, two processes calling at once: ours beside the raw driver and others."""

from __future__ import annotations

import random
import shlex
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import anyio
from neo4j import AsyncDriver

from benchmarks.entities.at_once import Outcome, processes, rows, run_callers
from benchmarks.entities.raw import Raw
from benchmarks.entities.servers import NEO4J_MEMORY, OURS, Caller, Start, official, other, ours
from benchmarks.graph import fresh, say
from benchmarks.measure import WARM_UP, Call, Timings
from benchmarks.report import milliseconds, table
from benchmarks.sizes import Place
from graph_memory import Settings

RAW = "raw driver"
PAGE = 500
"""Entities of a call that loads."""
READS = 6
"""Calls that read the whole graph."""
LONGEST = 60.0
"""Seconds after which no more calls of an operation are made, and that one call may take."""
CLEAR = "MATCH (n:Memory) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
OPERATIONS = ("create", "add", "open", "search", "read_graph")


class Side(Protocol):
    """A side with the same operations as a server."""

    async def create(self, entities: Mapping[str, Sequence[str]]) -> object: ...  # noqa: D102

    async def add(self, name: str, text: str) -> object: ...  # noqa: D102

    async def open(self, name: str) -> object: ...  # noqa: D102

    async def search(self, query: str) -> object: ...  # noqa: D102

    async def read(self) -> object: ...  # noqa: D102


@dataclass(frozen=True)
class Served:
    """A client of a server as a side."""

    caller: Caller

    async def create(self, entities: Mapping[str, Sequence[str]]) -> object:
        """Create entities, each with its observations."""
        return await self.caller.ask(self.caller.words.create(entities))

    async def add(self, name: str, text: str) -> object:
        """Add an observation."""
        return await self.caller.ask(self.caller.words.add(name, text))

    async def open(self, name: str) -> object:
        """Read an entity."""
        return await self.caller.ask(self.caller.words.open(name))

    async def search(self, query: str) -> object:
        """Search for a word."""
        return await self.caller.ask(self.caller.words.search(query))

    async def read(self) -> object:
        """Read the whole graph; it raises RuntimeError if no tool does."""
        if request := self.caller.words.read():
            return await self.caller.ask(request)
        raise RuntimeError("no tool reads all")


@dataclass
class Figures:
    """The measurements of one side."""

    rate: float = 0.0
    """Entities a second while they are loaded."""
    times: dict[str, Timings] = field(default_factory=dict[str, Timings])

    def cells(self) -> Sequence[str]:
        """Return a row of the table."""
        timings = [self.times.get(name) for name in OPERATIONS]
        return [
            f"{self.rate:,.0f}",
            *(cell for timing in timings for cell in (milliseconds(timing) if timing else ("–", "–"))),
        ]

    def over(self, floor: Figures) -> Sequence[str]:
        """Return the cells of a comparison with the floor."""
        ratios = [(self.times.get(name), floor.times.get(name)) for name in OPERATIONS]
        shown = [f"{timings.p50 / least.p50:.2f}" if timings and least else "–" for timings, least in ratios]
        return [f"{self.rate / floor.rate:.2f}", *(cell for ratio in shown for cell in (ratio, ""))]


def entity(place: int) -> tuple[str, Sequence[str]]:
    """Return the name and the observations of an entity; one word of them is in no other."""
    name = f"Entity {place}"
    return name, (f"{name} was seen in the kitchen", f"{name} has the number rare{place}x", f"{name} is liked by many")


@dataclass(frozen=True)
class Bench:
    """A graph of a size, and the clients that ask for it."""

    sides: Sequence[Side]
    size: int
    calls: int

    async def measure(self) -> Figures:
        """Load the graph through the first client, and time every operation with all of them."""
        figures = Figures(await self._load())
        for name in OPERATIONS:
            count = READS if name == "read_graph" else self.calls
            calls = [self._call(name, side) for side in self.sides]
            if timings := await _time_calls(calls, count):
                figures.times[name] = timings
        return figures

    async def _load(self) -> float:
        began = time.perf_counter()
        for start in range(0, self.size, PAGE):
            await self.sides[0].create(dict(map(entity, range(start, min(start + PAGE, self.size)))))
        return self.size / (time.perf_counter() - began)

    def _call(self, operation: str, side: Side) -> Call:
        async def call(place: int) -> object:
            number = random.Random(place).randrange(self.size)
            match operation:
                case "create":
                    return await side.create({f"New {place}": entity(place)[1]})
                case "add":
                    return await side.add(entity(number)[0], f"added {place}")
                case "open":
                    return await side.open(entity(number)[0])
                case "search":
                    return await side.search(f"rare{number}x")
                case _:
                    return await side.read()

        return call


async def _time_calls(calls: Sequence[Call], count: int) -> Timings | None:
    """Return the timings of so many calls, each by the client that is free first; None if they are refused."""
    warm_up, timings = int(count * WARM_UP) or 1, Timings()
    places, until = iter(range(count + warm_up)), time.monotonic() + LONGEST

    async def work(call: Call) -> None:
        for place in places:
            with anyio.fail_after(LONGEST):
                await timings.take(call, place)
            if time.monotonic() > until and len(timings.times) > warm_up:
                return

    refused = False
    try:
        async with anyio.create_task_group() as tasks:
            for call in calls:
                tasks.start_soon(work, call)
    except* (RuntimeError, TimeoutError) as errors:
        say(f"refused: {errors.exceptions[0]!r:.200}")
        refused = True
    if refused:
        return None
    del timings.times[:warm_up]
    return timings


@dataclass(frozen=True)
class Field:
    """Where all sides are found."""

    place: Place
    settings: Settings
    others: Sequence[str]
    """Further servers, each as `name=command`."""

    def starts(self, folder: Path) -> Sequence[Start]:
        """Return the start of each server, ours first."""
        named = [option.partition("=") for option in self.others]
        others = [other(name, shlex.split(command), self.settings, folder) for name, _, command in named]
        return [ours(self.settings, fresh("bench-entities-")), official(folder), *others]

    async def at_size(self, size: int) -> str:
        """Return the table of a size."""
        raw = Raw(self.place.driver, fresh("bench-entities-"))
        await raw.prepare()
        say(f"{size:,} entities, {RAW}")
        results = {RAW: await Bench((raw, raw), size, self.place.calls).measure()}
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            for start in self.starts(Path(folder)):
                say(f"{size:,} entities, {start.name}")
                results[start.name] = await self._measure(start, size)
        return f"### {size:,} entities\n\n{_render(results)}"

    async def _measure(self, start: Start, size: int) -> Figures:
        async with AsyncExitStack() as stack:
            await self._clear(start)
            stack.push_async_callback(self._clear, start)
            clients = await stack.enter_async_context(processes(start))
            return await Bench([Served(client) for client in clients], size, self.place.calls).measure()

    async def _clear(self, start: Start) -> None:
        """Delete what mcp-neo4j-memory keeps, which has one graph in a database."""
        if start.name == NEO4J_MEMORY:
            await _clear(self.place.driver)

    async def at_once(self, calls: int) -> str:
        """Return the table of what two processes lose."""
        outcomes: list[tuple[str, Outcome]] = []
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            for start in self.starts(Path(folder)):
                if start.words.read():
                    say(f"{calls:,} calls at once, {start.name}")
                    await self._clear(start)
                    outcomes.append((start.name, await run_callers(start, calls, seed=1)))
                    await self._clear(start)
        return f"### {calls:,} calls, two processes, four callers each\n\n{rows(outcomes)}"


async def _clear(driver: AsyncDriver) -> None:
    async with driver.session() as session:
        await (await session.run(CLEAR)).consume()


def _render(figures_by_side: Mapping[str, Figures]) -> str:
    columns = [cell for name in OPERATIONS for cell in (f"{name} p50", "p95")]
    lines = [(name, *figures.cells()) for name, figures in figures_by_side.items()]
    ratio = (f"{OURS} / {RAW}", *figures_by_side[OURS].over(figures_by_side[RAW]))
    return table(("server", "load, entities/s", *columns), [*lines, ratio])


async def entities(place: Place, settings: Settings, sizes: Sequence[int], others: Sequence[str], mixed: int) -> str:
    """Return a table for each size, and one of what is lost when many write at once."""
    servers = Field(place, settings, others)
    parts = [await servers.at_size(size) for size in sizes]
    return "\n".join(["## Entities\n", *parts, await servers.at_once(mixed)])

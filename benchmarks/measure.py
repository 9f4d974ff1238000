"""Timings in turns: some calls of ours, some of the floor, and again, so that both meet the same machine."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

import anyio

Call = Callable[[int], Awaitable[object]]
"""One call; its argument counts the calls."""

WARM_UP = 0.25
"""The part of the calls that come first and are not counted."""
TURN = 20
"""Calls of one side before it is the other's turn."""
ROUNDS = 4
"""Turns of each side where several call at once."""
SETTLE = 0.05
"""Seconds after a turn of writes: what a write leaves to be done behind is not the next one's to bear."""


@dataclass(frozen=True)
class Operation:
    """An operation of graph-memory, and the least work that the raw driver must do for it."""

    name: str
    ours: Call
    floor: Call
    writes: bool = False


@dataclass
class Timings:
    """Times of calls in milliseconds, and the seconds in which they were made."""

    times: list[float] = field(default_factory=list[float])
    elapsed: float = 0.0

    @property
    def p50(self) -> float:
        """The median."""
        return median(self.times)

    @property
    def p95(self) -> float:
        """The milliseconds that 95 of 100 calls stay under."""
        return quantiles(self.times, n=20)[-1]

    @property
    def rate(self) -> float:
        """Calls a second."""
        return len(self.times) / self.elapsed

    async def take(self, call: Call, place: int) -> None:
        """Make a call and note its time."""
        began = time.perf_counter()
        await call(place)
        self.times.append(1_000 * (time.perf_counter() - began))


@dataclass(frozen=True)
class Result:
    """How an operation compared."""

    name: str
    ours: Timings
    floor: Timings

    @property
    def ratio(self) -> float:
        """The median of ours over that of the floor."""
        return self.ours.p50 / self.floor.p50

    @property
    def share(self) -> float:
        """The ratio of our calls a second to the floor's."""
        return self.ours.rate / self.floor.rate


async def compare(operation: Operation, calls: int, turn: int = TURN) -> Result:
    """Return the timings of `calls` calls of each side, a turn of so many at a time."""
    sides = (operation.ours, operation.floor)
    ours, floor = await in_turns(sides, calls, turn=turn, writes=operation.writes)
    return Result(operation.name, ours, floor)


async def in_turns(sides: Sequence[Call], calls: int, *, turn: int = TURN, writes: bool = False) -> list[Timings]:
    """Return the timings of `calls` calls of every side after a warm-up, a turn of so many at a time."""
    warm_up = int(calls * WARM_UP)
    results = [Timings() for _ in sides]
    for start in range(0, calls + warm_up, turn):
        for call, timings in zip(sides, results, strict=True):
            for place in range(start, start + turn):
                await timings.take(call, place)
            if writes:
                await anyio.sleep(SETTLE)
    for timings in results:
        del timings.times[:warm_up]
    return results


async def at_once(operations: Sequence[Operation], calls: int) -> Result:
    """Return the timings of `calls` calls of each side, made by so many at once as there are operations, in turns."""
    ours, floor = Timings(), Timings()
    portion = max(1, calls // ROUNDS)
    for start in range(-portion, calls, portion):
        if start == 0:  # the first round warms up
            ours, floor = Timings(), Timings()
        await _together([operation.ours for operation in operations], range(start, start + portion), ours)
        await anyio.sleep(SETTLE)
        await _together([operation.floor for operation in operations], range(start, start + portion), floor)
    return Result(operations[0].name, ours, floor)


async def _together(workers: Sequence[Call], numbers: Sequence[int], timings: Timings) -> None:
    """Make the calls of these numbers, each by the worker that is free first, and add their times."""
    places = iter(numbers)

    async def work(call: Call) -> None:
        for place in places:
            await timings.take(call, place)

    began = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for call in workers:
            tasks.start_soon(work, call)
    timings.elapsed += time.perf_counter() - began

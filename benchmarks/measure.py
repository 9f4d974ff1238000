"""Timings in turns: some calls of ours, some of the floor, and again, so that both meet the same machine."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import median, quantiles

import anyio

Call = Callable[[int], Awaitable[object]]
"""One call; its argument counts the calls."""

WARM_UP = 0.25
"""The part of the calls that come first and are not counted."""


@dataclass(frozen=True)
class Operation:
    """Something that graph-memory does, and the least that the raw driver must do for it."""

    name: str
    ours: Call
    floor: Call
    writes: bool = False


@dataclass
class Timings:
    """Times of single calls in milliseconds."""

    times: list[float] = field(default_factory=list[float])

    @property
    def p50(self) -> float:
        """The median."""
        return median(self.times)

    @property
    def p95(self) -> float:
        """What 95 of 100 calls stay under."""
        return quantiles(self.times, n=20)[-1]


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


async def compare(operation: Operation, calls: int, turn: int = 20) -> Result:
    """Return the timings of `calls` calls of each side, a turn of so many at a time."""
    ours, floor = Timings(), Timings()
    for start in range(0, int(calls * (1 + WARM_UP)), turn):
        for call, timings in ((operation.ours, ours), (operation.floor, floor)):
            for place in range(start, start + turn):
                began = time.perf_counter()
                await call(place)
                timings.times.append(1_000 * (time.perf_counter() - began))
            if operation.writes:
                await anyio.sleep(0.05)  # what a write leaves to be done behind is not the next one's to bear
    for timings in (ours, floor):
        del timings.times[: int(calls * WARM_UP)]
    return Result(operation.name, ours, floor)


async def rate(call: Call, calls: int, writers: int) -> float:
    """Return calls a second when so many run at once."""
    places = iter(range(calls))

    async def work() -> None:
        for place in places:
            await call(place)

    began = time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(writers):
            tasks.start_soon(work)
    return calls / (time.perf_counter() - began)


async def timed(call: Call, calls: int) -> Timings:
    """Return the timings of so many calls after a warm-up."""
    timings = Timings()
    for place in range(int(calls * (1 + WARM_UP))):
        began = time.perf_counter()
        await call(place)
        timings.times.append(1_000 * (time.perf_counter() - began))
    del timings.times[: int(calls * WARM_UP)]
    return timings

"""Several sides in turns, a few calls of each at a time, in wall time and in CPU time of the database."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

import psutil

Call = Callable[[], object]

_PATIENCE = 1.0
"""Seconds after which a turn of slow calls ends."""
_PAUSE = 0.05
"""Seconds for what a write leaves to be done behind it, which is not the next side's to bear."""


@dataclass
class Timings:
    """Wall times of single calls in milliseconds, and the CPU time of the database for all of them."""

    walls: list[float] = field(default_factory=list[float])
    cpu: float = 0.0
    calls: int = 0

    @property
    def wall(self) -> float:
        """The median wall time of a call."""
        return median(self.walls)

    @property
    def cpu_of_one(self) -> float:
        """The mean CPU time of a call."""
        return self.cpu / self.calls


def in_turns(
    pid: int, sides: Mapping[str, Call], *, rounds: int, turn: int, settle: Call | None = None
) -> Mapping[str, Timings]:
    """Return the timings of each side: a turn of each in every round, in an order of its own.

    Two more rounds come first and are not counted. `settle` is called after each turn: what it takes is CPU time
    of the turn, but of no call's wall time.
    """
    process, timings = psutil.Process(pid), {name: Timings() for name in sides}
    for number in range(-2, rounds):
        order = list(sides)
        random.Random(number).shuffle(order)
        for name in order:
            _turn(process, sides[name], timings[name] if number >= 0 else Timings(), turn, settle)
    return timings


def _turn(process: psutil.Process, call: Call, timings: Timings, turn: int, settle: Call | None) -> None:
    before, began = _cpu(process), time.perf_counter()
    for _ in range(turn):
        start = time.perf_counter()
        call()
        timings.walls.append(1_000 * (time.perf_counter() - start))
        timings.calls += 1
        if time.perf_counter() - began > _PATIENCE:
            break
    if settle:
        settle()
        time.sleep(_PAUSE)
    timings.cpu += 1_000 * (_cpu(process) - before)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system

"""Reads the data of a domain report. It uses the facades, so the same rights apply as for other reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from graph_memory.memory.access_counter import without_counting
from graph_memory.memory.entities.cleaning.results import GraphHealth
from graph_memory.memory.history.results import ChangeCount
from graph_memory.model.domain_results import DomainInfo
from graph_memory.model.results import ConnectedCount
from graph_memory.model.sessions import SessionSummary

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

MAX_LISTED = 10
PERIODS = 40
"""Number of equal periods in the growth plot."""
MAX_TITLES = 5
"""Maximum number of titles whose search latency is measured."""
ROUNDS = 2
MEASURED_SECONDS = 10.0
"""Total search time in seconds after which measuring stops."""
_OVERVIEW_TOKENS = 20_000
_STEPS = {"create": 1, "update": 0, "delete": -1}


@dataclass(frozen=True, slots=True)
class Period:
    """A period's end, the numbers of nodes and connections at that time, and the number of changes in the period."""

    end: datetime
    nodes: int
    connections: int
    changes: int


@dataclass(frozen=True, slots=True)
class Latency:
    """The number of measured searches, and their median and maximum latency in seconds."""

    searches: int
    median: float
    slowest: float


@dataclass(frozen=True, slots=True)
class Report:
    """The data of a domain report."""

    written: datetime
    info: DomainInfo
    growth: Sequence[Period]
    """Equal periods from the domain's creation to its last change, oldest first."""
    types: Sequence[tuple[str, int]]
    """The number of nodes per type, largest first."""
    sessions: Sequence[SessionSummary]
    connected: Sequence[ConnectedCount]
    used: Sequence[tuple[str, int]]
    """The titles of the most used nodes, and how often calls returned them."""
    health: GraphHealth
    latency: Latency | None


async def read_report(memory: Memory, now: datetime) -> Report:
    """Return the data of a report on the memory's domain. Raises ONTOLOGY_NOT_FOUND if the domain does not exist.

    Reads for a report do not count as accesses.
    """
    with without_counting():
        info = await memory.domain_info()
        overview = await memory.recall.recall(depth="shallow", as_="structured", max_tokens=_OVERVIEW_TOKENS)
        lists = cast("dict[str, list[dict[str, Any]]]", overview.content)
        connected = await memory.get_most_connected_nodes(limit=MAX_LISTED)
        return Report(
            written=now,
            info=info,
            growth=await _read_growth(memory, info),
            types=[(row["type"], row["nodes"]) for row in lists.get("counts", ())],
            sessions=(await memory.history.sessions(limit=MAX_LISTED)).sessions,
            connected=connected,
            used=[(row["title"], row["uses"]) for row in lists.get("used_most", ())],
            health=await memory.entities.graph_health(limit=MAX_LISTED),
            latency=await _measure_searches(memory, [node.title for node in connected if node.title][:MAX_TITLES]),
        )


async def _read_growth(memory: Memory, info: DomainInfo) -> Sequence[Period]:
    last = max(info.created, info.modified)  # a wrong clock may have set an earlier time
    counts = await memory.history.count_changes(info.created, last, periods=PERIODS)
    return periods_of(counts, info)


def periods_of(counts: Sequence[ChangeCount], info: DomainInfo) -> list[Period]:
    """Return the periods of a domain, oldest first.

    Their node and connection counts are derived from the current counts.
    """
    length = (info.modified - info.created) / PERIODS
    nodes, connections = info.nodes, info.connections
    periods: list[Period] = []
    for number in reversed(range(PERIODS)):
        rows = [row for row in counts if row.period == number]
        end = info.modified if number == PERIODS - 1 else info.created + length * (number + 1)
        periods.append(Period(end, max(nodes, 0), max(connections, 0), sum(row.changes for row in rows)))
        nodes -= sum(_STEPS[row.operation] * row.changes for row in rows if row.kind == "node")
        connections -= sum(_STEPS[row.operation] * row.changes for row in rows if row.kind == "connection")
    return periods[::-1]


async def _measure_searches(memory: Memory, titles: Sequence[str]) -> Latency | None:
    """Search for each title several times, and return the latency. Returns None if there are no titles."""
    seconds: list[float] = []
    for title in [*titles] * ROUNDS:
        if sum(seconds) > MEASURED_SECONDS:
            break
        start = perf_counter()
        await memory.recall.search_memories(title, max_results=MAX_LISTED)
        seconds.append(perf_counter() - start)
    return Latency(len(seconds), median(seconds), max(seconds)) if seconds else None

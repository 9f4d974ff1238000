"""`make bench`: measure, and print a report. `BENCH=full` takes more sizes and more calls."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date

import anyio
import psutil
from neo4j import AsyncGraphDatabase

from benchmarks.agent import agent
from benchmarks.answering import answering
from benchmarks.capture import capture
from benchmarks.changed import rank_changed_facts
from benchmarks.connected import compare_connected_nodes
from benchmarks.crowded import time_known_statements
from benchmarks.domains import domains
from benchmarks.entities.measuring import entities
from benchmarks.entry_points import entry_points
from benchmarks.event_coverage import event_coverage
from benchmarks.first_day import first_day
from benchmarks.fits import fits
from benchmarks.footprint import footprint
from benchmarks.lives import lives
from benchmarks.many import many
from benchmarks.many_clients import many_clients
from benchmarks.past import histories
from benchmarks.recall_coverage import coverage
from benchmarks.remembering import remembering, unseen
from benchmarks.replies import replies
from benchmarks.search_speed import search_speed
from benchmarks.searching import searching
from benchmarks.servers import local_settings
from benchmarks.session import session
from benchmarks.sizes import Place, measure
from benchmarks.startup import startup
from benchmarks.transports import transports
from benchmarks.turns import turns
from benchmarks.verifying import verifying
from benchmarks.viewer import viewer
from benchmarks.walks import walks
from graph_memory import Settings, local, open_memory


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    sizes: Sequence[int]
    calls: int
    mixed: int
    settings: Settings
    others: Sequence[str]


Part = Callable[[Place, Options], Awaitable[str]]
PARTS: dict[str, Part] = {
    "sizes": lambda place, options: measure(place, options.sizes),
    "agent": lambda place, options: agent(place, options.sizes),
    "history": lambda place, options: histories(place, options.sizes),
    "connected": lambda place, _: compare_connected_nodes(place),
    "walks": lambda place, options: walks(place, options.sizes),
    "entities": lambda place, options: entities(place, options.settings, options.sizes, options.others, options.mixed),
    "many": lambda place, _: many(place),
    "crowded": lambda place, _: time_known_statements(place),
    "domains": lambda place, _: domains(place),
    "verify": lambda place, options: verifying(place, options.sizes),
    "retrieval": lambda place, _: searching(place),
    "recall_coverage": lambda place, _: coverage(place),
    "event_coverage": lambda place, _: event_coverage(place),
    "remember": lambda _place, _options: remembering(),
    "unseen": lambda _place, _options: unseen(),
    "lives": lambda _place, _options: lives(),
    "answering": lambda place, _: answering(place),
    "turns": lambda place, _: turns(place),
    "session": lambda _, options: session(options.settings),
    "capture": lambda place, options: capture(place, options.settings),
    "clients": lambda place, options: many_clients(place.memory, options.settings),
    "first_day": lambda _, options: first_day(options.settings),
    "fits": lambda place, _: fits(place),
    "changed": lambda place, _: rank_changed_facts(place),
    "entry_points": lambda place, _: entry_points(place),
    "search": lambda place, options: search_speed(place, options.sizes),
    "ways": lambda place, options: transports(place.memory, options.settings, options.calls),
    "replies": lambda place, options: replies(place.memory, options.settings),
    "viewer": lambda place, options: viewer(place, options.settings, options.sizes),
    "footprint": lambda place, options: footprint(place.memory, options.settings, options.mixed),
    "startup": lambda _, options: startup(options.settings),
}

WITH_DATA = (
    "entry_points", "retrieval", "recall_coverage", "event_coverage", "search", "remember", "answering", "turns",
    "fits",
)  # fmt: skip
"""Parts that need the question sets beside the repository. They run only when you name them."""

SELDOM = ("changed", "unseen", "lives", "session", "first_day", "capture", "clients", "viewer")
"""Parts whose results seldom change. They run only when you name them."""


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000], help="nodes of the graphs")
    parser.add_argument("--calls", type=int, default=200, help="calls of each operation that are counted")
    parser.add_argument("--mixed", type=int, default=5_000, help="calls in which the memory of the service is watched")
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=PARTS,
        default=[part for part in PARTS if part not in (*WITH_DATA, *SELDOM)],
        help="what is measured",
    )
    parser.add_argument(
        "--others",
        nargs="+",
        default=[],
        metavar="NAME=COMMAND",
        help="servers of entities besides: mcp-neo4j-memory and mnemograph, where you have installed them",
    )
    namespace = parser.parse_args()
    options = Options(namespace.sizes, namespace.calls, namespace.mixed, local_settings(), namespace.others)
    anyio.run(report, options, namespace.parts)


async def report(options: Options, parts: Sequence[str]) -> None:
    """Print the report, each part as soon as it is measured."""
    server = local.ensure_running(options.settings)
    auth = (server.username, server.password)
    sys.stdout.write(_heading(options))
    async with open_memory(options.settings) as memory, AsyncGraphDatabase.driver(server.uri, auth=auth) as driver:
        place = Place(memory, driver, options.calls)
        for part in parts:
            sys.stdout.write(f"\n{await PARTS[part](place, options)}")
            sys.stdout.flush()


def _heading(options: Options) -> str:
    settings, cores, memory = options.settings, psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    return (
        f"# Measured\n\n{date.today()}, {platform.system()} {platform.machine()}, {cores} cores, {memory:.0f} GiB, "
        f"Python {platform.python_version()}, Neo4j {settings.neo4j_version} with a heap of {settings.neo4j_heap} "
        f"and a page cache of {settings.neo4j_page_cache}; `{' '.join(['python -m benchmarks', *sys.argv[1:]])}`. "
        f"{options.calls} calls of each kind after a warm-up, ours and the floor in turns. Times in ms.\n"
    )


if __name__ == "__main__":
    main()

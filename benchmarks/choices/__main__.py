"""`make choices`: measure the two choices of the design, and print the tables as they come."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator, Sequence
from datetime import date

import psutil

from benchmarks.choices.exactness import exactness
from benchmarks.choices.hazards import hazards
from benchmarks.choices.keys import measure_keys
from benchmarks.choices.servers import MEMORY, bench
from benchmarks.choices.windows import measure_windows
from graph_memory import Settings

PARTS = ("keys", "windows", "hazards", "exactness")


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000], help="nodes of a side")
    parser.add_argument("--rounds", type=int, default=10, help="turns of each side that are counted")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what is measured")
    namespace = parser.parse_args()
    for part in report_parts(namespace.sizes, namespace.rounds, namespace.parts):
        sys.stdout.write(f"{part}\n")
        sys.stdout.flush()


def report_parts(sizes: Sequence[int], rounds: int, parts: Sequence[str]) -> Iterator[str]:
    """Yield the report, a table at a time."""
    yield _heading(rounds)
    for name, measure in (("keys", measure_keys), ("windows", measure_windows)):
        for size in sizes if name in parts else ():
            yield f"## {name}: {size:,} nodes of each side\n"
            with bench(f"{name}-{size}") as result:
                yield from measure(result, size, rounds)
    for name, look in (("hazards", hazards), ("exactness", exactness)):
        if name in parts:
            yield f"## {name}\n"
            with bench(name) as result:
                yield look(result)


def _heading(rounds: int) -> str:
    cores, memory = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
    return (
        f"{date.today()}, {platform.system()} {platform.machine()}, {cores} cores, {memory:.0f} GiB, "
        f"Python {platform.python_version()}, Neo4j {Settings().neo4j_version} with a heap of "
        f"{MEMORY['neo4j_heap']} and a page cache of {MEMORY['neo4j_page_cache']}. {rounds} rounds: in each, every "
        "side has a turn of up to 20 calls. Milliseconds: the median wall time of a call, and the mean CPU time of "
        "Neo4j for one.\n"
    )


if __name__ == "__main__":
    main()

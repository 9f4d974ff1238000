"""`make load GRAPH=FOLDER`: a graph made by others is loaded, verified, exported and loaded again, and must be equal.

The inferred ontology is judged too: inferred from nine tenths of the rows, it must accept the last tenth, but for rows
like no other, and refuse faults that are seeded into it.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import anyio

from benchmarks.graph import say
from benchmarks.servers import local_settings
from graph_memory import GraphError, Memory, Ontology, SourceOptions, open_memory
from graph_memory.memory.transfer.load.infer import Inference
from graph_memory.memory.transfer.load.sources import reading
from graph_memory.memory.transfer.load.staged_record import Staged, StagedNode
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.results import GraphFormat
from graph_memory.model.ontology.types import AnyType, check_rules

FAULTS = 50
UNLIKE = 1_000
"""One row in so many may be like no other, as the only one that lacks a property: nothing seen can tell of it."""
FORMATS: Sequence[GraphFormat] = ("csv", "jsonl", "graphml")


def main() -> None:
    """Do all of it, and exit with 1 unless everything is as it must be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loading", description=__doc__)
    parser.add_argument("folder", type=Path, help="files that `graph-memory load` reads")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS, help="to export and load again")
    given = parser.parse_args()
    if not given.folder.exists():
        sys.exit(f"There is no {given.folder}: give a folder of files, as in make load GRAPH=folder")
    is_right = judged(given.folder)
    is_right &= anyio.run(moved, given.folder, given.formats)
    sys.exit(not is_right)


def judged(folder: Path) -> bool:
    """Infer an ontology from nine tenths of the rows, and try it on the last tenth."""
    rng = random.Random(1)
    with timed("read"), closing(Staging(SourceOptions())) as staging:
        for _ in reading(staging, folder):
            pass
        rows: list[Staged] = [*staging.nodes(), *staging.connections()]
    rng.shuffle(rows)
    cut = len(rows) * 9 // 10
    ontology = inferred(rows[:cut])
    held = rows[cut:]
    refused = [f"{told(row)}: {why}" for row in held if (why := fault_of(ontology, row))]
    seeded = [fault for row in held for fault in faults(ontology, row)]
    chosen = rng.sample(seeded, min(FAULTS, len(seeded)))
    missed = [f"{told(row)}: accepted with {dict(row.properties)}" for row in chosen if not fault_of(ontology, row)]
    say(f"inferred from {cut:,} rows; of {len(held):,} others refused: {len(refused)}")
    say(f"of {len(chosen)} faults accepted: {len(missed)}")
    for line in [*refused, *missed][:5]:
        say(f"  {line}")
    return len(refused) * UNLIKE <= len(held) and not missed


def inferred(rows: Sequence[Staged]) -> Ontology:
    """Return the ontology that rows suggest."""
    inference = Inference()
    for row in rows:
        if isinstance(row, StagedNode):
            inference.node(row.type, row.properties)
        else:
            inference.connection(row.type, *map(str, row.ends), row.properties)
    return inference.ontology()


def fault_of(ontology: Ontology, row: Staged) -> str | None:
    """Return why the ontology refuses a row, None where it allows it."""
    try:
        if not isinstance(row, StagedNode):
            ontology.check_topology(row.type, *map(str, row.ends))
        check_rules(declared(ontology, row), row.properties)
    except GraphError as error:
        return error.message
    return None


def told(row: Staged) -> str:
    """Return where a row stands and what it is."""
    ends = "" if isinstance(row, StagedNode) else f" from {row.source} to {row.target}"
    return f"{row.place}, {row.type} {row.id}{ends}"


def declared(ontology: Ontology, row: Staged) -> AnyType:
    """Return the type of a row."""
    return ontology.node_type(row.type) if isinstance(row, StagedNode) else ontology.connection_type(row.type)


def faults(ontology: Ontology, row: Staged) -> Iterator[Staged]:
    """Yield what could be wrong with a row: an end, a property that is missing or of another type, an odd value."""
    if not isinstance(row, StagedNode) and (wrong := other_end(ontology, row.type)) is not None:
        yield replace(row, ends=(wrong, row.ends[1]))
    for rule in declared(ontology, row).properties:
        value = row.properties.get(rule.name)
        if rule.required:
            yield replace(row, properties={name: one for name, one in row.properties.items() if name != rule.name})
        if value is not None and rule.type is not None:
            yield replace(row, properties={**row.properties, rule.name: 1 if isinstance(value, str) else "one"})
        if rule.enum:
            yield replace(row, properties={**row.properties, rule.name: f"{value} "})


def other_end(ontology: Ontology, name: str) -> str | None:
    """Return a node type at which a connection type may not begin."""
    found = ontology.connection_type(name)
    return next((one.name for one in ontology.node_types if not found.allows_source(one.name)), None)


async def moved(folder: Path, formats: Sequence[GraphFormat]) -> bool:
    """Load a graph, verify it, export it, and load each export again."""
    async with open_memory(local_settings()) as opened:
        memory = opened.in_domain(f"graph-{uuid4().hex[:8]}")
        with timed("load") as took:
            done = await memory.transfer.load(folder, ontology="infer")
        count = done.nodes.created + done.connections.created
        say(f"{done.nodes.created:,} nodes, {done.connections.created:,} connections; {count / took[0]:,.0f} a second")
        say(f"most memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
        with tempfile.TemporaryDirectory() as place:
            return await again(memory, formats, Path(place)) & await verified(memory)


async def again(memory: Memory, formats: Sequence[GraphFormat], place: Path) -> bool:
    """Export a domain in each format, and load that into another domain: both must be equal."""
    before = await lines(memory, place / "before.jsonl")
    is_right = True
    for form in formats:
        target = place / (form if form == "csv" else f"again.{form}")
        with timed(f"export {form}"):
            await memory.transfer.export_graph(target, form)
        copy = memory.in_domain(f"graph-{form}-{uuid4().hex[:8]}")
        with timed(f"load {form}"):
            await copy.transfer.load(target, ontology=await memory.get_ontology())
        is_equal = await lines(copy, place / f"after-{form}.jsonl") == before
        say(f"{form}: {'equal' if is_equal else 'NOT EQUAL'}")
        is_right &= is_equal
    return is_right


async def lines(memory: Memory, path: Path) -> list[str]:
    """Return everything in a domain, a line for each node and connection."""
    await memory.transfer.export_graph(path, "jsonl")
    return sorted(path.read_text("utf-8").splitlines())  # noqa: ASYNC240 - nobody waits


async def verified(memory: Memory) -> bool:
    """Compare a domain with its log."""
    with timed("verify"):
        found = (await memory.upkeep.verify()).differences
    say(f"verify: {len(found)} differences")
    return not found


@contextmanager
def timed(what: str) -> Iterator[list[float]]:
    """Print how long something took; it is in the list then."""
    took: list[float] = []
    before = time.perf_counter()
    yield took
    took.append(time.perf_counter() - before)
    say(f"{what}: {took[0]:.1f} s")


if __name__ == "__main__":
    main()

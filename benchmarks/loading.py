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
from graph_memory.memory.transfer.load.sources import read_in_steps
from graph_memory.memory.transfer.load.staged_record import Staged, StagedNode
from graph_memory.memory.transfer.load.staging import Staging
from graph_memory.memory.transfer.results import GraphFormat
from graph_memory.model.ontology.types import AnyType, check_rules

FAULTS = 50
UNLIKE = 1_000
"""One row in so many may be unlike all others, such as the only row without a property: no sample can show it."""
FORMATS: Sequence[GraphFormat] = ("csv", "jsonl", "graphml")


def main() -> None:
    """Do all of it, and exit with 1 unless everything is as it must be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.loading", description=__doc__)
    parser.add_argument("folder", type=Path, help="files that `graph-memory load` reads")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS, help="to export and load again")
    namespace = parser.parse_args()
    if not namespace.folder.exists():
        sys.exit(f"There is no {namespace.folder}: give a folder of files, as in make load GRAPH=folder")
    is_right = infer_and_check(namespace.folder)
    is_right &= anyio.run(load_and_export, namespace.folder, namespace.formats)
    sys.exit(not is_right)


def infer_and_check(folder: Path) -> bool:
    """Infer an ontology from nine tenths of the rows, and try it on the last tenth."""
    rng = random.Random(1)
    with timer("read"), closing(Staging(SourceOptions())) as staging:
        for _ in read_in_steps(staging, folder):
            pass
        rows: list[Staged] = [*staging.nodes(), *staging.connections()]
    rng.shuffle(rows)
    cut = len(rows) * 9 // 10
    ontology = infer_from(rows[:cut])
    held = rows[cut:]
    refused = [f"{place_of(row)}: {why}" for row in held if (why := fault_of(ontology, row))]
    seeded = [fault for row in held for fault in faults(ontology, row)]
    chosen = rng.sample(seeded, min(FAULTS, len(seeded)))
    missed = [f"{place_of(row)}: accepted with {dict(row.properties)}" for row in chosen if not fault_of(ontology, row)]
    say(f"inferred from {cut:,} rows; of {len(held):,} others refused: {len(refused)}")
    say(f"of {len(chosen)} faults accepted: {len(missed)}")
    for line in [*refused, *missed][:5]:
        say(f"  {line}")
    return len(refused) * UNLIKE <= len(held) and not missed


def infer_from(rows: Sequence[Staged]) -> Ontology:
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
        check_rules(type_of(ontology, row), row.properties)
    except GraphError as error:
        return error.message
    return None


def place_of(row: Staged) -> str:
    """Return the place and the name of a row."""
    ends = "" if isinstance(row, StagedNode) else f" from {row.source} to {row.target}"
    return f"{row.place}, {row.type} {row.id}{ends}"


def type_of(ontology: Ontology, row: Staged) -> AnyType:
    """Return the type of a row."""
    return ontology.node_type(row.type) if isinstance(row, StagedNode) else ontology.connection_type(row.type)


def faults(ontology: Ontology, row: Staged) -> Iterator[Staged]:
    """Yield what could be wrong with a row: an end, a property that is missing or of another type, an odd value."""
    if not isinstance(row, StagedNode) and (wrong := other_end(ontology, row.type)) is not None:
        yield replace(row, ends=(wrong, row.ends[1]))
    for rule in type_of(ontology, row).properties:
        value = row.properties.get(rule.name)
        if rule.required:
            yield replace(row, properties={name: value for name, value in row.properties.items() if name != rule.name})
        if value is not None and rule.type is not None:
            yield replace(row, properties={**row.properties, rule.name: 1 if isinstance(value, str) else "one"})
        if rule.enum:
            yield replace(row, properties={**row.properties, rule.name: f"{value} "})


def other_end(ontology: Ontology, name: str) -> str | None:
    """Return a node type at which a connection type may not begin."""
    connection_type = ontology.connection_type(name)
    return next((kind.name for kind in ontology.node_types if not connection_type.allows_source(kind.name)), None)


async def load_and_export(folder: Path, formats: Sequence[GraphFormat]) -> bool:
    """Load a graph, verify it, export it, and load each export again."""
    async with open_memory(local_settings()) as opened:
        memory = opened.in_domain(f"graph-{uuid4().hex[:8]}")
        with timer("load") as took:
            done = await memory.transfer.load(folder, ontology="infer")
        count = done.nodes.created + done.connections.created
        say(f"{done.nodes.created:,} nodes, {done.connections.created:,} connections; {count / took[0]:,.0f} a second")
        say(f"most memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
        with tempfile.TemporaryDirectory() as place:
            return await again(memory, formats, Path(place)) & await verify(memory)


async def again(memory: Memory, formats: Sequence[GraphFormat], place: Path) -> bool:
    """Export a domain in each format, and load that into another domain: both must be equal."""
    before = await lines(memory, place / "before.jsonl")
    is_right = True
    for form in formats:
        target = place / (form if form == "csv" else f"again.{form}")
        with timer(f"export {form}"):
            await memory.transfer.export_graph(target, form)
        copy = memory.in_domain(f"graph-{form}-{uuid4().hex[:8]}")
        with timer(f"load {form}"):
            await copy.transfer.load(target, ontology=await memory.get_ontology())
        is_equal = await lines(copy, place / f"after-{form}.jsonl") == before
        say(f"{form}: {'equal' if is_equal else 'NOT EQUAL'}")
        is_right &= is_equal
    return is_right


async def lines(memory: Memory, path: Path) -> list[str]:
    """Return everything in a domain, a line for each node and connection."""
    await memory.transfer.export_graph(path, "jsonl")
    return sorted(path.read_text("utf-8").splitlines())  # noqa: ASYNC240 - nobody waits


async def verify(memory: Memory) -> bool:
    """Compare a domain with its log."""
    with timer("verify"):
        differences = (await memory.upkeep.verify()).differences
    say(f"verify: {len(differences)} differences")
    return not differences


@contextmanager
def timer(text: str) -> Iterator[list[float]]:
    """Print the seconds of the block, and append them to the yielded list."""
    took: list[float] = []
    before = time.perf_counter()
    yield took
    took.append(time.perf_counter() - before)
    say(f"{text}: {took[0]:.1f} s")


if __name__ == "__main__":
    main()

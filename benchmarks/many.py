"""Many at once: batches, a load and a hub, each beside `UNWIND` of the same rows through the raw driver."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.graph import GROUP, ONTOLOGY, RAW_LINKS, RAW_NODES, ends, fresh, node_id, raw_node, say, text_of
from benchmarks.measure import Operation, compare
from benchmarks.operations import Sides
from benchmarks.report import table
from benchmarks.sizes import SMALL, Place
from graph_memory import Code, GraphError, ontology_from

COUNTS = (10, 100, 1_000, 10_000)
"""Operations of a batch."""
RECORDS = 40_000
"""Maximum records that all batches of a size write together."""
LOADED = 10_000
"""Nodes that are loaded, with two connections each."""
HUB = 100_000
"""Connections of the hub."""
PAGE = 10_000
"""Connections that one batch creates."""
RULED = ontology_from(
    {
        "node_types": ["Thing"],
        "connection_types": [
            {"name": "Link", "from": ["Thing"], "to": ["Thing"]},
            {"name": "Tree", "from": ["Thing"], "to": ["Thing"], "acyclic": True},
        ],
    }
)
Rows = Sequence[dict[str, object]]


@dataclass(frozen=True)
class Batches:
    """Batches of new nodes or new connections, and the raw statements for the same."""

    sides: Sides
    count: int

    async def nodes(self, _: int) -> object:
        """Make nodes in one batch."""
        return await self.sides.memory.execute_batch([new_node(fresh("n"), place) for place in range(self.count)])

    async def raw_nodes(self, _: int) -> object:
        """Make nodes with one UNWIND."""
        rows = [raw_node(self.sides.domain, place, fresh("n")) for place in range(self.count)]
        return await self.sides.raw(RAW_NODES, rows=rows)

    async def links(self, _: int) -> object:
        """Make connections between nodes that are there."""
        return await self.sides.memory.execute_batch([new_link("Link", *pair) for pair in self._pairs()])

    async def raw_links(self, _: int) -> object:
        """Make connections with one UNWIND, which finds their ends."""
        return await self.sides.raw(RAW_LINKS, rows=[raw_link(*pair) for pair in self._pairs()])

    def _pairs(self) -> list[tuple[str, str]]:
        return [(self.sides.any_id(place), self.sides.any_id(-place - 1)) for place in range(self.count)]


def new_node(name: str, place: int) -> dict[str, object]:
    """Return the operation that makes a node."""
    properties = {"code": place // GROUP}
    return {"op": "create_node", "id": name, "type": "Thing", "content": text_of(place), "properties": properties}


def loaded_node(place: int) -> dict[str, object]:
    """Return a node as a file has it."""
    properties = {"code": place // GROUP}
    return {"id": node_id(place), "type": "Thing", "content": text_of(place), "properties": properties}


def new_link(kind: str, source: str, target: str) -> dict[str, object]:
    """Return the operation that makes a connection."""
    return {"op": "create_connection", "type": kind, "from_node_id": source, "to_node_id": target}


def raw_link(source: str, target: str) -> dict[str, object]:
    """Return a row of RAW_LINKS."""
    return {"id": fresh("link"), "from": source, "to": target}


async def many(place: Place) -> str:
    """Return the tables."""
    sides, _ = await place.fill_graphs(SMALL)
    parts = [await _batches(sides), await _loads(place), await _hubs(place)]
    return "\n".join(["## Many at once\n", *parts])


async def _batches(sides: Sides) -> str:
    rows: list[Sequence[object]] = []
    for count in COUNTS:
        batches = Batches(sides, count)
        pairs = {"nodes": (batches.nodes, batches.raw_nodes), "connections": (batches.links, batches.raw_links)}
        for kind, (ours, floor) in pairs.items():
            say(f"batches of {count:,} {kind}")
            calls = min(100, RECORDS // count)
            try:
                result = await compare(Operation(kind, ours, floor, writes=True), calls, turn=max(1, calls // 10))
            except GraphError as error:
                if error.code is not Code.STORE_UNAVAILABLE:
                    raise
                rows.append((f"{count:,} {kind}", "more memory than Neo4j has", "", "", ""))
                continue
            rates = (f"{1_000 * count / timings.p50:,.0f}" for timings in (result.ours, result.floor))
            rows.append((f"{count:,} {kind}", f"{result.ours.p50:.1f}", *rates, f"{result.ratio:.2f}"))
    return table(("operations of a batch", "p50", "a second", "floor a second", "ratio"), rows)


async def _loads(place: Place) -> str:
    """Return the records that a load writes a second into new domains: nodes alone, and nodes with connections."""
    nodes = [{"node": loaded_node(step)} for step in range(LOADED)]
    links = [{"connection": {"type": "Link", "from": node_id(a), "to": node_id(b)}} for a, b in ends(LOADED)]
    rows: list[Sequence[object]] = []
    for kind, records in (("nodes", nodes), ("nodes and connections", [*nodes, *links])):
        say(f"loading {len(records):,} {kind}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "graph.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
            domain = fresh("bench-load-")
            ours = await _time_call(partial(place.memory.transfer.load, path, ontology=ONTOLOGY, domain=domain))
        floor = await _time_call(partial(_raw_load, place, domain, records is not nodes))
        rates = (f"{len(records) / value:,.0f}" for value in (ours, floor))
        rows.append((f"{len(records):,} {kind}", f"{ours:.1f}", *rates, f"{ours / floor:.2f}"))
    return table(("load", "seconds", "a second", "floor a second", "ratio"), rows)


async def _raw_load(place: Place, domain: str, has_links: bool) -> None:
    await place.driver.execute_query(RAW_NODES, rows=[raw_node(domain, step) for step in range(LOADED)])
    if has_links:
        links: Rows = [raw_link(node_id(a), node_id(b)) for a, b in ends(LOADED)]
        await place.driver.execute_query(RAW_LINKS, rows=links, domain=domain)


async def _hubs(place: Place) -> str:
    """Return the seconds of the first and the last connections of a hub: alike if a hub grows in linear time."""
    rows: list[Sequence[object]] = []
    for kind, rule in (("Link", "no rule"), ("Tree", "acyclic")):
        say(f"a hub of {HUB:,} connections, {rule}")
        sides, _ = await place.fill_graphs(SMALL)
        await sides.memory.apply_ontology(RULED)
        ours, floor = list[float](), list[float]()
        for start in range(0, HUB, PAGE):
            pairs = [(node_id(1 + step % (SMALL - 1)), node_id(0)) for step in range(start, start + PAGE)]
            operations = [new_link(kind, *pair) for pair in pairs]
            ours.append(await _time_call(partial(sides.memory.execute_batch, operations)))
            floor.append(await _time_call(partial(sides.raw, RAW_LINKS, rows=[raw_link(*pair) for pair in pairs])))
        result = (f"{value:.2f}" for value in (ours[0], ours[-1], floor[0], floor[-1]))
        rows.append((f"{HUB:,} connections, {rule}", *result, f"{HUB / sum(ours):,.0f}"))
    heading = (f"a hub, {PAGE:,} a batch", "first, s", "last, s", "floor first", "floor last", "a second")
    return table(heading, rows)


async def _time_call(call: Callable[[], Awaitable[object]]) -> float:
    began = perf_counter()
    await call()
    return perf_counter() - began

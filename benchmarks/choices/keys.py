"""Choice A: `_Key` rows with one static index, or a native index for each property of each label.

All sides put the same nodes with `project/put_nodes`. A side is a type: `Plain` has no index on its properties, `Rows`
has a `_Key` row for each value, `Native` an index on `(_domain, property)` of its own label, made beforehand.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.choices.report import table
from benchmarks.choices.servers import Bench, Row
from benchmarks.choices.statements import schema, together
from benchmarks.choices.turns import Call, in_turns
from graph_memory.memory.graph.queries import NODES_BY_KEY
from graph_memory.model.subjects.kinds import Step
from graph_memory.model.values.properties import PropertyValue, key_value

BATCH = 500
GROUP = 10
"""Nodes that share a value."""
DOMAIN = "asked"
WRITES = "written"
"""The domain of the writes that are measured, so that what is read stays as it is."""


@dataclass(frozen=True)
class Side:
    """A type of nodes, and how its properties are indexed."""

    type: str
    properties: Sequence[str]
    rows: bool = False
    native: bool = False

    @property
    def schema(self) -> Sequence[str]:
        """The indexes of the type's own."""
        named = self.properties if self.native else ()
        return [f"CREATE INDEX {self.type}_{key} FOR (n:{self.type}) ON (n._domain, n.{key})" for key in named]

    @property
    def put(self) -> str:
        """The statement that puts new nodes."""
        return together(Step.PUT_NODES, Step.PUT_KEYS) if self.rows else together(Step.PUT_NODES)

    @property
    def change(self) -> str:
        """The statement that puts nodes that are there already."""
        return together(Step.DROP_KEYS, Step.PUT_NODES, Step.PUT_KEYS) if self.rows else together(Step.PUT_NODES)

    def parameters(self, domain: str, nodes: Mapping[str, int]) -> Row:
        """Return the parameters of either statement: ids, each with the number that its values are made of."""
        rows = [self._node(domain, *node) for node in nodes.items()]
        keys = [key for node in nodes.items() for key in self._keys(domain, *node)] if self.rows else []
        drops = [{"owner": node} for node in nodes] if self.rows else []
        return {"domain": domain, "rows": {"put_nodes": rows, "put_keys": keys, "drop_keys": drops}}

    def _node(self, domain: str, node: str, number: int) -> Row:
        header = {"_domain": domain, "_id": node, "_type": self.type, "_version": 1, "_title": f"Thing {node}"}
        return {"id": node, "type": self.type, "content": None, "state": {**header, **self._values(number)}}

    def _keys(self, domain: str, node: str, number: int) -> Sequence[Row]:
        header = {"_domain": domain, "_kind": "node", "_type": self.type, "_owner": node}
        return [
            {**header, "_property": name, "_value": key_value(value)} for name, value in self._values(number).items()
        ]

    def _values(self, number: int) -> Mapping[str, PropertyValue]:
        values: Mapping[str, PropertyValue] = {
            "code": number // GROUP,
            "name": f"thing number {number}",
            "state": ("open", "waiting", "done")[number % 3],
            "weight": number / 8,
        }
        return {name: values[name] for name in self.properties}


ONE_KEY, FOUR_KEYS = ("code",), ("code", "name", "state", "weight")
SIDES = {
    "no index on 1 property": Side("Plain1", ONE_KEY),
    "`_Key` rows of 1": Side("Rows1", ONE_KEY, rows=True),
    "native index on 1": Side("Native1", ONE_KEY, native=True),
    "no index on 4 properties": Side("Plain4", FOUR_KEYS),
    "`_Key` rows of 4": Side("Rows4", FOUR_KEYS, rows=True),
    "native indexes on 4": Side("Native4", FOUR_KEYS, native=True),
}
EDITION = "MATCH (d:_Domain {_id: $domain}) RETURN toString(d._created) + '/' + d._mended AS epoch, COLLECT {"
FILTER = "n._id > $after AND all(key IN keys($filter) WHERE n[key] = $filter[key]) "
PAGE = "RETURN n._id AS id ORDER BY id LIMIT $limit } AS ids"
STATIC = f"{EDITION} MATCH (n:Native1 {{_domain: $domain, code: $value}}) WHERE {FILTER} {PAGE}"
BY_LABEL = f"{EDITION} MATCH (n:$($type)) WHERE n._domain = $domain AND n.code = $value AND {FILTER} {PAGE}"
BY_KEY = f"{EDITION} MATCH (n:Native1) WHERE n._domain = $domain AND n[$property] = $value AND {FILTER} {PAGE}"
BY_BOTH = f"{EDITION} MATCH (n:$($type)) WHERE n._domain = $domain AND n[$property] = $value AND {FILTER} {PAGE}"


def measure_keys(bench: Bench, size: int, rounds: int) -> Iterator[str]:
    """Yield what choice A measures at a size."""
    bench.apply(schema())
    bench.run("UNWIND $ids AS id CREATE (:_Domain {_id: id, _created: datetime(), _mended: 0})", ids=[DOMAIN, WRITES])
    yield _disk(size, _fill_sides(bench, size))
    yield _reads(bench, size, rounds)
    yield from _writes(bench, rounds)


def _fill_sides(bench: Bench, size: int) -> Mapping[str, int]:
    """Write all sides, one after the other, and return the bytes that each added."""
    sizes: dict[str, int] = {}
    before = bench.stored_bytes()
    for name, side in SIDES.items():
        bench.apply(side.schema)
        for start in range(0, size, BATCH):
            nodes = {f"{side.type}-{place}": place for place in range(start, min(start + BATCH, size))}
            bench.run(side.put, **side.parameters(DOMAIN, nodes))
        after = bench.stored_bytes()
        sizes[name], before = after - before, after
    return sizes


def _reads(bench: Bench, size: int, rounds: int) -> str:
    statements = {
        "`_Key` rows": ("Rows1", NODES_BY_KEY.text),
        "native: label and key in the statement": ("Native1", STATIC),
        "native: dynamic label, key in the statement": ("Native1", BY_LABEL),
        "native: label in the statement, dynamic key": ("Native1", BY_KEY),
        "native: dynamic label and key": ("Native1", BY_BOTH),
        "native: both in a statement that must be planned": ("Native1", f"CYPHER replan=force {STATIC}"),
    }
    chance = random.Random(size)

    def asking(kind: str, statement: str) -> Call:
        def ask() -> None:
            code = chance.randrange(size // GROUP)
            results = _ask(bench, kind, statement, code)
            assert sorted(results) == sorted(f"{kind}-{code * GROUP + step}" for step in range(GROUP))

        return ask

    sides = {name: asking(*pair) for name, pair in statements.items()}
    timings = in_turns(bench.server.pid, sides, rounds=rounds, turn=20)
    return table(f"10 equal values among {size:,} nodes", timings)


def _ask(bench: Bench, kind: str, statement: str, code: int) -> Sequence[str]:
    stored = key_value(code) if kind.startswith("Rows") else code
    wanted = {"type": kind, "property": "code", "value": stored, "filter": {"code": code}, "after": "", "limit": 101}
    [row] = bench.run(statement, domain=DOMAIN, **wanted)
    return row["ids"]  # pyright: ignore[reportReturnType]


def _writes(bench: Bench, rounds: int) -> Iterator[str]:
    sides = SIDES.items()
    creating = {name: _creating(bench, side, 1) for name, side in sides}
    changing = {name: _changing(bench, side) for name, side in sides}
    batches = {name: _creating(bench, side, BATCH) for name, side in sides}
    pid = bench.server.pid
    yield table("A new node", in_turns(pid, creating, rounds=rounds, turn=20), rows_of_a_base=3)
    yield table("A node changed", in_turns(pid, changing, rounds=rounds, turn=20), rows_of_a_base=3)
    yield table(f"{BATCH} new nodes", in_turns(pid, batches, rounds=rounds, turn=2), rows_of_a_base=3)


def _creating(bench: Bench, side: Side, count: int) -> Call:
    def create() -> None:
        nodes = {secrets.token_hex(8): secrets.randbelow(1_000_000) for _ in range(count)}
        bench.run(side.put, **side.parameters(WRITES, nodes))

    return create


def _changing(bench: Bench, side: Side) -> Call:
    ids = [f"{side.type}-changed-{place}" for place in range(200)]
    bench.run(side.put, **side.parameters(WRITES, dict.fromkeys(ids, 0)))

    def change() -> None:
        node = {random.choice(ids): secrets.randbelow(1_000_000)}
        bench.run(side.change, **side.parameters(WRITES, node))

    return change


def _disk(size: int, sizes: Mapping[str, int]) -> str:
    lines = [f"| {name} | {added / 2**20:.1f} | {added / size:,.0f} |" for name, added in sizes.items()]
    return "\n".join([f"| {size:,} nodes on disk | MiB | bytes a node |", "|---|--:|--:|", *lines, ""])

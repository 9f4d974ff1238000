"""The two graphs that are compared: one of graph-memory, one made and asked through the raw driver."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence

from neo4j import AsyncDriver

from graph_memory import Memory, ontology_from
from graph_memory.memory.nodes import NewNode
from graph_memory.memory.nodes import decide_create as decide_node
from graph_memory.model.content import content_from
from graph_memory.model.events import Draft, Op
from graph_memory.model.subjects import ConnectionState, Kind
from graph_memory.storage.log import Head
from graph_memory.storage.store import Reader

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Thing", "properties": {"code": {"indexed": True}}}],
        "connection_types": [{"name": "Link", "from": ["Thing"], "to": ["Thing"]}],
    }
)
BATCH = 500
WORDS = "kitchen contractor budget farmhouse phone quote plumber garden window floor paint order call plan".split()
GROUP = 10
"""Nodes that share a value of the indexed property."""

RAW_SCHEMA = (
    "CREATE CONSTRAINT bench_id IF NOT EXISTS FOR (n:Bench) REQUIRE (n.domain, n.id) IS UNIQUE",
    "CREATE INDEX bench_type IF NOT EXISTS FOR (n:Bench) ON (n.domain, n.type, n.id)",
    "CREATE INDEX bench_code IF NOT EXISTS FOR (n:Bench) ON (n.domain, n.code)",
    "CREATE CONSTRAINT bench_link IF NOT EXISTS FOR ()-[r:BenchLink]-() REQUIRE (r.domain, r.id) IS UNIQUE",
    "CREATE FULLTEXT INDEX bench_text IF NOT EXISTS FOR (n:Bench) ON EACH [n.text] "
    "OPTIONS {indexConfig: {`fulltext.eventually_consistent`: true}}",
)
"""Of the raw graph. Its full-text index is cheaper in a write than ours could be: see decision 10."""
RAW_NODES = "UNWIND $rows AS row CREATE (n:Bench) SET n = row"
RAW_LINKS = (
    "UNWIND $rows AS row MATCH (a:Bench {domain: $domain, id: row.from}) MATCH (b:Bench {domain: $domain, id: row.to}) "
    "CREATE (a)-[:BenchLink {domain: $domain, id: row.id}]->(b)"
)


def node_id(place: int) -> str:
    """Return the id of the node at a place."""
    return f"n{place}"


def text_of(place: int) -> str:
    """Return a text of about 80 words; every thousandth has a rare one."""
    words = [WORDS[(place * 7 + step * step) % len(WORDS)] for step in range(78)]
    rare = f"rare{place // 1000}" if place % 1000 == 0 else "usual"
    return f"# Thing {place}\n\n{' '.join(words)} {rare}"


def ends(size: int) -> Iterator[tuple[int, int]]:
    """Give two connections for each node: to the next one, and to one far away."""
    for place in range(size):
        yield place, (place + 1) % size
        yield place, (place * 7919 + 13) % size


async def fill(memory: Memory, domain: str, size: int) -> None:
    """Write a domain through the log, in batches: so many nodes with two connections each."""
    await memory.create_ontology(ONTOLOGY, domain=domain)
    for start in range(0, size, BATCH):
        await write_nodes(memory, domain, range(start, min(start + BATCH, size)))
    pairs = list(ends(size))
    for start in range(0, len(pairs), BATCH):
        await _write_links(memory, domain, start, pairs[start : start + BATCH])


async def index(memory: Memory, domain: str) -> None:
    """Have all texts indexed for search, which is otherwise done behind the searches."""
    await memory._search.index(domain)


async def write_nodes(memory: Memory, domain: str, places: Sequence[int], prefix: str = "") -> None:
    """Write nodes in one batch."""
    core = memory._core  # there is no method for batches yet

    def decide(head: Head, _: None) -> Sequence[Draft]:
        return [draft for place in places for draft in _node(head, place, prefix)]

    await core.log.write("bench", domain, core.origin, _nothing, decide)


def _node(head: Head, place: int, prefix: str) -> Sequence[Draft]:
    node = NewNode(
        id=prefix + node_id(place),
        type="Thing",
        content=content_from(text_of(place), "utf-8", "markdown"),
        properties={"code": place // GROUP},
        tags=(),
        path=None,
    )
    [draft] = decide_node(head, node, seen=False, owners=(), open_type_limit=0)
    return [Draft(**{name: getattr(draft, name) for name in draft.__slots__ if name != "windows"})]


async def _write_links(memory: Memory, domain: str, start: int, pairs: Sequence[tuple[int, int]]) -> None:
    core = memory._core

    def decide(head: Head, _: None) -> Sequence[Draft]:
        return [_link(head, f"c{start + step}", *pair) for step, pair in enumerate(pairs)]

    await core.log.write("bench", domain, core.origin, _nothing, decide)


def _link(head: Head, link_id: str, source: int, target: int) -> Draft:
    state = ConnectionState(
        id=link_id,
        type="Link",
        from_node_id=node_id(source),
        to_node_id=node_id(target),
        created=head.at,
        modified=head.at,
    )
    return Draft(
        op=Op.CREATE,
        kind=Kind.CONNECTION,
        subject=link_id,
        type="Link",
        from_id=state.from_node_id,
        to_id=state.to_node_id,
        state=state.state(),
    )


async def _nothing(_: Reader, __: Head) -> None:
    return None


async def fill_raw(driver: AsyncDriver, domain: str, size: int) -> None:
    """Write the same nodes and connections through the raw driver."""
    for statement in RAW_SCHEMA:
        await driver.execute_query(statement)
    for start in range(0, size, BATCH):
        rows = [raw_node(domain, place) for place in range(start, min(start + BATCH, size))]
        await driver.execute_query(RAW_NODES, rows=rows)
    pairs = [{"from": node_id(a), "to": node_id(b), "id": f"c{step}"} for step, (a, b) in enumerate(ends(size))]
    for start in range(0, len(pairs), BATCH):
        await driver.execute_query(RAW_LINKS, rows=pairs[start : start + BATCH], domain=domain)


def raw_node(domain: str, place: int, name: str | None = None) -> dict[str, object]:
    """Return the properties of a node as somebody without graph-memory would store it."""
    return {
        "domain": domain,
        "id": name or node_id(place),
        "type": "Thing",
        "code": place // GROUP,
        "text": text_of(place),
    }


def fresh(prefix: str) -> str:
    """Return a name that was not used before."""
    return f"{prefix}{secrets.token_hex(8)}"

"""The two graphs that are compared: one of graph-memory, one made and asked through the raw driver."""

from __future__ import annotations

import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence

from neo4j import AsyncDriver

from graph_memory import Memory, ontology_from
from graph_memory.memory.changes.plan import Context
from graph_memory.memory.graph.nodes import NewNode
from graph_memory.memory.graph.nodes import decide_create as decide_node
from graph_memory.model.events import Draft, Head, Op
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import ConnectionState
from graph_memory.model.text.search_windows import windows
from graph_memory.model.values.content import content_from
from graph_memory.storage.log.work import Decision
from graph_memory.storage.store import Reader

ONTOLOGY = ontology_from(
    {
        "node_types": [{"name": "Thing", "properties": {"code": {"indexed": True}}}],
        "connection_types": [{"name": "Link", "from": ["Thing"], "to": ["Thing"]}],
    }
)
BATCH = 500
"""Nodes of a batch that is measured."""
FILLED_AT_ONCE = 1_000
"""Nodes or connections that are filled in with one write of ours; more at once are no faster."""
RAW_FILLED_AT_ONCE = 10_000
TELL_EVERY = 15.0
"""Seconds between two words on how far filling has come."""
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


def rare_word(place: int) -> str:
    """Return a word that is in one text of a graph, and part of no other rare word."""
    return f"rare{place}x"


def text_of(place: int) -> str:
    """Return a text of about 80 words; every thousandth has a rare one."""
    words = [WORDS[(place * 7 + step * step) % len(WORDS)] for step in range(78)]
    rare = rare_word(place // 1000) if place % 1000 == 0 else "usual"
    return f"# Thing {place}\n\n{' '.join(words)} {rare}"


def ends(size: int) -> Iterator[tuple[int, int]]:
    """Give two connections for each node: to the next one, and to one far away."""
    for place in range(size):
        yield place, (place + 1) % size
        yield place, (place * 7919 + 13) % size


async def fill(memory: Memory, domain: str, size: int, text: Callable[[int], str] = text_of) -> float:
    """Write a domain through the log: so many nodes with two connections each. Return the seconds that it took."""
    began = time.perf_counter()
    await memory.create_ontology(ONTOLOGY, domain=domain)
    async for start, end in _portions("nodes", size, FILLED_AT_ONCE):
        await write_nodes(memory, domain, range(start, end), text=text)
    pairs = list(ends(size))
    async for start, end in _portions("connections", len(pairs), FILLED_AT_ONCE):
        await _write_links(memory, domain, start, pairs[start:end])
    return time.perf_counter() - began


async def _portions(text: str, count: int, at_once: int) -> AsyncIterator[tuple[int, int]]:
    """Give the beginning and the end of each portion, and tell now and then how far it is."""
    began = result = time.perf_counter()
    for start in range(0, count, at_once):
        yield start, min(start + at_once, count)
        if time.perf_counter() - result > TELL_EVERY:
            result = time.perf_counter()
            done = start + at_once
            say(f"  {done:,} of {count:,} {text}, {done / (result - began):,.0f} a second")


def say(text: str) -> None:
    """Tell on stderr what goes on."""
    sys.stderr.write(f"{text}\n")


async def index(memory: Memory, domain: str) -> float:
    """Have all texts indexed for search, otherwise done behind the searches. Return the seconds that it took."""
    began = time.perf_counter()
    await memory._search.index(domain)
    return time.perf_counter() - began


async def write_nodes(
    memory: Memory, domain: str, places: Sequence[int], prefix: str = "", text: Callable[[int], str] = text_of
) -> None:
    """Write nodes in one batch."""
    core = memory._core  # there is no method for batches yet

    def decide(head: Head, _: None) -> Decision[None]:
        return Decision([draft for place in places for draft in _node(head, place, prefix, text(place))], None)

    await core.log.write("bench", domain, core.origin, _nothing, decide)


def _node(head: Head, place: int, prefix: str, text: str) -> Sequence[Draft]:
    node = NewNode(
        id=prefix + node_id(place),
        type="Thing",
        content=content_from(text, "utf-8", "markdown"),
        properties={"code": place // GROUP},
        tags=(),
        windows=tuple(windows(text)),
    )
    return decide_node(head, node, Context(ontology=head.ontology), open_type_limit=0)


async def _write_links(memory: Memory, domain: str, start: int, pairs: Sequence[tuple[int, int]]) -> None:
    core = memory._core

    def decide(head: Head, _: None) -> Decision[None]:
        return Decision([_link(head, f"c{start + step}", *pair) for step, pair in enumerate(pairs)], None)

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


async def fill_raw(driver: AsyncDriver, domain: str, size: int) -> float:
    """Write the same nodes and connections through the raw driver. Return the seconds that it took."""
    began = time.perf_counter()
    for statement in RAW_SCHEMA:
        await driver.execute_query(statement)
    async for start, end in _portions("raw nodes", size, RAW_FILLED_AT_ONCE):
        await driver.execute_query(RAW_NODES, rows=[raw_node(domain, place) for place in range(start, end)])
    pairs = [{"from": node_id(a), "to": node_id(b), "id": f"c{step}"} for step, (a, b) in enumerate(ends(size))]
    async for start, end in _portions("raw connections", len(pairs), RAW_FILLED_AT_ONCE):
        await driver.execute_query(RAW_LINKS, rows=pairs[start:end], domain=domain)
    await driver.execute_query("CALL db.awaitIndexes()")
    await driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    return time.perf_counter() - began


def raw_node(domain: str, place: int, name: str | None = None) -> dict[str, object]:
    """Return the properties of a node as a program without graph-memory would store it."""
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

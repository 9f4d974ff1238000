"""How soon a search answers, beside the two plain queries of the indexes, and how fast a log is indexed."""

from __future__ import annotations

import gc
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import LiteralString

import anyio
import numpy as np

from benchmarks.graph import fresh, say
from benchmarks.measure import Call, in_turns
from benchmarks.report import table
from benchmarks.retrieval_data import stores
from benchmarks.search_beside import check_isolation, writes_beside
from benchmarks.sizes import Place
from graph_memory import Memory, ontology_from
from graph_memory.embedding import Embedder
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.search.index.index import index_words
from graph_memory.memory.search.index.index_filters import lexical_filter
from graph_memory.memory.search.text.lexical_query import lexical_query

AT_ONCE = 1_000
"""Nodes that are written in one batch."""
KNOWN = 500
"""Texts whose vectors are made; all others get one of these with noise."""
NOISE = 0.03
LINKS = 3
"""Connections for each node, for recalls."""
IDS: LiteralString = "MATCH (n:_Node) WHERE n._domain = $domain AND n._id IS NOT NULL RETURN n._id AS id ORDER BY id"
LEXICAL = "CALL db.index.fulltext.queryNodes('_passages_english', $words, {limit: 100}) YIELD node, score RETURN score"
NEAREST = (
    "CYPHER 25 MATCH (p:_Passage) SEARCH p IN (VECTOR INDEX _passage_vectors FOR $vector WHERE p._domain = $domain "
    "AND p._model = $model AND p._since <= $at AND p._until > $at LIMIT 100) SCORE AS score RETURN score"
)


class Perturbed:
    """The local model for questions; passages get the vectors of others with noise: 100,000 would take an hour."""

    def __init__(self, inner: Embedder, known: Sequence[Sequence[float]]) -> None:
        self._inner = inner
        self._known = np.array(known)
        self._random = np.random.default_rng(1)
        self.model = inner.model
        self.dimensions = inner.dimensions

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return known vectors with noise."""
        chosen = self._known[self._random.integers(len(self._known), size=len(texts))]
        array = chosen + self._random.normal(0, NOISE, chosen.shape)
        return (array / np.linalg.norm(array, axis=1, keepdims=True)).tolist()

    async def query(self, text: str) -> list[float]:
        """Return the vector of a question."""
        return await self._inner.query(text)

    async def aclose(self) -> None:
        """Leave the model, which belongs to the memory."""


@dataclass(frozen=True)
class Filled:
    """A domain with so many nodes, and how many of its passages were indexed in a second."""

    memory: Memory
    domain: str
    size: int
    words: float
    vectors: float


async def search_speed(place: Place, sizes: Sequence[int]) -> str:
    """Return tables of searches at every size."""
    all_stores = stores()
    texts = [entry.text for store in all_stores for entry in store.entries]
    questions = [question.text for store in all_stores for question in store.questions]
    Random(1).shuffle(questions)
    inner = place.memory._core.embedder
    assert inner is not None
    known = await inner.passages(texts[:: len(texts) // KNOWN])
    core = replace(place.memory._core, embedder=Perturbed(inner, known))
    parts: list[str] = []
    for size in sizes:
        filled = await _fill(Memory(core, default_domain=fresh(f"bench-search-{size}-")), texts, size)
        parts.append(await _measure(place, filled, questions))
        parts.append(await _measure_recall(place, filled, questions))
    parts += [await check_isolation(place.memory, texts), await writes_beside(place.memory, texts)]
    return "\n".join(["## Search: how soon\n", *parts])


async def _fill(memory: Memory, texts: Sequence[str], size: int) -> Filled:
    random = Random(size)
    words = [word for text in texts for word in text.split()]
    link = {"name": "Link", "from": ["*"], "to": ["*"]}
    await memory.create_ontology(ontology_from({"node_types": ["Entry"], "connection_types": [link]}))
    domain = memory._default_domain
    say(f"filling {size:,} nodes")
    for start in range(0, size, AT_ONCE):
        page = range(start, min(start + AT_ONCE, size))
        await memory.execute_batch([_operation(number, texts, words, random) for number in page])
    say("indexing words")
    began = time.perf_counter()
    await index_words(memory._core, domain)
    middle = time.perf_counter()
    say("putting vectors")
    covered = await memory.upkeep.reindex(anew=False)
    ended = time.perf_counter()
    return Filled(memory, domain, size, covered.open / (middle - began), covered.open / (ended - middle))


def _operation(number: int, texts: Sequence[str], words: Sequence[str], random: Random) -> dict[str, object]:
    """Return a node with a text in which a third of the words are others."""
    text = texts[number % len(texts)].split()
    for _ in range(len(text) // 3):
        text[random.randrange(len(text))] = random.choice(words)
    path = f"/{number // 25}"
    return {"op": "create_node", "type": "Entry", "content": " ".join(text), "format": "text", "path": path}


async def _measure(place: Place, filled: Filled, questions: Sequence[str]) -> str:
    seq = (await filled.memory.upkeep.index_status()).seq
    gc.freeze()  # as a server does when it has loaded everything
    named: dict[str, Call] = {
        "the two plain queries, at once": _plain(place, filled, questions),
        "hybrid": _search(filled, questions),
        "hybrid, as of halfway": _search(filled, questions, as_of=seq // 2),
        "lexical": _search(filled, questions, search_mode="lexical"),
        "semantic": _search(filled, questions, search_mode="semantic"),
    }
    timings = await in_turns(list(named.values()), place.calls)
    floor = timings[0].p50
    rows = [
        (name, f"{timing.p50:.0f}", f"{timing.p95:.0f}", f"{timing.p50 / floor:.2f}")
        for name, timing in zip(named, timings, strict=True)
    ]
    heading = (f"{filled.size:,} nodes, ms", "p50", "p95", "ratio of p50")
    speed = f"Indexed: {filled.words:,.0f} passages a second; vectors that are there put: {filled.vectors:,.0f}.\n"
    return f"{table(heading, rows)}\n{speed}"


async def _measure_recall(place: Place, filled: Filled, questions: Sequence[str]) -> str:
    """Return a table of recalls by depth, once the nodes are connected at random; beside a hybrid search."""
    random = Random(filled.size)
    nodes = [row["id"] for row in (await place.driver.execute_query(IDS, domain=filled.domain)).records]
    say(f"connecting {filled.size:,} nodes")
    for start in range(0, LINKS * filled.size, AT_ONCE):
        page = range(start, min(start + AT_ONCE, LINKS * filled.size))
        await filled.memory.execute_batch([_link(random, nodes) for _ in page])
    await filled.memory.upkeep.reindex(anew=False)
    seq = (await filled.memory.upkeep.index_status()).seq
    named: dict[str, Call] = {
        "hybrid search": _search(filled, questions),
        "recall, shallow": _recall(filled, questions, depth="shallow"),
        "recall, medium": _recall(filled, questions, depth="medium"),
        "recall, medium, as of halfway through the connections": _recall(
            filled, questions, depth="medium", as_of=seq - LINKS * filled.size // 2
        ),
        "recall, deep": _recall(filled, questions, depth="deep"),
    }
    timings = await in_turns(list(named.values()), place.calls)
    rows = [(name, f"{timing.p50:.0f}", f"{timing.p95:.0f}") for name, timing in zip(named, timings, strict=True)]
    return table((f"{filled.size:,} nodes, {LINKS} connections each, ms", "p50", "p95"), rows)


def _link(random: Random, nodes: Sequence[str]) -> dict[str, object]:
    ends = {"from_node_id": random.choice(nodes), "to_node_id": random.choice(nodes)}
    return {"op": "create_connection", "type": "Link", **ends, "strength": random.random()}


def _recall(filled: Filled, questions: Sequence[str], **arguments: object) -> Call:
    recall: Callable[..., Awaitable[object]] = filled.memory.recall.recall

    async def call(turn: int) -> object:
        return await recall(questions[turn % len(questions)], **arguments)

    return call


def _search(filled: Filled, questions: Sequence[str], **arguments: object) -> Call:
    memories: Callable[..., Awaitable[object]] = filled.memory.recall.search_memories

    async def call(turn: int) -> object:
        return await memories(questions[turn % len(questions)], max_results=10, **arguments)

    return call


def _plain(place: Place, filled: Filled, questions: Sequence[str]) -> Call:
    """Return the question to both indexes, with the vector of the question made before."""
    core = filled.memory._core
    assert core.embedder is not None
    embedder, driver = core.embedder, place.driver

    async def ask(statement: LiteralString, **arguments: object) -> None:
        await driver.execute_query(statement, arguments)

    async def call(turn: int) -> object:
        question = questions[turn % len(questions)]
        words = f"{lexical_filter(filled.domain)} +({lexical_query(question, fields={'_text': 1.0, '_head': 1.0})})"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: ask(LEXICAL, words=words))
            vector = await embedder.query(question)
            arguments: dict[str, object] = {"domain": filled.domain, "model": embedder.model, "at": END - 1}
            tasks.start_soon(lambda: ask(NEAREST, vector=vector, **arguments))
        return None

    return call

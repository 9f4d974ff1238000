"""Whether the evidence of known questions lies within the tokens of a reply: of recall, and of plain top hits."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from os import environ
from statistics import mean
from typing import Any

from benchmarks.graph import fresh, say
from benchmarks.retrieval_data import Question, Store, stores
from benchmarks.searching import fill
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.memory.recall.questions.phrases import parse_time
from graph_memory.memory.recall.rendering.wording import flatten
from graph_memory.memory.search.token_budget import load_counter
from graph_memory.operations.toolsets.recall import recall, search_memories

BUDGETS = (500, 2_000, 5_000)
QUESTION_STEP = int(environ.get("RECALL_EVERY", "1"))
"""Of the questions of a conversation, each so many-th is asked."""
TIMED = environ.get("RECALL_TIMED") == "1"
"""Whether only questions with a time in them are asked, and all of those."""
Retrieval = Callable[[Memory, str, int], Awaitable[str]]


async def coverage(place: Place) -> str:
    """Return a table of the questions whose evidence is in a reply, by its tokens: of recall, and of plain top hits."""
    all_stores = stores()
    domains = {store.name: fresh(f"bench-{store.name}-") for store in all_stores}
    for store in all_stores:
        say(f"filling {store.name}: {len(store.entries):,} entries")
        await fill(place.memory.in_domain(domains[store.name]), store)
    lines: dict[str, dict[str, str]] = {}
    for name, retrieve in WAYS.items():
        say(f"asking {name}")
        lines[name] = {}
        for budget in BUDGETS:
            for kind, cell in (await _measure(place.memory, all_stores, domains, retrieve, budget)).items():
                lines[name][f"{kind}, {budget:,}"] = cell
    return f"## Evidence within the tokens of a reply, through the tools\n\n{_table(lines)}"


async def _measure(
    memory: Memory, all_stores: Sequence[Store], domains: Mapping[str, str], retrieve: Retrieval, budget: int
) -> dict[str, str]:
    """Return for each set the mean share of evidence in the replies, and the share of questions with all of it."""
    parts: dict[str, list[float]] = {}
    for store in all_stores:
        for question in asked_questions(store):
            text = await retrieve(memory.in_domain(domains[store.name]), question.text, budget)
            if load_counter()(text) > budget:
                raise AssertionError(f"{load_counter()(text)} tokens for {budget}")
            parts.setdefault(store.set, []).append(evidence_share(question, text))
    return {
        kind: f"{100 * mean(some):.1f} / {100 * mean(value == 1 for value in some):.1f}" for kind, some in parts.items()
    }


def asked_questions(store: Store) -> list[Question]:
    """Return the questions of a store that are asked: of those whose evidence is known."""
    known = [question for question in store.questions if question.evidence]
    if TIMED:
        return [question for question in known if parse_time(question.text, datetime.now(UTC)).period]
    return known[:: QUESTION_STEP if store.set == "LoCoMo" else 1]


def evidence_share(question: Question, text: str) -> float:
    """Return the share of the evidence that a reply has, each piece of it whole."""
    shown = flatten(text)
    return mean(flatten(passage) in shown for passage in question.evidence)


async def recall_text(memory: Memory, question: str, budget: int, depth: str = "medium") -> str:
    """Return the reply of `recall` within a budget of tokens."""
    arguments: Any = {"query": question, "max_tokens": budget, "depth": depth}
    return str((await recall(memory, arguments)).content)


async def _recall_deep(memory: Memory, question: str, budget: int) -> str:
    return await recall_text(memory, question, budget, "deep")


async def _recall_structured(memory: Memory, question: str, budget: int) -> str:
    arguments: Any = {"query": question, "max_tokens": budget, "as": "structured"}
    content: Any = (await recall(memory, arguments)).content
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("\\n", " ").replace('\\"', "'")


async def search_hits(memory: Memory, question: str, budget: int) -> str:
    """Return as many hits of a search as fit into a budget of tokens, with passages of the usual length."""
    arguments: Any = {"query": question, "max_results": 100}
    hits = [hit.to_dict() for hit in (await search_memories(memory, arguments)).hits]
    kept = [json.dumps(hit, ensure_ascii=False, separators=(",", ":")) for hit in hits]
    while load_counter()(text := f"[{','.join(kept)}]") > budget:
        kept = kept[: int(len(kept) * budget / load_counter()(text))] if len(kept) > _FEW else kept[:-1]
    return text.replace("\\n", " ").replace('\\"', "'")


async def _texts(memory: Memory, question: str, budget: int) -> str:
    """Return the bare passages of the best hits, whole, as many as fit."""
    arguments: Any = {"query": question, "max_results": 100}
    lines: list[str] = []
    left = budget
    for hit in (await search_memories(memory, arguments)).hits:
        text = flatten((await memory.get_node_content(hit.id)).content)
        if (cost := load_counter()(f"{text}\n")) > left:
            break
        lines.append(text)
        left -= cost
    return "\n".join(lines)


_FEW = 20
WAYS: Mapping[str, Retrieval] = {
    "recall, medium": recall_text,
    "recall, deep": _recall_deep,
    "recall, structured": _recall_structured,
    "hits of search_memories, as they are": search_hits,
    "bare texts of the top hits": _texts,
}


def _table(lines: Mapping[str, Mapping[str, str]]) -> str:
    columns = sorted(
        next(iter(lines.values())), key=lambda column: (column.split(",")[0] != "LoCoMo", len(column), column)
    )
    rows = ["| | " + " | ".join(columns) + " |", "|---|" + "--:|" * len(columns)]
    rows += [f"| {name} | " + " | ".join(cells[column] for column in columns) + " |" for name, cells in lines.items()]
    return "\n".join(rows) + "\n"

"""Whether the evidence of known questions is in the results of `query_memory`, beside search and recall."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from benchmarks.graph import fresh, say
from benchmarks.recall_coverage import asked_questions, evidence_share, recall_text, search_hits
from benchmarks.report import table
from benchmarks.retrieval_data import Entry, Store, stores
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.agent.pipeline import MAX_EVENTS
from graph_memory.evaluation.cases import parse_time
from graph_memory.memory.search.token_budget import load_counter
from graph_memory.model.results import Result

BUDGET = 2_000
EVENTS = 50
"""Maximum number of results of a call: the largest `event_limit`."""
Answer = Callable[[Memory, str, int], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation whose turns are recorded as events, with the ids of the events by turn."""

    memory: Memory
    store: Store
    events: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """The shares of the evidence of a question that a reply has, and the tokens of the reply."""

    quoted: float
    identified: float
    tokens: int


async def event_coverage(place: Place) -> str:
    """Return a table of the evidence in replies of one budget, for conversations that are recorded as events."""
    conversations = [await _record(place.memory, store) for store in stores() if store.set == "LoCoMo"]
    rows: list[Sequence[object]] = []
    for name, answer in ANSWERS.items():
        say(f"asking {name}")
        scores = [score for conversation in conversations for score in await _ask(conversation, answer)]
        quoted = _cell(score.quoted for score in scores)
        identified = _cell(score.identified for score in scores) if name not in WITHOUT_IDS else "-"
        rows.append((name, len(scores), quoted, identified, f"{mean(score.tokens for score in scores):,.0f}"))
    heading = ("", "questions", "evidence quoted", "evidence by id", "mean tokens")
    return f"## Evidence within {BUDGET:,} tokens, turns as events\n\n{table(heading, rows)}"


async def _record(memory: Memory, store: Store) -> Conversation:
    """Record each turn of a conversation as an event, and index them."""
    say(f"recording {store.name}: {len(store.entries):,} turns")
    memory = memory.in_domain(fresh(f"bench-events-{store.name}-"))
    events: dict[str, str] = {}
    for start in range(0, len(store.entries), MAX_EVENTS):
        turns = store.entries[start : start + MAX_EVENTS]
        recorded = await memory.agent.record_events([_event(turn) for turn in turns])
        events |= {turn.id: event.event_id for turn, event in zip(turns, recorded, strict=True)}
    await memory.upkeep.reindex(anew=False)
    return Conversation(memory, store, events)


def _event(turn: Entry) -> dict[str, object]:
    event = {"event_type": "message", "actor": "user", "session": turn.sequence}
    time = parse_time(turn.date)
    dated = {"timestamp": time.isoformat()} if time else {}
    return {**event, **dated, "content": f"{turn.title}: {turn.text}"}


async def _ask(conversation: Conversation, answer: Answer) -> list[Score]:
    """Return the scores of the questions about a conversation."""
    scores: list[Score] = []
    for question in asked_questions(conversation.store):
        reply = await answer(conversation.memory, question.text, BUDGET)
        if (tokens := load_counter()(reply)) > BUDGET:
            raise AssertionError(f"{tokens} tokens for {BUDGET}")
        ids = [conversation.events[turn] for turn in question.answers if turn in conversation.events]
        scores.append(Score(evidence_share(question, reply), mean(node_id in reply for node_id in ids), tokens))
    return scores


def _cell(shares: Iterable[float]) -> str:
    """Return the mean share, and the percentage of questions with all of their evidence."""
    values = [*shares]
    return f"{100 * mean(values):.1f} / {100 * mean(value == 1 for value in values):.1f}"


async def _query_events(memory: Memory, question: str, budget: int) -> str:
    return _json(await memory.agent.query_memory(question, event_limit=EVENTS, max_tokens=budget))


async def _search_events(memory: Memory, question: str, budget: int) -> str:
    return _json(await memory.recall.search_memories(question, max_results=EVENTS, max_tokens=budget))


def _json(result: Result) -> str:
    """Return a result as JSON, with line breaks and quotation marks as `evidence_share` compares them."""
    fields: dict[str, Any] = result.to_dict()
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\\n", " ").replace('\\"', "'")


ANSWERS: Mapping[str, Answer] = {
    "`query_memory`": _query_events,
    "`search_memories` with `max_tokens`, which shortens passages": _search_events,
    "hits of `search_memories`, as many as fit": search_hits,
    "`recall`, medium": recall_text,
}
WITHOUT_IDS = ("`recall`, medium",)
"""Replies in prose, which have no ids."""

"""Conversations of LoCoMo through `remember`, turn by turn: that nothing is lost, and how much is asked about."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.graph import fresh, say
from benchmarks.report import table
from benchmarks.retrieval_data import Entry, stores
from benchmarks.sizes import Place
from graph_memory import Memory
from graph_memory.memory.entities.remember_results import RememberResult

MOST = int(os.environ.get("TURNS") or 10_000)
"""Turns of a conversation that are remembered."""
SAMPLED = 100
"""Decisions that are printed to be judged by hand."""


@dataclass(slots=True)
class Outcome:
    """The outcome of remembering the turns of a conversation."""

    turns: int = 0
    facts: Counter[str] = field(default_factory=Counter[str])
    asking: int = 0
    """Turns with a question."""
    questions: int = 0
    lost: list[str] = field(default_factory=list[str])
    decided: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    """Facts that were known, and questions."""


async def turns(place: Place, most: int = MOST) -> str:
    """Return a table, and a sample of what was decided. Raises AssertionError if a fact is missing."""
    rows: list[Sequence[object]] = []
    sample: list[dict[str, object]] = []
    for store in (store for store in stores() if store.set == "LoCoMo"):
        say(f"turns: {store.name}")
        memory = place.memory.in_domain(fresh("bench-turns-"))
        result = await _remember_turns(memory, store.entries[:most])
        differences = (await memory.upkeep.verify()).differences
        if result.lost or differences:
            raise AssertionError(f"{store.name} lost {result.lost[:5]}, verify found {differences}")
        per = 100 / max(result.turns, 1)
        rows.append((store.name, result.turns, result.facts.total(), result.facts["NOOP"], result.questions,
                     f"{result.questions * per:.1f}", f"{result.asking * per:.1f}"))  # fmt: skip
        sample += result.decided
    heading = ("conversation", "turns", "facts", "known", "questions", "of 100 turns", "turns with one, of 100")
    shown = random.Random(1).sample(sample, min(SAMPLED, len(sample)))
    lines = [json.dumps(decision, ensure_ascii=False) for decision in shown]
    return f"## Turns of conversations\n\n{table(heading, rows)}\n```\n" + "\n".join(lines) + "\n```\n"


async def _remember_turns(memory: Memory, entries: Sequence[Entry]) -> Outcome:
    """Remember each turn of its speaker, and check that all of it is stored."""
    result, texts_of = Outcome(), dict[str, dict[str, str]]()
    for entry in entries:
        receipt = await memory.entities.remember(entry.text, name=entry.title)
        result.turns += 1
        result.asking += receipt.questions is not None
        _count(result, receipt)
        own = texts_of.setdefault(entry.title, {})
        for fact in receipt.facts:
            if fact.decision == "ADD" and fact.id is not None:
                own[fact.id] = fact.fact
            elif fact.id is not None and fact.id not in own:  # a fact repeated in the same call has no id yet
                result.lost.append(fact.fact)
    for name, own in texts_of.items():
        [entity] = (await memory.entities.open_nodes([name])).entities
        result.lost += [text for text in own.values() if text not in entity.observations]
    return result


def _count(outcome: Outcome, receipt: RememberResult) -> None:
    for fact in receipt.facts:
        outcome.facts[fact.decision] += 1
        if fact.decision == "NOOP" and fact.rule != "equal text":
            outcome.decided.append({"of": receipt.entity, "known": fact.evidence, "new": fact.fact, "was": fact.rule})
    for question in receipt.questions or ():
        outcome.questions += 1
        texts = {"known": question.known_text, "new": question.new_text, "was": f"asked: {question.reason}"}
        outcome.decided.append({"of": receipt.entity, **texts})

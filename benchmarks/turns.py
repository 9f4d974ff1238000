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
from graph_memory.memory.entities.remember_results import Remembered

MOST = int(os.environ.get("TURNS") or 10_000)
"""Turns of a conversation that are remembered."""
SAMPLED = 100
"""Decisions that are printed to be judged by hand."""


@dataclass(slots=True)
class Told:
    """What became of the turns of a conversation."""

    turns: int = 0
    facts: Counter[str] = field(default_factory=Counter[str])
    asking: int = 0
    """Turns with a question."""
    questions: int = 0
    lost: list[str] = field(default_factory=list[str])
    decided: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    """Facts that were known, and questions."""


async def turns(place: Place, most: int = MOST) -> str:
    """Return a table, and a sample of what was decided. Raises AssertionError where something said is not there."""
    rows: list[Sequence[object]] = []
    sample: list[dict[str, object]] = []
    for store in (each for each in stores() if each.set == "LoCoMo"):
        say(f"turns: {store.name}")
        memory = place.memory.in_domain(fresh("bench-turns-"))
        told = await _told(memory, store.entries[:most])
        differences = (await memory.upkeep.verify()).differences
        if told.lost or differences:
            raise AssertionError(f"{store.name} lost {told.lost[:5]}, verify found {differences}")
        per = 100 / max(told.turns, 1)
        rows.append((store.name, told.turns, told.facts.total(), told.facts["NOOP"], told.questions,
                     f"{told.questions * per:.1f}", f"{told.asking * per:.1f}"))  # fmt: skip
        sample += told.decided
    heading = ("conversation", "turns", "facts", "known", "questions", "of 100 turns", "turns with one, of 100")
    shown = random.Random(1).sample(sample, min(SAMPLED, len(sample)))
    lines = [json.dumps(one, ensure_ascii=False) for one in shown]
    return f"## Turns of conversations\n\n{table(heading, rows)}\n```\n" + "\n".join(lines) + "\n```\n"


async def _told(memory: Memory, entries: Sequence[Entry]) -> Told:
    """Remember each turn of its speaker, and look whether all of it is there."""
    found, said = Told(), dict[str, dict[str, str]]()
    for entry in entries:
        told = await memory.entities.remember(entry.text, name=entry.title)
        found.turns += 1
        found.asking += told.questions is not None
        _count(found, told)
        own = said.setdefault(entry.title, {})
        for fact in told.facts:
            if fact.decision == "ADD" and fact.id is not None:
                own[fact.id] = fact.fact
            elif fact.id is not None and fact.id not in own:  # one that the same call has said before has no id yet
                found.lost.append(fact.fact)
    for name, own in said.items():
        [entity] = (await memory.entities.open_nodes([name])).entities
        found.lost += [text for text in own.values() if text not in entity.observations]
    return found


def _count(found: Told, told: Remembered) -> None:
    for fact in told.facts:
        found.facts[fact.decision] += 1
        if fact.decision == "NOOP" and fact.rule != "equal text":
            found.decided.append({"of": told.entity, "known": fact.evidence, "new": fact.fact, "was": fact.rule})
    for question in told.questions or ():
        found.questions += 1
        asked = {"known": question.known_text, "new": question.new_text, "was": f"asked: {question.reason}"}
        found.decided.append({"of": told.entity, **asked})

"""The lives of two agents in 40 sessions: what `remember` asks about as more and more is known, without a server."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_memory.memory.statements.statement_verdict import CurrentObservation, Rule, verdict

LIVES = Path(__file__).parents[1] / "tests" / "data" / "lives.jsonl"
"""Facts as an agent says them, written before any was remembered, by somebody who knew the tools' texts alone."""


@dataclass(frozen=True, slots=True)
class Said:
    """A fact, what it is (new, same, changed, replaces …), and the known ones that it repeats or that it ends."""

    life: str
    session: int
    entity: str
    kind: str
    text: str
    about: Sequence[str] = ()


async def lives(path: Path = LIVES) -> str:
    """Return how many questions are right, and what becomes of repeats, if each question is answered rightly."""
    said = _said(path)
    count = _lived(said)
    return "\n".join(("## Lives", "", "| | |", "|---|--:|", *(f"| {name} | {many} |" for name, many in count.items())))


def _said(path: Path) -> list[Said]:
    return [Said(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _lived(said: Sequence[Said]) -> Mapping[str, int]:
    known = defaultdict[tuple[str, str], list[str]](list)
    count = Counter[str]()
    for one in said:
        own = known[one.life, one.entity]
        if one.kind in ("replaces", "ended"):
            own[:] = [text for text in own if text not in one.about]
            own += [one.text] if one.text else []
            continue
        found = verdict(one.text, [CurrentObservation(text, text) for text in own], one.entity)
        asked = {doubt.known.text for doubt in found.doubts}
        right = asked & {*one.about}
        is_known = found.rule is Rule.EQUAL_TEXT
        count["facts in free text"] += 1
        count["questions that are right"] += len(right)
        count["questions that are not"] += len(asked - right)
        count[f"{one.kind}: all"] += 1
        count[f"{one.kind}: known"] += is_known
        count[f"{one.kind}: asked about"] += bool(right)
        if one.kind == "changed":
            own[:] = [text for text in own if text not in right]
        if not is_known and not (one.kind == "same" and right):
            own.append(one.text)
    return {name: many for name, many in count.items() if many}

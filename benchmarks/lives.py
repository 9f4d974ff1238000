"""The lives of two agents in 40 sessions: what `remember` asks about as more and more is known, without a server."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graph_memory.memory.statements.statement_verdict import CurrentObservation, Rule, judge_statement

LIVES = Path(__file__).parents[1] / "tests" / "data" / "lives.jsonl"
"""Facts in an agent's words. Their author knew only the texts of the tools."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact, what it is (new, same, changed, replaces …), and the known ones that it repeats or that it ends."""

    life: str
    session: int
    entity: str
    kind: str
    text: str
    about: Sequence[str] = ()


async def lives(path: Path = LIVES) -> str:
    """Return counts of right questions and of repeats, if each question gets the right answer."""
    results = _read_statements(path)
    count = _count_decisions(results)
    return "\n".join(("## Lives", "", "| | |", "|---|--:|", *(f"| {name} | {many} |" for name, many in count.items())))


def _read_statements(path: Path) -> list[Statement]:
    return [Statement(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _count_decisions(statements: Sequence[Statement]) -> Mapping[str, int]:
    known = defaultdict[tuple[str, str], list[str]](list)
    count = Counter[str]()
    for statement in statements:
        own = known[statement.life, statement.entity]
        if statement.kind in ("replaces", "ended"):
            own[:] = [text for text in own if text not in statement.about]
            own += [statement.text] if statement.text else []
            continue
        result = judge_statement(statement.text, [CurrentObservation(text, text) for text in own], statement.entity)
        doubted = {doubt.known.text for doubt in result.possible_replacements}
        right = doubted & {*statement.about}
        is_known = result.rule is Rule.EQUAL_TEXT
        count["facts in free text"] += 1
        count["questions that are right"] += len(right)
        count["questions that are not"] += len(doubted - right)
        count[f"{statement.kind}: all"] += 1
        count[f"{statement.kind}: known"] += is_known
        count[f"{statement.kind}: asked about"] += bool(right)
        if statement.kind == "changed":
            own[:] = [text for text in own if text not in right]
        if not is_known and not (statement.kind == "same" and right):
            own.append(statement.text)
    return {name: many for name, many in count.items() if many}

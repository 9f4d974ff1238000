"""Decisions of `remember` on pairs of statements with labels by people: asked about, known, or new."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.retrieval_data import DATA
from graph_memory.memory.statements.statement_verdict import CurrentObservation, Rule, Verdict, judge_statement

PAIRS = DATA / "remember" / "pairs.jsonl"
UNSEEN = Path(__file__).parents[1] / "tests" / "data" / "remember"
"""Tables of pairs by an author who had not read the rules, each judged once: leave them alone."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A known statement, a new statement about the same entity, and the label of their relation."""

    id: str
    entity: str
    known: str
    new: str
    label: str
    lang: str = ""
    area: str = ""
    why: str = ""
    kind: str = ""


def read_pairs(path: Path) -> list[Pair]:
    """Return labelled pairs. Raises FileNotFoundError."""
    if not path.is_file():
        raise FileNotFoundError(f"There are no labelled pairs at {path}")
    return [Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


Judged = tuple[Pair, Verdict]


async def unseen() -> str:
    """Return the decisions on each table of pairs that the rules had not seen."""
    return "\n".join([await remembering(path) for path in sorted(UNSEEN.glob("*.jsonl"))])


async def remembering(path: Path = PAIRS) -> str:
    """Return a table of what is decided, for all languages and each; fails where the pairs are not there."""
    pairs = read_pairs(path)
    results = [(pair, judge_statement(pair.new, [CurrentObservation("", pair.known)], pair.entity)) for pair in pairs]
    return f"## Remember: {len(pairs)} labelled pairs, {path.name}\n\n{_table(results)}"


def _table(results: Sequence[Judged]) -> str:
    parts: dict[str, Callable[[Pair], bool]] = {
        "all": lambda _: True,
        "English": lambda pair: pair.lang == "en",
        "others": lambda pair: pair.lang != "en",
    }
    lines = ["| | contradictions asked | others asked | NOOP right | NOOP of the same |", "|---|---|---|---|---|"]
    for name, takes in parts.items():
        own = [judged for judged in results if takes(judged[0])]
        known = [pair.label == "same" for pair, judgement in own if judgement.rule is Rule.EQUAL_TEXT]
        doubted = [pair.label == "contradicted" for pair, judgement in own if judgement.possible_replacements]
        labels = [pair.label for pair, _ in own]
        wrong, same = labels.count("contradicted"), labels.count("same")
        cells = (
            (sum(doubted), wrong),
            (doubted.count(False), len(own) - wrong),
            (sum(known), len(known)),
            (sum(known), same),
        )
        lines.append(f"| {name} | " + " | ".join(f"{part} of {whole}" for part, whole in cells) + " |")
    return "\n".join(lines) + "\n"

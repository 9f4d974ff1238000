"""What becomes of new statements beside what is known of a thing: added, nothing new, or also asked about. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from graph_memory.memory.entities.statements.comparing import Comparison, compared
from graph_memory.memory.entities.statements.judging import SAYS_NOTHING_NEW, Rule, judged

MOST_ASKED = 3
"""Known statements that one reply asks about."""
Likeness = Callable[[str, str], float | None]
"""Gives the cosine of two texts, where it is known."""


@dataclass(frozen=True, slots=True)
class Known:
    """An observation that holds."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A known statement that a new one may make out of date."""

    known: Known
    score: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a new statement is: nothing new beside a known one, or new, with what it may make out of date."""

    rule: Rule
    known: Known | None = None
    score: float | None = None
    evidence: str | None = None
    doubts: Sequence[Doubt] = field(default_factory=list[Doubt])


@lru_cache(maxsize=32_768)
def _compared(known: str, new: str, entity: str, cosine: float | None) -> tuple[Comparison, Rule]:
    pair = compared(known, new, entity, cosine)
    return pair, judged(pair)


def verdict(new: str, known: Sequence[Known], entity: str, likeness: Likeness) -> Verdict:
    """Return what a statement about an entity is beside those that hold, and its doubts, surest first."""
    equal = next((one for one in known if one.text == new), None)
    if equal is not None:
        return Verdict(rule=Rule.EQUAL_TEXT, known=equal, score=1.0)
    doubts: list[tuple[float, Doubt]] = []
    for one in known:
        pair, rule = _compared(one.text, new, entity, likeness(one.text, new))
        if rule in SAYS_NOTHING_NEW:
            return Verdict(rule=rule, known=one, score=round(min(pair.forth, pair.back), 2), evidence=one.text)
        if rule is Rule.MAY_CONTRADICT:
            doubt = Doubt(one, round(pair.score, 2), reason(pair))
            doubts.append((pair.score + (pair.cosine or 0.0), doubt))
    doubts.sort(key=lambda each: -each[0])
    return Verdict(rule=Rule.NEW, doubts=[doubt for _, doubt in doubts[:MOST_ASKED]])


def in_need_of_vectors(new: str, known: Sequence[Known], entity: str, most: int) -> list[str]:
    """Return the known texts, up to so many, of which a vector would say whether they have to do with a new one."""
    found: list[tuple[float, str]] = []
    for one in known:
        pair, rule = _compared(one.text, new, entity, None)
        if rule is Rule.MAY_CONTRADICT or min(pair.forth, pair.back) > 0:
            found.append((-pair.score, one.text))
    return [text for _, text in sorted(found)[:most]]


def reason(pair: Comparison) -> str:
    """Return in words what speaks for the known statement being out of date."""
    told = [f"{feature} ({evidence})" for feature, evidence in pair.features.items()]
    return "; ".join(told) if told else "much alike"

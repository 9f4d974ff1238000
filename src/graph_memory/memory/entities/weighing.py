"""What becomes of new statements beside what is known of a thing: added, nothing new, or also asked about. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log, prod

from graph_memory.memory.entities.statements.comparing import EXCLUDING, Comparison, compared
from graph_memory.memory.entities.statements.judging import SAYS_NOTHING_NEW, Rule, asked_from, judged
from graph_memory.memory.entities.statements.literals import same_text

MOST_ASKED = 3
"""Known statements that one reply asks about."""
LONGEST = 2_000
"""Characters of a statement: a longer text is a document, and known only where it is equal."""
_CROWD = 0.5
"""What a doubt needs beyond, for each time that e times as many known statements would fit as well."""


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
    excludes: bool = False
    """Whether the two cannot both hold at one time, whatever was said first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a new statement is: nothing new beside a known one, or new, with what it may make out of date."""

    rule: Rule
    known: Known | None = None
    score: float | None = None
    evidence: str | None = None
    doubts: Sequence[Doubt] = field(default_factory=list[Doubt])


@lru_cache(maxsize=32_768)
def _compared(known: str, new: str, entity: str) -> tuple[Comparison, Rule]:
    pair = compared(known, new, entity)
    return pair, judged(pair)


def verdict(new: str, known: Sequence[Known], entity: str) -> Verdict:
    """Return what a statement about an entity is beside those that hold, and its doubts, surest first."""
    equal = equal_to(new, known)
    if equal is not None:
        return Verdict(rule=Rule.EQUAL_TEXT, known=equal, score=1.0)
    doubtful: list[tuple[Known, Comparison]] = []
    ties = Counter[str]()
    for one in _comparable(new, known):
        pair, rule = _compared(one.text, new, entity)
        if rule in SAYS_NOTHING_NEW:
            return Verdict(rule=rule, known=one, score=round(min(pair.forth, pair.back), 2), evidence=one.text)
        ties.update(pair.ties)
        if rule is Rule.MAY_CONTRADICT:
            doubtful.append((one, pair))
    count = len(known)
    weighed = [(pair.score - asked_from(pair) - _among_others(pair, ties, count), one, pair) for one, pair in doubtful]
    found = [each for each in weighed if each[0] >= 0]
    found.sort(key=lambda each: -each[0])
    doubts = [
        Doubt(one, round(pair.score, 2), reason(pair), excludes=not EXCLUDING.isdisjoint(pair.features))
        for _, one, pair in found[:MOST_ASKED]
    ]
    return Verdict(rule=Rule.NEW, doubts=doubts)


def equal_to(new: str, known: Sequence[Known]) -> Known | None:
    """Return the known statement of the same text, the one that is equal to the character first."""
    exact = (one for one in known if one.text == new)
    return next(exact, None) or next((one for one in known if same_text(one.text, new)), None)


def _comparable(new: str, known: Sequence[Known]) -> Sequence[Known]:
    return [one for one in known if len(one.text) <= LONGEST] if len(new) <= LONGEST else ()


def _among_others(pair: Comparison, ties: Mapping[str, int], known: int) -> float:
    """Return what a doubt needs beyond its score where many statements are known.

    A word that many of them have tells little of which one is meant. As many as have all that the pair has in common
    by chance, so much more has to speak for it: nothing where one word singles it out, or only one is known.
    """
    by_chance = known * prod(ties[tie] / known for tie in pair.ties)
    return _CROWD * log(max(1.0, by_chance))


def reason(pair: Comparison) -> str:
    """Return in words what speaks for the known statement being out of date."""
    told = [f"{feature} ({evidence})" for feature, evidence in pair.features.items()]
    return "; ".join(told) if told else "much alike"

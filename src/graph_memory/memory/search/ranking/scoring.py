"""What was found, scored anew by the words of passages and of what stands around them, with the domain's statistics.

It is pure: passages come in as the indexes have them, candidates for `ranking` come out. Decision 29 has the figures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import fsum
from statistics import mean

from graph_memory.memory.search.passages.passages import AROUND
from graph_memory.memory.search.ranking.ranking import Candidate
from graph_memory.memory.search.text.bm25 import Query, Statistics, Terms, Text, analysed, joined, score

WINDOW = 2.0
"""What words around a passage and in it count, beside those in it."""
CANDIDATES = 100
"""Passages that each side gives to the ranking."""


@dataclass(frozen=True)
class Said:
    """What a passage says."""

    id: str
    head: str
    text: str
    date: str

    @cached_property
    def headed(self) -> str:
        """Its text with its head."""
        return f"{self.head}: {self.text}" if self.head else self.text

    @cached_property
    def own(self) -> str:
        """What counts as its own words."""
        return f"{self.date} {self.headed}".strip()


@dataclass(frozen=True)
class Passage(Said):
    """A passage as the index has it."""

    owner: str
    owner_kind: str
    unit: str
    type: str
    place: str
    created: int
    valid_from: int
    valid_to: int
    of_owner: int = 1
    """How many passages its owner has, once that is known."""
    cosine: float | None = None
    """How near its vector is, once that is known."""

    @property
    def key(self) -> str:
        """What tells it from others, in every database alike."""
        return f"{self.unit}\n{self.owner}\n{self.place}"


@dataclass(frozen=True, slots=True)
class Asked:
    """The question as words, the number of passages in the sample, and in how many of them each term is."""

    query: Query
    texts: int
    frequencies: Mapping[str, int]


@dataclass(frozen=True)
class Points:
    """What each word and pair of words of a question adds to the score of a passage, in it and around it."""

    own: Mapping[str, float]
    window: Mapping[str, float]
    given: float | None = None
    """A score that the index gave, for a question in its own syntax."""

    @cached_property
    def lexical(self) -> float:
        """The score of its words."""
        return fsum((*self.own.values(), *self.window.values())) if self.given is None else self.given


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage, and what the words of the question give it."""

    passage: Passage
    points: Points

    @property
    def candidate(self) -> Candidate:
        """The passage as the ranking takes it."""
        passage = self.passage
        return Candidate(passage.unit, passage.place, passage.key, self.points.lexical, passage.cosine)


class Surroundings:
    """Passages, and which stands before and after which, as far as that is known."""

    def __init__(self, passages: Iterable[Said], runs: Iterable[Sequence[str]]) -> None:
        self.passages = {passage.id: passage for passage in passages}
        self._before: dict[str, str] = {}
        self._after: dict[str, str] = {}
        for run in runs:
            for first, second in pairwise(run):
                self._after[first] = second
                self._before[second] = first
        self._lengths = {passage.id: len(passage.text.split()) for passage in self.passages.values()}

    def around(self, passage: str) -> tuple[list[Said], list[Said]]:
        """Return whole passages before and after one, until there are 60 words on either side."""
        return self._walk(passage, self._before)[::-1], self._walk(passage, self._after)

    def pool(self, found: Iterable[str]) -> list[str]:
        """Return what was found with what is around it, each once: what says the word is seldom what answers."""
        pool: dict[str, None] = {}
        for each in found:
            before, after = self.around(each)
            pool |= dict.fromkeys([*(one.id for one in before), each, *(one.id for one in after)])
        return list(pool)

    def _walk(self, passage: str, steps: Mapping[str, str]) -> list[Said]:
        results: list[Said] = []
        words = 0
        at = steps.get(passage)
        while at is not None and words < AROUND:
            results.append(self.passages[at])
            words += self._lengths[at]
            at = steps.get(at)
        return results


class Words:
    """Where the terms of a question stand in texts, each of which is gone through once."""

    def __init__(self, question: Query) -> None:
        self.terms = Terms(question.terms, question.analyser)
        self._known: dict[str, Text] = {"": Text({}, 0, 0)}

    def of(self, text: str) -> Text:
        """Return where the terms stand in a text."""
        if (found := self._known.get(text)) is None:
            found = self._known[text] = analysed(text, self.terms)
        return found

    def own(self, passage: Said) -> Text:
        """Return where they stand in what counts as a passage's own words."""
        return joined([self.of(passage.date), self.of(passage.head), self.of(passage.text)])

    def window(self, passage: Said, before: Sequence[Said], after: Sequence[Said]) -> Text:
        """Return where they stand in a passage with what is around it."""
        here = [self.of(passage.head), self.of(passage.text)]
        return joined([*(self.of(each.text) for each in before), *here, *(self.of(each.text) for each in after)])


def scored(asked: Asked, around: Surroundings, ids: Sequence[str], words: Words | None = None) -> dict[str, Points]:
    """Return what the words of the question give passages, in them and around them; `words` may know texts already."""
    if not ids:
        return {}
    words = words or Words(asked.query)
    passages = [around.passages[id_] for id_ in ids]
    own = [words.own(passage) for passage in passages]
    window = [words.window(passage, *around.around(passage.id)) for passage in passages]
    frequencies = with_dates(asked, passages, words)
    of_own = Statistics(asked.texts, mean(text.length for text in own), frequencies)
    of_window = estimated(of_own, mean(text.length for text in window))
    found: dict[str, Points] = {}
    for each, in_it, in_all in zip(ids, own, window, strict=True):
        around_it = {term: WINDOW * value for term, value in score(in_all, asked.query, of_window).items()}
        found[each] = Points(score(in_it, asked.query, of_own), around_it)
    return found


def coverage(asked: Asked, found: Sequence[Scored]) -> float:
    """Return the greatest part of the question's words, weighted by their rarity, that one passage has."""
    statistics = Statistics(asked.texts, 0.0, asked.frequencies)
    rarity = {term: statistics.idf(term) for term in asked.query.terms}
    covered = (fsum(rarity[term] for term in rarity.keys() & each.points.own.keys()) for each in found)
    return max(covered, default=0.0) / (fsum(rarity.values()) or 1.0)


def estimated(own: Statistics, length: float) -> Statistics:
    """Return the statistics of windows of a mean length, from those of passages, as if words stood there by chance.

    A window is `k` passages long. A word that is in one of `r` passages is in a window of them with 1 - (1 - r) ** k.
    """
    if not own.texts or not own.length:
        return own
    times = length / own.length
    shares = {term: min(having / own.texts, 1.0) for term, having in own.frequencies.items()}
    having = {term: round(own.texts * (1 - (1 - share) ** times)) for term, share in shares.items()}
    return Statistics(own.texts, length, having)


def with_dates(asked: Asked, found: Sequence[Said], words: Words) -> Mapping[str, int]:
    """Return in how many passages each term is, with their dates: the index has none, so they are counted in these."""
    dated = [words.of(each.date).positions.keys() for each in found]
    counts = dict(asked.frequencies)
    for term in asked.query.terms:
        if having := sum(term in view for view in dated):
            counts[term] = max(counts.get(term, 0), round(asked.texts * having / len(found)))
    return counts


def own_best(asked: Asked, texts: Mapping[str, str]) -> list[str]:
    """Return the passages whose own words fit best, best first; none that has no word of the question."""
    terms = Terms(asked.query.terms, asked.query.analyser)
    every = {each: analysed(text, terms) for each, text in texts.items()}
    length = mean(text.length for text in every.values()) if every else 0.0
    of_own = Statistics(asked.texts, length, asked.frequencies)
    points = {each: fsum(score(text, asked.query, of_own).values()) for each, text in every.items()}
    return sorted((each for each, value in points.items() if value > 0), key=lambda each: (-points[each], each))


def promising(found: Mapping[str, Points], nearest: Collection[str], most: int = CANDIDATES) -> list[str]:
    """Return what `candidates` may take, by words alone: with all that are as good as the last of the best."""
    points = sorted((points.lexical for points in found.values() if points.lexical > 0), reverse=True)
    least = points[most - 1] if len(points) > most else 0.0
    return [
        each for each, points in found.items() if (points.lexical > 0 and points.lexical >= least) or each in nearest
    ]


def candidates(found: Sequence[Scored], nearest: Collection[str], most: int = CANDIDATES) -> list[Scored]:
    """Return the best by words and those that the vectors found, each once."""
    fitting = (each for each in found if each.points.lexical > 0)
    best = sorted(fitting, key=lambda each: (-each.points.lexical, each.passage.key))
    kept = {each.passage.id: each for each in best[:most]}
    kept |= {each.passage.id: each for each in found if each.passage.id in nearest}
    return list(kept.values())

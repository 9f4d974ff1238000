"""Scores of words in texts by the statistics of one domain.

Lucene's word statistics span all domains and all closed passages of the database. So its index only finds the
candidates, and these are scored anew here, with Lucene's own formula and the domain's statistics.

Source: S. Robertson, H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), as in Lucene's
BM25Similarity and SloppyPhraseMatcher.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from graph_memory.memory.search.text.analysers import ENGLISH, Analyser

K1, B = 1.2, 0.75
SLOP = 2
"""How many other words may stand between the words of a pair: stop words mostly."""
PHRASE = 0.3
"""What a pair counts beside its words."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """One field of a domain: the number of its texts, their mean length in terms, and in how many each term is."""

    texts: int
    length: float
    frequencies: Mapping[str, int]
    _told: dict[str, float] = field(default_factory=dict[str, float], init=False, repr=False, compare=False)

    def idf(self, term: str) -> float:
        """Return how much a term says: the more, the fewer texts have it."""
        if (value := self._told.get(term)) is None:
            frequency = min(self.frequencies.get(term, 0), self.texts)
            value = self._told[term] = math.log(1 + (self.texts - frequency + 0.5) / (frequency + 0.5))
        return value


@dataclass(frozen=True, slots=True)
class Query:
    """The distinct words of a question, their terms, and the terms that stand beside each other, by an analyser."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    analyser: Analyser = ENGLISH


NOTHING_ASKED = Query((), (), ())


@dataclass(frozen=True, slots=True)
class Text:
    """Where the terms of a text stand, how many there are, and how many words with those that are no terms."""

    positions: Mapping[str, Sequence[int]]
    length: int
    words: int


# One for all texts without a word of the question, of which a search goes through hundreds.
_NOWHERE: Mapping[str, Sequence[int]] = MappingProxyType({})
_NOTHING: Mapping[str, float] = MappingProxyType({})


@lru_cache(maxsize=64)
def asked(question: str, analyser: Analyser = ENGLISH) -> Query:
    """Return what a question asks for; all its words where it has no others than those that ask."""
    every = [part for word in analyser.words(question) for part in analyser.parts(word) if analyser.stem(part)]
    kept = [word for word in every if word not in analyser.asking] or every
    results = [analyser.stem(word) for word in kept]
    pairs = (pair for pair in pairwise(results) if pair[0] != pair[1])
    return Query(tuple(dict.fromkeys(kept)), tuple(dict.fromkeys(results)), tuple(dict.fromkeys(pairs)), analyser)


OTHER = "\n"
"""Stands for every term that does not matter."""


class Terms(dict[str, str]):
    """The terms of words, where only a few of them matter.

    Others are told by their first letters, and not stemmed, where the analyser lets a term begin as its word does.
    """

    def __init__(self, terms: Iterable[str], analyser: Analyser = ENGLISH) -> None:
        super().__init__()
        self.wanted = frozenset(terms)
        self.analyser = analyser
        self._initials = frozenset(each[0] for each in self.wanted if each)

    def __missing__(self, word: str) -> str:
        """Return the term of a word, nothing for a stop word, and `OTHER` for one that does not matter."""
        found = self.analyser.term_of(word) if self._may_matter(word) else OTHER
        self[word] = found
        return found

    def _may_matter(self, word: str) -> bool:
        return (
            not self.analyser.keeps_initials or word[0].lower()[0] in self._initials or self.analyser.is_nothing(word)
        )


def analysed(text: str, only: Terms | None = None) -> Text:
    """Return the terms of a text, or of them `only` those that matter: those of a query take a third of the time."""
    every = ENGLISH.terms(text) if only is None else only.analyser.terms(text, only.__getitem__)
    present = set(every).difference({""}) if only is None else only.wanted.intersection(every)
    positions = {term: [place for place, each in enumerate(every) if each == term] for term in present}
    return Text(positions or _NOWHERE, len(every) - every.count(""), len(every))


def joined(texts: Sequence[Text]) -> Text:
    """Return texts as one that has them one after the other."""
    positions: dict[str, list[int]] = {}
    words = length = 0
    for text in texts:
        for each, places in text.positions.items():
            positions.setdefault(each, []).extend([words + place for place in places])
        words += text.words
        length += text.length
    return Text(positions or _NOWHERE, length, words)


def counted(texts: Sequence[Text]) -> Statistics:
    """Return the statistics of texts."""
    frequencies = Counter(term for text in texts for term in text.positions)
    return Statistics(len(texts), sum(text.length for text in texts) / max(len(texts), 1), frequencies)


def score(text: Text, query: Query, statistics: Statistics, *, phrase: float = PHRASE) -> Mapping[str, float]:
    """Return what each word and each pair of the query adds to the score of a text."""
    if not text.positions:
        return _NOTHING
    norm = K1 * (1 - B + B * text.length / statistics.length) if statistics.length else K1
    scores = {
        term: statistics.idf(term) * _saturated(len(places), norm)
        for term in query.terms
        if (places := text.positions.get(term))
    }
    for first, second in query.pairs:
        if first in scores and second in scores and (times := near(text.positions[first], text.positions[second])):
            weight = phrase * (statistics.idf(first) + statistics.idf(second))
            scores[f"{first} {second}"] = weight * _saturated(times, norm)
    return scores


def near(first: Sequence[int], second: Sequence[int]) -> float:
    """Return how often two words stand near each other in this order; with words between them it counts less."""
    gaps = (after - before - 1 for before in first for after in second)
    return sum(1 / (1 + gap) for gap in gaps if 0 <= gap <= SLOP)


def _saturated(frequency: float, norm: float) -> float:
    return frequency / (frequency + norm)

"""Scores words in texts with the statistics of one domain.

Lucene's word statistics cover all domains and all ended passages of the database. The index therefore only selects the
candidates. This module scores them again, with Lucene's own formula and the domain's statistics.

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
"""Maximum number of other words between the words of a pair, mostly stop words."""
PHRASE = 0.3
"""The weight of a word pair, relative to the weights of its two words."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """The corpus statistics for BM25: number of texts, mean length in terms, and number of texts per term."""

    texts: int
    length: float
    frequencies: Mapping[str, int]
    _idf_by_term: dict[str, float] = field(default_factory=dict[str, float], init=False, repr=False, compare=False)

    def idf(self, term: str) -> float:
        """Return a term's inverse document frequency. It is higher if fewer texts contain the term."""
        if (value := self._idf_by_term.get(term)) is None:
            frequency = min(self.frequencies.get(term, 0), self.texts)
            value = self._idf_by_term[term] = math.log(1 + (self.texts - frequency + 0.5) / (frequency + 0.5))
        return value


@dataclass(frozen=True, slots=True)
class Query:
    """A query's distinct words, with their terms and pairs of adjacent terms from an analyser."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    analyser: Analyser = ENGLISH


EMPTY_QUERY = Query((), (), ())


@dataclass(frozen=True, slots=True)
class Text:
    """The positions of a text's terms, the number of terms, and the number of words including stop words."""

    positions: Mapping[str, Sequence[int]]
    length: int
    words: int


# Shared by all texts that contain no word of the query, because a search processes hundreds of them.
_NOWHERE: Mapping[str, Sequence[int]] = MappingProxyType({})
_NOTHING: Mapping[str, float] = MappingProxyType({})


@lru_cache(maxsize=64)
def parse_query(question: str, analyser: Analyser = ENGLISH) -> Query:
    """Return the words and terms of a query. Question words are used only if there are no other words."""
    stems = [part for word in analyser.words(question) for part in analyser.parts(word) if analyser.stem(part)]
    query_words = [word for word in stems if word not in analyser.asking] or stems
    terms = [analyser.stem(word) for word in query_words]
    pairs = (pair for pair in pairwise(terms) if pair[0] != pair[1])
    return Query(tuple(dict.fromkeys(query_words)), tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(pairs)), analyser)


OTHER = "\n"
"""The placeholder for words that cannot match a term of the query."""


class QueryTermMap(dict[str, str]):
    """Maps words to terms when only a query's terms are needed.

    If each term begins with its word's first letter, words with other first letters are not stemmed.
    """

    def __init__(self, terms: Iterable[str], analyser: Analyser = ENGLISH) -> None:
        super().__init__()
        self.query_terms = frozenset(terms)
        self.analyser = analyser
        self._initials = frozenset(term[0] for term in self.query_terms if term)

    def __missing__(self, word: str) -> str:
        """Return a word's term: empty for a stop word, and `OTHER` for a word that cannot match the query."""
        analyser = self.analyser
        may_match = not analyser.keeps_initials or word[0].lower()[0] in self._initials or analyser.has_no_term(word)
        term = self[word] = analyser.term_of(word) if may_match else OTHER
        return term


def analyse(text: str, only: QueryTermMap | None = None) -> Text:
    """Return the positions of a text's terms.

    If `only` is given, return only the positions of its query's terms, which takes a third of the time.
    """
    terms = ENGLISH.terms(text) if only is None else only.analyser.terms(text, only.__getitem__)
    present = set(terms).difference({""}) if only is None else only.query_terms.intersection(terms)
    positions = {term: [place for place, other in enumerate(terms) if other == term] for term in present}
    return Text(positions or _NOWHERE, len(terms) - terms.count(""), len(terms))


def join_texts(texts: Sequence[Text]) -> Text:
    """Return the texts concatenated into one text."""
    positions: dict[str, list[int]] = {}
    words = length = 0
    for text in texts:
        for term, places in text.positions.items():
            positions.setdefault(term, []).extend([words + place for place in places])
        words += text.words
        length += text.length
    return Text(positions or _NOWHERE, length, words)


def statistics_of(texts: Sequence[Text]) -> Statistics:
    """Return the number of texts, their mean length in terms, and the number of texts that contain each term."""
    frequencies = Counter(term for text in texts for term in text.positions)
    return Statistics(len(texts), sum(text.length for text in texts) / max(len(texts), 1), frequencies)


def score(text: Text, query: Query, statistics: Statistics, *, phrase: float = PHRASE) -> Mapping[str, float]:
    """Return the BM25 score of each query word and word pair that occurs in a text. `phrase` is the weight of pairs."""
    if not text.positions:
        return _NOTHING
    norm = K1 * (1 - B + B * text.length / statistics.length) if statistics.length else K1
    scores = {
        term: statistics.idf(term) * _saturate(len(places), norm)
        for term in query.terms
        if (places := text.positions.get(term))
    }
    for first, second in query.pairs:
        if (
            first in scores
            and second in scores
            and (times := count_near(text.positions[first], text.positions[second]))
        ):
            weight = phrase * (statistics.idf(first) + statistics.idf(second))
            scores[f"{first} {second}"] = weight * _saturate(times, norm)
    return scores


def count_near(first: Sequence[int], second: Sequence[int]) -> float:
    """Count how often two words occur near each other in this order. Intervening words reduce the count."""
    gaps = (after - before - 1 for before in first for after in second)
    return sum(1 / (1 + gap) for gap in gaps if 0 <= gap <= SLOP)


def _saturate(frequency: float, norm: float) -> float:
    return frequency / (frequency + norm)

"""Which ranking, and whose word statistics: `python -m benchmarks.ranking_study`, exact search in memory, no Neo4j.

It runs the modules of the product on sets of questions that lie beside the repository.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from random import Random
from statistics import mean

import anyio
import numpy as np

from benchmarks.passages import Passage, passages
from benchmarks.retrieval_data import Question, Store, stores
from graph_memory import Settings
from graph_memory.embedding.local import LocalEmbedder
from graph_memory.memory.search.passages.passages import CONTEXT_WORDS
from graph_memory.memory.search.ranking.ranking import DEFAULT, Candidate, Unit, Weights, hop, rank, seeds
from graph_memory.memory.search.ranking.scoring import estimate_windows
from graph_memory.memory.search.text.analysers import ENGLISH
from graph_memory.memory.search.text.bm25 import (
    K1,
    B,
    Query,
    Statistics,
    analyse,
    count_near,
    parse_query,
    statistics_of,
)
from graph_memory.memory.search.text.names import find_mentions, forms, is_common

CANDIDATES = 100
"""Passages that each index gives."""
SAMPLE = 1_000
"""Passages of a domain in which the frequency of a word is counted."""
FIELDS = {"own": 1.0, "window": 2.0}
Vectors = Mapping[str, np.ndarray]
Occurrences = tuple[np.ndarray, np.ndarray]
"""Places of passages, and how often something occurs in each."""
Ranking = Callable[["Index", Question], Sequence[str]]


class Index:
    """A store as its two indexes have it."""

    def __init__(self, store: Store, vectors: Vectors) -> None:
        self.store = store
        self.vectors = vectors
        self.passages: Sequence[Passage] = list(passages(store.entries))
        self.texts = {name: [analyse(getattr(each, name)) for each in self.passages] for name in FIELDS}
        self.embedded = np.array([vectors[each.text] for each in self.passages])
        self.lengths = {name: np.array([text.length for text in texts]) for name, texts in self.texts.items()}
        self._occurrences: dict[tuple[str, str], Occurrences] = {}
        self.statistics = {name: statistics_of(texts) for name, texts in self.texts.items()}
        self.whole = {
            owner: " ".join(passage.text for passage in group)
            for owner, group in groupby(self.passages, key=lambda each: each.owner)
        }
        parts = Counter(each.owner for each in self.passages)
        named = {each.id: forms(each.title) if each.named else () for each in store.entries}
        self.units = {owner: Unit(parts[owner], self._rare(names)) for owner, names in named.items()}
        self.names: dict[str, list[str]] = {}
        for owner, unit in self.units.items():
            for name in unit.names:
                self.names.setdefault(name, []).append(owner)

    def _rare(self, names: Iterable[str]) -> tuple[str, ...]:
        folded = self._folded
        return tuple(
            each for each in names if not is_common(sum(each.casefold() in text for text in folded), len(folded))
        )

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The places of each passage and of those around it, until there are 60 words on either side."""
        sequences = {each.id: each.sequence for each in self.store.entries}
        runs = [sequences[each.owner] for each in self.passages]
        words = [len(each.text.split()) for each in self.passages]
        found: list[list[int]] = []
        for place, run in enumerate(runs):
            around = [place]
            for step in (-1, 1):
                seen, at = 0, place + step
                while 0 <= at < len(runs) and runs[at] == run and seen < CONTEXT_WORDS:
                    around.append(at)
                    seen += words[at]
                    at += step
            found.append(around)
        return found

    @cached_property
    def _folded(self) -> list[str]:
        return [each.text.casefold() for each in self.passages]

    def asked(self, store: Store) -> Index:
        """Return the same index, asked the questions of one of the stores in it."""
        found = copy(self)
        questions = [
            replace(each, answers=frozenset(f"{store.name}/{answer}" for answer in each.answers))
            for each in store.questions
        ]
        found.store = replace(store, questions=questions)
        return found

    def occurrences(self, name: str, term: str) -> Occurrences:
        """Return where a term occurs in a field, and how often."""
        if (name, term) not in self._occurrences:
            texts = self.texts[name]
            self._occurrences[name, term] = _counted(len(text.positions.get(term, ())) for text in texts)
        return self._occurrences[name, term]

    def pairs(self, name: str, pair: tuple[str, str]) -> Occurrences:
        """Return where two terms stand near each other in a field, and how often."""
        key = (name, "\n".join(pair))
        if key not in self._occurrences:
            self._occurrences[key] = _counted(
                count_near(text.positions.get(pair[0], ()), text.positions.get(pair[1], ()))
                for text in self.texts[name]
            )
        return self._occurrences[key]


def _counted(values: Iterable[float]) -> Occurrences:
    every = np.fromiter(values, dtype=float)
    places = np.flatnonzero(every)
    return places, every[places]


def shared(indexes: Sequence[tuple[Index, int]]) -> dict[str, Statistics]:
    """Return the statistics of several stores in one index, each store there so many times."""
    found: dict[str, Statistics] = {}
    for name in FIELDS:
        each = [(index.statistics[name], times) for index, times in indexes]
        texts = sum(one.texts * times for one, times in each)
        length = sum(one.texts * one.length * times for one, times in each) / texts
        frequencies: Counter[str] = Counter()
        for one, times in each:
            frequencies.update({term: number * times for term, number in one.frequencies.items()})
        found[name] = Statistics(texts, length, frequencies)
    return found


@dataclass(frozen=True)
class Setting:
    """A ranking with something changed."""

    weights: Weights = DEFAULT
    fields: Mapping[str, float] = field(default_factory=lambda: FIELDS)
    phrase: float = 0.3
    keep_questions: bool = False
    name: bool = True
    hop: bool = True
    length: bool = True
    vectors: bool = True
    finds: Callable[[Index], Mapping[str, Statistics]] = lambda index: index.statistics
    scores: Callable[[Index], Mapping[str, Statistics]] | None = None
    """Statistics for new scores of the candidates; None keeps those of the index."""
    estimated: Callable[[Index, Query, Sequence[int]], Mapping[str, Statistics]] | None = None
    """The same, from the places of the candidates."""
    around: int | None = None
    """Passages, the best by their own words, around which others are found: windows are made when asked for."""
    apart: bool = False
    """Whether windows are rows of their own, each with their own 100 best, and 0 where they are not among them."""
    fused: bool = False
    """Reciprocal rank fusion in the place of scores."""


def lexical(index: Index, query: Query, statistics: Mapping[str, Statistics], setting: Setting) -> np.ndarray:
    """Return the scores of all passages by words, all fields together: `bm25.score`, for many at once."""
    total = np.zeros(len(index.passages))
    for name, boost in setting.fields.items():
        of_field = statistics[name]
        norms = K1 * (1 - B + B * index.lengths[name] / of_field.length)
        for term in query.terms:
            _add(total, index.occurrences(name, term), norms, boost * of_field.idf(term))
        for pair in query.pairs if setting.phrase else ():
            weight = setting.phrase * (of_field.idf(pair[0]) + of_field.idf(pair[1]))
            _add(total, index.pairs(name, pair), norms, boost * weight)
    return total


def _add(total: np.ndarray, occurrences: Occurrences, norms: np.ndarray, weight: float) -> None:
    places, frequencies = occurrences
    total[places] += weight * frequencies / (frequencies + norms[places])


def candidates(index: Index, question: Question, setting: Setting) -> list[Candidate]:
    """Return what the two indexes find for a question."""
    query = parse_query(question.text)
    if setting.keep_questions:
        query = everything(question.text)
    finds = setting.finds(index)
    if setting.around:
        found = best_only(surrounded(index, query, finds, setting))
    elif setting.apart:
        found = sum(
            best_only(lexical(index, query, finds, replace(setting, fields={name: boost})))
            for name, boost in setting.fields.items()
        )
    else:
        found = best_only(lexical(index, query, finds, setting))
    cosines = index.embedded @ index.vectors[question.text] if setting.vectors else None
    closest = [] if cosines is None else [int(place) for place in np.argsort(-cosines)[:CANDIDATES]]
    both = sorted({int(place) for place in np.flatnonzero(found)} | set(closest))
    if setting.around:
        found = np.maximum(found, lexical(index, query, index.statistics, OWN))
    elif setting.scores or setting.estimated:
        statistics = setting.scores(index) if setting.scores else setting.estimated(index, query, both)
        found = lexical(index, query, statistics, setting)
    return [
        Candidate(
            index.passages[place].owner,
            "content",
            f"{place:06}",
            float(found[place]),
            None if cosines is None else float(cosines[place]),
        )
        for place in both
    ]


OWN = Setting(fields={"own": 1.0})


def surrounded(index: Index, query: Query, finds: Mapping[str, Statistics], setting: Setting) -> np.ndarray:
    """Return the scores of the best by their own words and of those around them, as the product makes them."""
    by_own = lexical(index, query, finds, OWN)
    best = [int(place) for place in np.argsort(-by_own, kind="stable")[: setting.around] if by_own[place] > 0]
    own, length = index.statistics["own"], index.statistics["window"].length
    windows = estimate_windows(
        replace(own, frequencies={term: own.frequencies.get(term, 0) for term in query.terms}), length
    )
    scores = lexical(index, query, {"own": own, "window": windows}, setting)
    found = np.zeros(len(scores))
    pool = sorted({place for each in best for place in index.neighbours[each]})
    found[pool] = scores[pool]
    return found


def best_only(scores: np.ndarray, number: int = CANDIDATES) -> np.ndarray:
    """Return the best scores, and 0 for all others."""
    kept = np.argsort(-scores, kind="stable")[:number]
    found = np.zeros(len(scores))
    found[kept] = scores[kept]
    return found


def everything(question: str) -> Query:
    """Return a query with all words of a question."""
    every = [term for term in ENGLISH.terms(question) if term]
    return Query((), tuple(dict.fromkeys(every)), tuple(dict.fromkeys(pairwise(every))))


def ranking(setting: Setting) -> Ranking:
    """Return the pipeline with a setting."""

    def ranked(index: Index, question: Question) -> list[str]:
        units = index.units
        if not setting.name:
            units = {owner: replace(unit, names=()) for owner, unit in units.items()}
        if not setting.length:
            units = {owner: replace(unit, passages=1) for owner, unit in units.items()}
        found = candidates(index, question, setting)
        if setting.fused:
            found = reciprocal(found)
        best = rank(question.text, found, units, weights=setting.weights)
        if setting.hop:
            best = hop(best, {each.owner: find_mentions(index.whole[each.owner], index.names) for each in seeds(best)})
        return [each.owner for each in best]

    return ranked


def reciprocal(found: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with the reciprocals of their ranks (k = 60) as scores."""
    words = {each.passage: 1 / (61 + place) for place, each in enumerate(sorted(found, key=lambda each: -each.lexical))}
    near = {
        each.passage: 1 / (61 + place) for place, each in enumerate(sorted(found, key=lambda each: -(each.cosine or 0)))
    }
    return [
        replace(each, lexical=words[each.passage] if each.lexical else 0.0, cosine=near[each.passage]) for each in found
    ]


def plainly(side: str) -> Ranking:
    """Return one of the three that every ranking is compared with: `bm25`, `vector` or `rrf`."""
    by_own = Setting(fields={"own": 1.0}, phrase=0.0)

    def ranked(index: Index, question: Question) -> list[str]:
        query = everything(question.text)
        scores = lexical(index, query, index.statistics, by_own)
        words = owners(index, [int(place) for place in np.argsort(-scores, kind="stable") if scores[place]])
        cosines = index.embedded @ index.vectors[question.text]
        near = owners(index, [int(place) for place in np.argsort(-cosines)])
        if side != "rrf":
            return words if side == "bm25" else near
        fused: Counter[str] = Counter()
        for each in (words[:CANDIDATES], near[:CANDIDATES]):
            fused.update({owner: 1 / (61 + place) for place, owner in enumerate(each)})
        return sorted(fused, key=lambda owner: (-fused[owner], owner))

    return ranked


def owners(index: Index, places: Iterable[int]) -> list[str]:
    """Return the owners of passages, each once."""
    return list(dict.fromkeys(index.passages[place].owner for place in places))


def recall(indexes: Sequence[Index], ranked: Ranking) -> dict[str, float]:
    """Return the recall of each set of questions, in points."""
    found: dict[str, list[float]] = {}
    for index in indexes:
        for question in index.store.questions:
            first_ones = set(ranked(index, question)[: index.store.k])
            part = len(question.answers & first_ones) / len(question.answers)
            found.setdefault(index.store.set, []).append(100 * part)
    return {name: mean(values) for name, values in found.items()}


def of_candidates(index: Index, query: Query, places: Sequence[int]) -> dict[str, Statistics]:
    """Return the statistics of a domain with the frequencies among the candidates in the place of its own."""
    return {
        name: replace(
            of_domain,
            frequencies={
                term: sum(term in index.texts[name][place].positions for place in places) for term in query.terms
            },
        )
        for name, of_domain in index.statistics.items()
    }


def of_sample(index: Index) -> dict[str, Statistics]:
    """Return the statistics of a sample of a domain, which is the whole of a small one."""
    every = range(len(index.passages))
    sample = Random(index.store.name).sample(every, min(SAMPLE, len(every)))
    return {name: statistics_of([texts[place] for place in sample]) for name, texts in index.texts.items()}


def together(every: Sequence[Store], vectors: Vectors) -> list[Index]:
    """Return all stores as one domain, each with its own questions."""
    entries = [
        replace(entry, id=f"{store.name}/{entry.id}", sequence=f"{store.name}/{entry.sequence}")
        for store in every
        for entry in store.entries
    ]
    whole = Index(replace(every[0], name="together", entries=entries), vectors)
    return [whole.asked(store) for store in every]


def among(indexes: Sequence[Index], times: int) -> Callable[[Index], Mapping[str, Statistics]]:
    """Return what makes shared statistics for an index: all others are so many times beside it."""
    found = {each.store.name: shared([(other, 1 if other is each else times) for other in indexes]) for each in indexes}
    return lambda index: found[index.store.name]


async def embedded(store: Store) -> Vectors:
    """Return the vectors of all passages and questions of a store."""
    texts = [each.text for each in (*passages(store.entries), *store.questions)]
    embedder = LocalEmbedder(Settings().cache)
    try:
        return dict(zip(texts, map(np.array, await embedder.passages(texts)), strict=True))
    finally:
        await embedder.aclose()


ABLATIONS = {
    "the pipeline": Setting(),
    "no window field": Setting(fields={"own": 1.0}),
    "window × 1": Setting(fields={"own": 1.0, "window": 1.0}),
    "window × 3": Setting(fields={"own": 1.0, "window": 3.0}),
    "no hop": Setting(hop=False),
    "no name in the question": Setting(name=False),
    "neither": Setting(hop=False, name=False),
    "question words kept": Setting(keep_questions=True),
    "no pairs of words": Setting(phrase=0.0),
    "no vectors": Setting(vectors=False),
    "meaning alone": Setting(weights=Weights(lexical=0.0, semantic=1.0)),
    "0.4 words, 0.6 meaning": Setting(weights=Weights(lexical=0.4, semantic=0.6)),
    "0.6 words, 0.4 meaning": Setting(weights=Weights(lexical=0.6, semantic=0.4)),
    "no factor of length": Setting(length=False),
    "ranks in the place of scores": Setting(fused=True),
}


def own(index: Index) -> Mapping[str, Statistics]:
    """Return the statistics of a domain."""
    return index.statistics


def whose(indexes: Sequence[Index]) -> dict[str, Setting]:
    """Return settings that differ in the statistics of words that candidates are found and scored by."""
    found = {"the domain's own": Setting()}
    for times in (1, 10, 100):
        shared_ones = among(indexes, times)
        found[f"shared, others × {times}"] = Setting(finds=shared_ones)
        found[f"others × {times}, scored anew by the domain's"] = Setting(finds=shared_ones, scores=own)
    return {
        **found,
        "others × 100, scored anew by a sample": Setting(finds=shared_ones, scores=of_sample),
        "others × 100, scored anew by the candidates": Setting(finds=shared_ones, estimated=of_candidates),
        "made when asked for, around 50": Setting(around=50, finds=shared_ones),
        "made when asked for, around 100": Setting(around=100, finds=shared_ones),
        "windows apart": Setting(apart=True),
        "windows apart, others × 100": Setting(apart=True, finds=shared_ones),
        "windows apart, others × 100, scored anew by a sample": Setting(
            apart=True, finds=shared_ones, scores=of_sample
        ),
    }


IN_ONE = {
    "the domain's own": Setting(),
    "scored anew by a sample": Setting(scores=of_sample),
    "scored anew by the candidates": Setting(estimated=of_candidates),
}


async def main() -> None:
    """Print what every setting finds."""
    every = stores()
    vectors = {text: vector for store in every for text, vector in (await embedded(store)).items()}
    indexes = [Index(store, vectors) for store in every]
    told(indexes, {name: plainly(name) for name in ("bm25", "vector", "rrf")})
    told(indexes, {name: ranking(setting) for name, setting in ABLATIONS.items()})
    told(indexes, {name: ranking(setting) for name, setting in whose(indexes).items()})
    told(together(every, vectors), {f"one domain, {name}": ranking(setting) for name, setting in IN_ONE.items()})


def told(indexes: Sequence[Index], rankings: Mapping[str, Ranking]) -> None:
    """Print the recall of rankings."""
    for name, ranked in rankings.items():
        points = recall(indexes, ranked)
        sys.stdout.write(f"| {name} | " + " | ".join(f"{each:.1f}" for each in points.values()) + " |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main)

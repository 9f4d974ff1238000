"""How found passages become a ranking, step by step, and why each stands where it stands.

It is pure: what is found comes in, and every score comes out as parts that add up to it. What was measured, and what
was tried and left out, is decision 29.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from graph_memory.memory.search.text.names import Mention, mentioned

LENGTH = 0.1
"""What a unit of very many passages loses of its evidence: it has more chances to have one that fits."""
NAME = 0.15
"""What a unit gains whose name stands in the question, shared among those that bear the name."""
HOP = 0.4
"""The part of its score that one of the best units passes on to those that its text names."""
SEEDS = 5
"""How many of the best pass something on."""
HIGH = 0.6
"""Where no candidate has a lower cosine, the model's cosines start high and are counted from the lowest."""
HALF_CONNECTED = 10
"""Connections at which a unit gets half of what connections can add."""
HALF_LIFE = 30.0
"""Days after which a unit is half as recent, and its uses count half."""
HALF_USED = 10
"""Uses at which a unit gets half of what uses can add."""
PLACES = {"title": "title", "tags": "tag"}
"""Which of the user's weights a passage of a place has; any other place is content."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that an index found. `lexical` is 0 where only the other found it; `cosine` None without a vector."""

    owner: str
    place: str
    passage: str
    lexical: float
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Unit:
    """What is known of a node, or whatever else is found: how many passages, which names, how many connections.

    `age` is in days since it was last changed, None where that does not count; `uses` says how often it was given to
    somebody, and `unused` how many days ago that was last.
    """

    passages: int
    names: tuple[str, ...] = ()
    edges: int = 0
    age: float | None = None
    uses: int = 0
    unused: float = 0.0


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each kind of evidence counts. The defaults are the ranking that was measured."""

    lexical: float = 0.5
    semantic: float = 0.5
    title: float = 1.0
    content: float = 1.0
    tag: float = 1.0
    edge: float = 0.0
    """What a very connected unit gains, as a part of its evidence."""
    recency: float = 0.0
    """What a unit gains that was changed just now."""
    use: float = 0.0
    """What a unit gains that is used very often, also just now."""

    def of_place(self, place: str) -> float:
        """Return what evidence in a place counts."""
        return {"title": self.title, "tag": self.tag}.get(PLACES.get(place, ""), self.content)


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a score, and what it is made of.

    It is `lexical`, `semantic`, `place`, `length`, `edges`, `recency`, `use`, `name` or `hop`.
    """

    name: str
    value: float
    detail: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Ranked:
    """A unit with its score, which is the sum of its parts. `best` is None where only its name brought it in."""

    owner: str
    score: float
    best: Candidate | None
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """A candidate with both sides on one scale, from 0 to 1; `semantic` is None without a vector."""

    candidate: Candidate
    lexical: float
    semantic: float | None


def rank(
    question: str, candidates: Sequence[Candidate], units: Mapping[str, Unit], *, weights: Weights = DEFAULT
) -> list[Ranked]:
    """Return the units that candidates or their names bring in, best first; equal ones in the order of their ids.

    `units` knows the owner of every candidate. It may hold others: they come in where their names stand in the
    question. A bonus is shared among all of `units` that bear the name. Names that are common are to be left out.
    """
    present = weights_present(weights, candidates)
    found: dict[str, Ranked] = {}
    for sides in sorted(normalised(candidates), key=lambda sides: sides.candidate.passage):
        owner = sides.candidate.owner
        ranked = weighed(sides, units[owner], present)
        found[owner] = max(found.get(owner, ranked), ranked, key=lambda ranked: ranked.score)  # its best passage
    for owner, mention in in_question(question, units).items():
        part = Part("name", NAME / mention.namesakes, {"name": mention.name, "namesakes": mention.namesakes})
        found[owner] = _with(found.get(owner, Ranked(owner, 0.0, None, ())), part)
    return in_order(found.values())


def hop(ranked: Sequence[Ranked], mentions: Mapping[str, Mapping[str, Mention]]) -> list[Ranked]:
    """Return the ranking after the best units have passed a part of their scores on to the units they mention.

    `mentions` says of each of `seeds(ranked)` whom its text mentions. A unit gets the most that one passes on, not the
    sum: many who name it are not more evidence. One step, in the direction of the text.

    Source: one step of spreading activation, as in G. Salton, C. Buckley, On the use of spreading activation methods
    in automatic information retrieval (1988). Personalized PageRank in its place was worse by 8 points.
    """
    gained: dict[str, Part] = {}
    for seed in seeds(ranked):
        for owner, mention in mentions.get(seed.owner, {}).items():
            value = HOP * seed.score / mention.namesakes
            if owner != seed.owner and value > 0 and (owner not in gained or value > gained[owner].value):
                gained[owner] = Part("hop", value, {"from": seed.owner, "name": mention.name})
    known = {each.owner: each for each in ranked}
    for owner, part in gained.items():
        known[owner] = _with(known.get(owner, Ranked(owner, 0.0, None, ())), part)
    return in_order(known.values())


def seeds(ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return the best units, whose texts are looked through for names."""
    return ranked[:SEEDS]


def normalised(candidates: Sequence[Candidate]) -> list[Sides]:
    """Return candidates with each side divided by its best, so that it still shows how clear a hit is.

    Ranks, as in reciprocal rank fusion, do not show it: 11 points worse on conversations.
    """
    best = max((candidate.lexical for candidate in candidates), default=0.0)
    cosines = [candidate.cosine for candidate in candidates if candidate.cosine is not None]
    lowest = min(cosines, default=0.0)
    base = lowest if lowest >= HIGH else 0.0
    highest = max(cosines, default=0.0) - base
    return [
        Sides(
            candidate,
            max(candidate.lexical, 0.0) / best if best > 0 else 0.0,
            None if candidate.cosine is None else _part_of(candidate.cosine - base, highest),
        )
        for candidate in candidates
    ]


def _part_of(value: float, best: float) -> float:
    return max(value, 0.0) / best if best > 0 else 1.0 if value == best == 0 else 0.0


def weights_present(weights: Weights, candidates: Sequence[Candidate]) -> Weights:
    """Return the weights. If no candidate has a lexical (or semantic) score, its weight goes to the other score."""
    both = weights.lexical + weights.semantic
    if not any(candidate.lexical > 0 for candidate in candidates):
        return replace(weights, lexical=0.0, semantic=both)
    if all(candidate.cosine is None for candidate in candidates):
        return replace(weights, lexical=both, semantic=0.0)
    return weights


def fuse(sides: Sides, weights: Weights) -> list[Part]:
    """Return the evidence of words and of meaning, by their weights.

    What has no vector yet is judged by its words alone, with the weight of both.

    Source: the convex combination of S. Bruch, S. Gai, A. Ingber, An analysis of fusion functions for hybrid retrieval
    (2023), where it is better than reciprocal rank fusion too.
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


def weighed(sides: Sides, unit: Unit, weights: Weights) -> Ranked:
    """Return a unit as one passage shows it: its evidence, by its place and by what is known of the unit."""
    parts = fuse(sides, weights)
    place = weights.of_place(sides.candidate.place)
    for name, factor, detail in (
        ("place", place, {"place": sides.candidate.place, "weight": place}),
        ("length", length_factor(unit.passages), {"passages": unit.passages}),
        ("edges", 1 + weights.edge * connectivity(unit.edges), {"edges": unit.edges, "weight": weights.edge}),
        ("recency", 1 + weights.recency * recency(unit.age), {"days": unit.age, "weight": weights.recency}),
        ("use", 1 + weights.use * usage(unit.uses, unit.unused), {"uses": unit.uses, "weight": weights.use}),
    ):
        evidence = fsum(part.value for part in parts)
        if change := evidence * (factor - 1):
            parts.append(Part(name, change, detail))
    return Ranked(sides.candidate.owner, fsum(part.value for part in parts), sides.candidate, tuple(parts))


def length_factor(passages: int) -> float:
    """Return what the evidence of a unit of so many passages counts: 1 for one, towards 0.9 for very many.

    Source: measured (decision 29), in the spirit of pivoted length normalization, A. Singhal and others (1996).
    """
    return 1 - LENGTH * (1 - 1 / max(passages, 1))


def connectivity(edges: int) -> float:
    """Return how connected a unit is, from 0 to 1: a half at `HALF_CONNECTED` connections."""
    return edges / (edges + HALF_CONNECTED)


def recency(age: float | None) -> float:
    """Return how recent a unit of an age in days is, from 0 to 1: half as much after each `HALF_LIFE`.

    Source: the exponential decay of J. S. Park and others, Generative agents: interactive simulacra of human behavior
    (2023), with the last change in the place of the last access, and a longer half-life than its 6 days.
    """
    return 0.0 if age is None else 2.0 ** (-age / HALF_LIFE)


def usage(uses: int, unused: float) -> float:
    """Return how much a unit is used, from 0 to 1: a half at `HALF_USED` uses, half as much after each `HALF_LIFE`.

    Source: need falls with the time since the last use and rises less and less with their number, J. R. Anderson,
    L. J. Schooler, Reflections of the environment in memory (1991); the saturation is that of terms in BM25.
    """
    return uses / (uses + HALF_USED) * recency(unused)


def in_question(question: str, units: Mapping[str, Unit]) -> dict[str, Mention]:
    """Return the units whose names stand whole in the question."""
    names: dict[str, list[str]] = {}
    for owner, unit in units.items():
        for name in unit.names:
            names.setdefault(name, []).append(owner)
    return mentioned(question, names)


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return units best first, equal ones in the order of their ids."""
    return sorted(ranked, key=lambda ranked: (-ranked.score, ranked.owner))


def _with(ranked: Ranked, part: Part) -> Ranked:
    parts = (*ranked.parts, part)
    return replace(ranked, parts=parts, score=fsum(part.value for part in parts))

"""From a question to a ranking: what the indexes find, scored anew, fused, and led on by names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from graph_memory.embedding import EmbeddingUnavailable
from graph_memory.memory.recall.bm25 import asked
from graph_memory.memory.recall.lexical_query import lexical_query
from graph_memory.memory.recall.members import FEW, Membership, degrees, membership
from graph_memory.memory.recall.mentions import Admit, hopped, named
from graph_memory.memory.recall.ranking import Ranked, Sides, Unit, in_order, rank, weighed
from graph_memory.memory.recall.request import Request
from graph_memory.memory.recall.results import SearchMode
from graph_memory.memory.recall.retrieval import (
    Found,
    NameRow,
    Scope,
    around,
    asked_of,
    judged,
    lexical,
    names_in,
    nearest,
    passages_of,
)
from graph_memory.memory.recall.scoring import CANDIDATES, Asked, Scored, Surroundings, candidates, own_best, scored
from graph_memory.memory.tasks import task_group
from graph_memory.model.arguments import UNLIMITED, fault

WIDEST = 6_400
"""Passages that an index gives at most."""
_WIDER = 4
SURROUNDED = 50
"""Passages with what stands around them, the best by words first: more made no difference (decision 30)."""
_FIELDS = {"_text": 1.0, "_head": 1.0}
_BRIEF = "Texts that were overwritten within a minute may have no vectors: they are found by words alone."
Vector = Sequence[float]


@dataclass(slots=True)
class Evidence:
    """What is known before passages are read: the question as words and as a vector, and the names in it."""

    mode: SearchMode
    width: int
    words: str | None = None
    vector: Vector | None = None
    asked: Asked | None = None
    names: list[NameRow] = field(default_factory=list[NameRow])
    notes: list[str] = field(default_factory=list[str])
    lexical: list[Found] = field(default_factory=list[Found])
    is_given: bool = False
    """Whether the query is in Lucene's syntax, so that only Lucene can score by it."""

    @property
    def has_windows(self) -> bool:
        """Whether words are scored anew, with those that stand around."""
        is_scored = self.mode != "semantic" and not self.is_given
        return is_scored and self.asked is not None and bool(self.asked.query.terms)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found, best first, and of each best passage what its words gave."""

    ranked: Sequence[Ranked]
    scored: Mapping[str, Scored]
    mode: SearchMode
    width: int
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Hits:
    """What the indexes found: by words, best first; by vectors; and both with what stands around."""

    words: Sequence[Found]
    vectors: Sequence[Found]
    width: int

    @property
    def ids(self) -> list[str]:
        """The passages, each once."""
        return list(dict.fromkeys(each.id for each in (*self.words, *self.vectors)))


async def find(scope: Scope, request: Request) -> Ranking:
    """Return the ranking that a request asks for."""
    members = await membership(scope)
    width = min(max(request.cursor.width, CANDIDATES), WIDEST) if request.cursor else CANDIDATES
    evidence = await _evidence(scope, request, width)
    few = await members.few() if scope.filters.is_selective and not evidence.is_given else None
    hits = await _of_few(scope, evidence, few) if few is not None else None
    if hits is None:
        hits = await _of_indexes(scope, request, evidence, members, width)
    walked = SURROUNDED if evidence.has_windows else 0
    surroundings = await around(scope, hits.ids[:walked], hits.ids[walked:])
    found = await _scored(scope, evidence, members, hits, surroundings)
    best = candidates(found, {each.id for each in hits.vectors}, max(CANDIDATES, len(hits.words)))
    kept = await _judged(scope, evidence, best)
    ranked = await _ranked(scope, request, evidence, members, kept)
    if scope.at is not None and evidence.vector is not None and _may_lack_vectors(evidence, kept):
        evidence.notes.append(_BRIEF)
    by_key = {each.passage.key: each for each in kept}
    return Ranking(ranked, by_key, evidence.mode, hits.width, evidence.notes)


async def _evidence(scope: Scope, request: Request, width: int) -> Evidence:
    """Return what is known of the question; what Lucene finds is looked for while the question is embedded."""
    found = Evidence(request.mode, width, vector=request.vector, is_given=request.syntax == "lucene")
    if request.vector is None:
        found.words = request.query if found.is_given else lexical_query(request.query, fields=_FIELDS)

    async def embed() -> None:
        found.vector = await _embedded(scope, request, found.notes)

    if request.vector is not None:
        _check_vector(scope, request.vector, found.notes)
    async with task_group() as tasks:
        if request.mode != "lexical" and request.vector is None:
            tasks.start_soon(embed)
        if request.mode != "semantic":
            tasks.start_soon(_look_up, scope, request, found)
    if found.vector is None and request.mode != "lexical":
        found.mode = "lexical"
        if request.mode == "semantic":
            await _look_up(scope, request, found)
    return found


async def _look_up(scope: Scope, request: Request, found: Evidence) -> None:
    """Find by words, count the words in a sample, and find the names in the question, all at once."""

    async def look() -> None:
        if found.words is not None:
            found.lexical = await lexical(scope, found.words, found.width)

    async def count() -> None:
        found.asked = await asked_of(scope, asked(request.query))

    async def name() -> None:
        found.names = await names_in(scope, request.query)

    async with task_group() as tasks:
        for each in (look, count, name):
            tasks.start_soon(each)


async def _embedded(scope: Scope, request: Request, notes: list[str]) -> Vector | None:
    """Return the vector of the question, None where there can be none, with a note of why."""
    embedder, model = scope.core.embedder, scope.coverage.model
    if embedder is None:
        notes.append("Vectors are off: words alone were compared. GRAPH_MEMORY_EMBEDDINGS switches them on.")
        return None
    if model is None:
        notes.append(f"There are no vectors yet: words alone were compared. {scope.coverage.reason or ''}".strip())
        return None
    if model != embedder.model:
        notes.append(
            f"The vectors are of the model {model}, but this process uses {embedder.model}: words alone were compared. "
            "`graph-memory reindex --model` makes new ones."
        )
        return None
    try:
        return await embedder.query(request.query)
    except EmbeddingUnavailable as error:
        notes.append(f"Vectors could not be had: {error.message}. Words alone were compared. {error.hint}")
        return None


def _check_vector(scope: Scope, vector: Vector, notes: list[str]) -> None:
    """Raise INVALID_ARGUMENT for a vector that is not as long as those of the domain, as far as that is known."""
    embedder, model = scope.core.embedder, scope.coverage.model
    if model is None:
        notes.append(f"The domain has no vectors yet. {scope.coverage.reason or ''}".strip())
    if embedder is not None and embedder.model == model and embedder.dimensions not in (None, len(vector)):
        message = f"vector has {len(vector)} numbers, but those of the domain have {embedder.dimensions}"
        raise fault("vector", message, f"Make it with the model {model}.")


async def _of_few(scope: Scope, evidence: Evidence, few: Sequence[str] | None) -> Hits | None:
    """Return the best passages of a few nodes, scored exactly; None where they have too many."""
    passages = await passages_of(scope, few or (), evidence.vector, FEW + 1)
    if len(passages) > FEW:
        return None
    every = {each.id: each for each in passages if scope.takes(each)}
    found = own_best(evidence.asked, {each: passage.own for each, passage in every.items()}) if evidence.asked else []
    near = sorted((each for each in every.values() if each.cosine is not None), key=lambda each: -(each.cosine or 0.0))
    words = [Found(each, every[each].owner, every[each].unit, 0.0) for each in found[:CANDIDATES]]
    vectors = [Found(each.id, each.owner, each.unit, each.cosine or 0.0) for each in near[:CANDIDATES]]
    return Hits(words, vectors, CANDIDATES)


async def _of_indexes(scope: Scope, request: Request, evidence: Evidence, members: Membership, width: int) -> Hits:
    """Return what the indexes find, looking wider until there is enough for a page of what the filters leave."""
    while True:
        words, vectors = await _found(scope, evidence, width)
        is_all = len(words) < width and len(vectors) < width
        left = set(await members.of(list(dict.fromkeys(each.unit for each in (*words, *vectors)))))
        if is_all or width >= WIDEST or request.cursor or len(left) > request.max_results:
            return Hits(
                [each for each in words if each.unit in left], [each for each in vectors if each.unit in left], width
            )
        width *= _WIDER


async def _found(scope: Scope, evidence: Evidence, width: int) -> tuple[list[Found], list[Found]]:
    words, vectors = evidence.lexical, list[Found]()

    async def look() -> None:
        nonlocal words
        words = await lexical(scope, evidence.words or "", width)

    async def compare() -> None:
        nonlocal vectors
        vectors = await nearest(scope, evidence.vector or (), width)

    async with task_group() as tasks:
        if evidence.lexical and width != evidence.width:
            tasks.start_soon(look)
        if evidence.vector is not None:
            tasks.start_soon(compare)
    return words, vectors


async def _scored(
    scope: Scope, evidence: Evidence, members: Membership, hits: Hits, around_them: Surroundings
) -> list[Scored]:
    """Return what was found with scores for its words: by the domain's statistics, or as Lucene gave them."""
    passages = around_them.passages
    given = {each.id: each.score for each in hits.words}
    as_given = [Scored(passages[each], {}, {}, given.get(each, 0.0)) for each in hits.ids if each in passages]
    if evidence.asked is None or not evidence.has_windows:
        return as_given
    pool = [each for each in around_them.pool(given) if scope.takes(passages[each])]
    left = frozenset(await members.of(list(dict.fromkeys(passages[each].unit for each in pool))))
    ids = dict.fromkeys(each for each in (*pool, *hits.ids) if passages[each].unit in left or each in given)
    ids |= dict.fromkeys(each.id for each in hits.vectors if each.id in passages)
    found = scored(evidence.asked, around_them, list(ids))
    return found if any(each.lexical for each in found) else as_given


async def _judged(scope: Scope, evidence: Evidence, kept: Sequence[Scored]) -> list[Scored]:
    """Return candidates with how near they are in meaning, and how many passages their owners have."""
    rows = await judged(scope, [each.passage.id for each in kept], evidence.vector)
    return [
        replace(each, passage=replace(each.passage, of_owner=row.of_owner, cosine=row.cosine))
        for each in kept
        if (row := rows.get(each.passage.id)) is not None
    ]


async def _ranked(
    scope: Scope, request: Request, evidence: Evidence, members: Membership, kept: Sequence[Scored]
) -> list[Ranked]:
    """Return units best first: by meaning alone, or by all that is known of them."""
    if evidence.mode == "semantic":
        return _nearest_first(request, kept)
    admit = _admission(scope, members, {each.passage.unit for each in kept})
    texts = evidence.asked.texts if evidence.asked else 0
    names = await named(evidence.names, texts, admit)
    passages: dict[str, int] = {}
    for each in kept:
        passages[each.passage.unit] = max(passages.get(each.passage.unit, 1), each.passage.of_owner)
    known = [*passages, *(names.keys() - passages.keys())]
    connections: Mapping[str, int] = await degrees(scope, known) if request.weights.edge else {}
    units = {unit: Unit(passages.get(unit, 1), names.get(unit, ()), connections.get(unit, 0)) for unit in known}
    ranked = rank(request.query, [each.candidate for each in kept], units, weights=request.weights)
    found = await hopped(scope, ranked, {each.passage.key: each for each in kept}, texts, admit)
    return [each for each in found if each.score > 0]


def _may_lack_vectors(evidence: Evidence, kept: Sequence[Scored]) -> bool:
    """Say whether some of a past may not be found by meaning; by meaning alone, nobody can tell."""
    return evidence.mode == "semantic" or any(each.passage.cosine is None for each in kept)


def _nearest_first(request: Request, kept: Sequence[Scored]) -> list[Ranked]:
    """Return units by the cosine of their best passage."""
    weights = replace(request.weights, lexical=0.0, semantic=1.0, edge=0.0)
    best: dict[str, Ranked] = {}
    for each in kept:
        if (cosine := each.passage.cosine) is not None:
            found = weighed(Sides(each.candidate, 0.0, cosine), Unit(1), weights)
            best[found.owner] = max(best.get(found.owner, found), found, key=lambda one: one.score)
    return in_order(best.values())


def _admission(scope: Scope, members: Membership, known: Collection[str]) -> Admit:
    """Return what says who of those that only a name brings in is what hits must be."""
    asked = scope.filters
    is_free = not (asked.types or asked.created or asked.valid_at or asked.is_selective)

    async def admit(owners: Collection[str]) -> frozenset[str]:
        new = sorted(frozenset(owners).difference(known))
        if is_free or not new:
            return frozenset(owners)
        there = {each.owner for each in await passages_of(scope, new, None, UNLIMITED) if scope.takes(each)}
        left = await members.of([each for each in new if each in there])
        return frozenset(left).union(frozenset(owners).intersection(known))

    return admit

"""From a question to a ranking: what the indexes find, scored anew, fused, and led on by names.

What does not wait for each other goes on at once: what words find and what stands around it, the vector of the question
and what it finds, how often words are in a sample, and the names in the question. Then all of it is scored, and what is
not known yet of the candidates is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio.lowlevel

from graph_memory.embedding import EmbeddingUnavailable, compares
from graph_memory.memory.background import task_group
from graph_memory.memory.search.ranking.ranking import Ranked, Sides, Unit, in_order, rank, weighed
from graph_memory.memory.search.ranking.scoring import (
    CANDIDATES,
    Asked,
    Passage,
    Points,
    Said,
    Scored,
    Surroundings,
    Words,
    candidates,
    coverage,
    own_best,
    promising,
    scored,
)
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import SearchMode
from graph_memory.memory.search.retrieval.mentions import Admit, hopped, named
from graph_memory.memory.search.retrieval.node_filter import FEW, Membership, membership
from graph_memory.memory.search.retrieval.ranking_features import units_of
from graph_memory.memory.search.retrieval.retrieval import (
    Found,
    NameRow,
    Scope,
    around,
    asked_of,
    lexical,
    names_in,
    nearest,
    passages,
    passages_of,
)
from graph_memory.memory.search.text.bm25 import Query, asked
from graph_memory.memory.search.text.lexical_query import lexical_query
from graph_memory.memory.search.text.names import mentioned
from graph_memory.model.values.arguments import UNLIMITED, fault

WIDEST = 6_400
"""Passages that an index gives at most."""
_WIDER = 4
NAMESAKES = 3
"""A name that more bear does not say who is asked about."""
SURROUNDED = 30
"""Passages with what stands around them, the best by words first: more made no difference (decision 30)."""
_AT_ONCE = 50
"""Texts that are gone through before other tasks have their turn: a millisecond."""
_FIELDS = {"_text": 1.0, "_head": 1.0, "_words": 1.0}
_BRIEF = "Texts that were overwritten within a minute may have no vectors: they are found by words alone."
Vector = Sequence[float]


@dataclass(slots=True)
class Evidence:
    """What is known of the question before passages are read: its words and its vector, and the names in it."""

    mode: SearchMode
    query: Query
    words: Words
    is_given: bool = False
    """Whether the query is in Lucene's syntax, so that only Lucene can score by it."""
    vector: Vector | None = None
    is_embedded: bool = False
    """Whether the vector is known, or that there is none."""
    asked: Asked | None = None
    names: list[NameRow] = field(default_factory=list[NameRow])
    notes: list[str] = field(default_factory=list[str])

    @property
    def has_windows(self) -> bool:
        """Whether words are scored anew, with those that stand around."""
        return self.mode != "semantic" and not self.is_given and bool(self.query.terms)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found, best first, and of each best passage what its words gave to the question."""

    ranked: Sequence[Ranked]
    scored: Mapping[str, Scored]
    question: Query
    vector: Vector | None
    mode: SearchMode
    width: int
    is_all: bool
    """Whether the indexes have no more than what was ranked."""
    notes: Sequence[str]
    asked_about: Sequence[str]
    """Whose names stand in the question, however common they are in texts, where few bear them."""
    coverage: float = 0.0
    """The greatest part of the question's words, weighted by their rarity, that one passage has: from 0 to 1."""


@dataclass(slots=True)
class Hits:
    """What was found by words, best first, and by vectors, and what was read of it."""

    width: int
    words: Sequence[Found] = ()
    vectors: Sequence[Found] = ()
    is_all: bool = True
    """Whether the indexes have no more."""
    said: list[Said] = field(default_factory=list[Said])
    runs: Sequence[Sequence[str]] = ()
    read: dict[str, Passage] = field(default_factory=dict[str, Passage])

    @property
    def ids(self) -> list[str]:
        """The passages, each once."""
        return list(dict.fromkeys(hit.id for hit in (*self.words, *self.vectors)))

    @property
    def units(self) -> int:
        """Of how many nodes or connections they are."""
        return len({hit.unit for hit in (*self.words, *self.vectors)})


async def find(scope: Scope, request: Request) -> Ranking:
    """Return the ranking that a request asks for."""
    members = await membership(scope)
    question = asked(request.query, scope.analyser)
    evidence = Evidence(request.mode, question, Words(question), request.syntax == "lucene")
    few = await members.few() if scope.filters.is_selective and not evidence.is_given else None
    hits = None
    if few is not None or request.mode == "semantic":
        await _embed(scope, request, evidence)
    async with task_group() as tasks:
        if evidence.mode != "semantic":
            tasks.start_soon(_count, scope, evidence)
            tasks.start_soon(_name, scope, request, evidence)
        if few is None:
            hits = await _of_indexes(scope, request, evidence, members)
    if few is not None:
        hits = await _of_few(scope, evidence, few)
    hits = hits or await _of_indexes(scope, request, evidence, members)
    kept = await _scored(scope, evidence, members, hits)
    ranked = await _ranked(scope, request, evidence, members, kept)
    if scope.at is not None and evidence.vector is not None and _may_lack_vectors(evidence, kept):
        evidence.notes.append(_BRIEF)
    by_key = {each.passage.key: each for each in kept}
    question, vector, about = evidence.query, evidence.vector, _asked_about(request.query, evidence.names)
    covered = coverage(evidence.asked, kept) if evidence.asked else 0.0
    width, is_all, notes = hits.width, hits.is_all, evidence.notes
    return Ranking(ranked, by_key, question, vector, evidence.mode, width, is_all, notes, about, covered)


def _asked_about(text: str, names: Sequence[NameRow]) -> list[str]:
    """Return whose names stand in a question. Where nothing in it has a capital, names have none either."""
    borne = {row.name: row.owners for row in names}
    mentions = mentioned(text, borne, capitalised=text != text.lower())
    return sorted(owner for owner, mention in mentions.items() if mention.namesakes <= NAMESAKES)


async def _count(scope: Scope, evidence: Evidence) -> None:
    """Count the words of the question in a sample."""
    evidence.asked = await asked_of(scope, evidence.query)


async def _name(scope: Scope, request: Request, evidence: Evidence) -> None:
    """Find the names in the question."""
    evidence.names = await names_in(scope, request.query)


async def _embed(scope: Scope, request: Request, evidence: Evidence) -> None:
    """Make the vector of the question, once; where there can be none, words alone are compared."""
    if evidence.is_embedded or request.mode == "lexical":
        return
    evidence.is_embedded = True
    if request.vector is not None:
        _check_vector(scope, request.vector, evidence.notes)
        evidence.vector = request.vector
    else:
        evidence.vector = await _embedded(scope, request, evidence.notes)
    if evidence.vector is None:
        evidence.mode = "lexical"


async def _embedded(scope: Scope, request: Request, notes: list[str]) -> Vector | None:
    """Return the vector of the question, None where there can be none, with a note of why."""
    embedder, model = scope.core.embedder, scope.coverage.model
    if embedder is None:
        notes.append("Vectors are off: words alone were compared. GRAPH_MEMORY_EMBEDDINGS switches them on.")
        return None
    if model is None:
        reason = scope.coverage.reason or "They are being made: search again in a moment."
        notes.append(f"There are no vectors yet: words alone were compared. {reason}")
        return None
    if not compares(embedder.model, model):
        other = scope.core.embedder_of(model)
        how = "words alone were compared" if other is None else "the question was compared by that one"
        notes.append(
            f"The vectors are of the model {model}, but this process uses {embedder.model}: {how}. "
            "`graph-memory reindex --model` makes new ones."
        )
        if other is None:
            return None
        embedder = other
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
    if (
        embedder is not None
        and compares(embedder.model, model or "")
        and embedder.dimensions not in (None, len(vector))
    ):
        message = f"vector has {len(vector)} numbers, but those of the domain have {embedder.dimensions}"
        raise fault("vector", message, f"Make it with the model {model}.")


async def _of_few(scope: Scope, evidence: Evidence, few: Sequence[str]) -> Hits | None:
    """Return the best passages of a few nodes, scored exactly; None where they have too many."""
    rows = await passages_of(scope, few, evidence.vector, FEW + 1)
    if len(rows) > FEW:
        return None
    every = {row.id: row for row in rows if scope.takes(row)}
    results = own_best(evidence.asked, {each: row.own for each, row in every.items()}) if evidence.asked else []
    near = sorted(
        (passage for passage in every.values() if passage.cosine is not None),
        key=lambda passage: -(passage.cosine or 0.0),
    )
    hits = Hits(CANDIDATES)
    hits.words = [Found(each, every[each].owner, every[each].unit, 0.0) for each in results[:CANDIDATES]]
    hits.vectors = [
        Found(passage.id, passage.owner, passage.unit, passage.cosine or 0.0) for passage in near[:CANDIDATES]
    ]
    async with task_group() as tasks:
        tasks.start_soon(_look_around, scope, evidence, hits)
        tasks.start_soon(_read, scope, evidence, hits, [hit.id for hit in hits.vectors])
    return hits


async def _of_indexes(scope: Scope, request: Request, evidence: Evidence, members: Membership) -> Hits:
    """Return what the indexes find, looking wider until there is enough for a page of what the filters leave."""
    width = min(max(request.cursor.width, CANDIDATES), WIDEST) if request.cursor else CANDIDATES
    while True:
        hits = Hits(width)
        async with task_group() as tasks:
            tasks.start_soon(_by_words, scope, request, evidence, members, hits)
            tasks.start_soon(_by_meaning, scope, request, evidence, members, hits)
        if hits.is_all or width >= WIDEST or request.cursor or hits.units > request.max_results:
            return hits
        width *= _WIDER


async def _by_words(scope: Scope, request: Request, evidence: Evidence, members: Membership, hits: Hits) -> None:
    """Find by words, and then what stands around, while the question is embedded and compared."""
    if evidence.mode == "semantic" or request.vector is not None:
        return
    words = request.query if evidence.is_given else lexical_query(request.query, scope.analyser, fields=_FIELDS)
    results = await lexical(scope, words, hits.width) if words is not None else []
    hits.is_all &= len(results) < hits.width
    hits.words = await _left(members, results)
    await _look_around(scope, evidence, hits)


async def _by_meaning(scope: Scope, request: Request, evidence: Evidence, members: Membership, hits: Hits) -> None:
    """Find by the vector of the question, and read what was found."""
    await _embed(scope, request, evidence)
    if evidence.vector is None:
        return
    results = await nearest(scope, evidence.vector, hits.width)
    hits.is_all &= len(results) < hits.width
    hits.vectors = await _left(members, results)
    await _read(scope, evidence, hits, [hit.id for hit in hits.vectors])


async def _left(members: Membership, hits: Sequence[Found]) -> list[Found]:
    left = set(await members.of(list(dict.fromkeys(hit.unit for hit in hits))))
    return [hit for hit in hits if hit.unit in left]


async def _look_around(scope: Scope, evidence: Evidence, hits: Hits) -> None:
    """Read what the words' hits say, and what stands around the best, and look for the words in it meanwhile."""
    if not evidence.has_windows:
        return
    ids = [hit.id for hit in hits.words]
    hits.said, hits.runs = await around(scope, ids[:SURROUNDED], ids[SURROUNDED:])
    for start in range(0, len(hits.said), _AT_ONCE):
        await anyio.lowlevel.checkpoint()  # what the vector finds is asked for in between
        for each in hits.said[start : start + _AT_ONCE]:
            evidence.words.of(each.text)


async def _read(scope: Scope, evidence: Evidence, hits: Hits, ids: Iterable[str]) -> None:
    """Read passages, as far as they have not been read."""
    new = [id_ for id_ in ids if id_ not in hits.read]
    hits.read |= {passage.id: passage for passage in await passages(scope, new, evidence.vector)}


async def _scored(scope: Scope, evidence: Evidence, members: Membership, hits: Hits) -> list[Scored]:
    """Return candidates with scores for their words: by the domain's statistics, or as Lucene gave them."""
    found: Mapping[str, Points] = await _points(scope, evidence, members, hits) if evidence.has_windows else {}
    if not any(points.lexical for points in found.values()):
        scores = {hit.id: hit.score for hit in hits.words}
        found = {id_: Points({}, {}, scores.get(id_, 0.0)) for id_ in hits.ids}
    near, most = {hit.id for hit in hits.vectors}, max(CANDIDATES, len(hits.words))
    await _read(scope, evidence, hits, promising(found, near, most))
    shown = [each for each in found if each in hits.read and scope.shows(hits.read[each])]
    return candidates([Scored(hits.read[each], found[each]) for each in shown], near, most)


async def _points(scope: Scope, evidence: Evidence, members: Membership, hits: Hits) -> Mapping[str, Points]:
    """Return what the words of the question give to what was found, and to what stands around the words' hits."""
    if evidence.asked is None:
        return {}
    said, runs = await around(scope, hits.ids[len(hits.words) : SURROUNDED])
    known = Surroundings([*hits.said, *said, *hits.read.values()], [*hits.runs, *runs])
    words = [hit.id for hit in hits.words if hit.id in known.passages]
    pool = known.pool(words)
    if not scope.filters.is_free:
        await _read(scope, evidence, hits, pool)
        pool = [each for each in pool if each in hits.read and scope.takes(hits.read[each])]
        left = frozenset(await members.of(list(dict.fromkeys(hits.read[each].unit for each in pool))))
        pool = [each for each in pool if hits.read[each].unit in left]
    vectors = [hit.id for hit in hits.vectors if hit.id in hits.read]
    return scored(evidence.asked, known, list(dict.fromkeys((*pool, *words, *vectors))), evidence.words)


async def _ranked(
    scope: Scope, request: Request, evidence: Evidence, members: Membership, kept: Sequence[Scored]
) -> list[Ranked]:
    """Return units best first: by meaning alone, or by all that is known of them."""
    if evidence.mode == "semantic":
        return _nearest_first(request, kept)
    admit = _admission(scope, members, {each.passage.unit for each in kept})
    texts = evidence.asked.texts if evidence.asked else 0
    names = await named(evidence.names, texts, admit)
    sizes: dict[str, int] = {}
    for each in kept:
        sizes[each.passage.unit] = max(sizes.get(each.passage.unit, 1), each.passage.of_owner)
    units = await units_of(scope, request.weights, sizes, names, evidence.notes, is_past=request.as_of is not None)
    ranked = rank(request.query, [each.candidate for each in kept], units, weights=request.weights)
    results = await hopped(scope, ranked, {each.passage.key: each for each in kept}, texts, admit)
    return [ranked for ranked in results if ranked.score > 0]


def _may_lack_vectors(evidence: Evidence, kept: Sequence[Scored]) -> bool:
    """Say whether some of a past may not be found by meaning; by meaning alone, nobody can tell."""
    return evidence.mode == "semantic" or any(each.passage.cosine is None for each in kept)


def _nearest_first(request: Request, kept: Sequence[Scored]) -> list[Ranked]:
    """Return units by the cosine of their best passage."""
    weights = replace(request.weights, lexical=0.0, semantic=1.0, edge=0.0, recency=0.0, use=0.0)
    best: dict[str, Ranked] = {}
    for each in kept:
        if (cosine := each.passage.cosine) is not None:
            ranked = weighed(Sides(each.candidate, 0.0, cosine), Unit(1), weights)
            best[ranked.owner] = max(best.get(ranked.owner, ranked), ranked, key=lambda ranked: ranked.score)
    return in_order(best.values())


def _admission(scope: Scope, members: Membership, known: Collection[str]) -> Admit:
    """Return what says who of those that only a name brings in is what hits must be."""

    async def admit(owners: Collection[str]) -> frozenset[str]:
        new = sorted(frozenset(owners).difference(known))
        if scope.filters.is_free or not new:
            return frozenset(owners)
        there = {passage.owner for passage in await passages_of(scope, new, None, UNLIMITED) if scope.takes(passage)}
        left = await members.of([each for each in new if each in there])
        return frozenset(left).union(frozenset(owners).intersection(known))

    return admit

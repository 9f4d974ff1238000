"""Ranks the results of a query: reads candidates from the indexes, scores them, combines the scores and follows names.

Independent steps run concurrently: word hits with their context, the query vector with its hits, word frequencies in a
sample, and names in the query. Then all candidates are scored, and missing passages are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio.lowlevel

from graph_memory.embedding import EmbeddingUnavailable, compares
from graph_memory.memory.background import task_group
from graph_memory.memory.search.ranking.ranking import Ranked, Unit, rank, rank_by_cosine
from graph_memory.memory.search.ranking.scoring import (
    CANDIDATES,
    Passage,
    PassageContext,
    PassageText,
    Points,
    QuerySample,
    Scored,
    Words,
    add_whole_scores,
    best_by_own_words,
    coverage,
    preselect,
    score_passages,
    select_candidates,
)
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import SearchMode
from graph_memory.memory.search.retrieval.mentions import Admit, owners_of_names, spread_scores
from graph_memory.memory.search.retrieval.node_filter import MAX_EXACT, NodeFilter, make_node_filter
from graph_memory.memory.search.retrieval.ranking_features import find_tool_outputs, units_of
from graph_memory.memory.search.retrieval.retrieval import (
    IndexHit,
    NameRow,
    Scope,
    find_by_words,
    find_names,
    find_nearest,
    read_context,
    read_passages,
    read_passages_of,
    sample_query,
)
from graph_memory.memory.search.text.bm25 import Query, parse_query
from graph_memory.memory.search.text.lexical_query import lexical_query
from graph_memory.memory.search.text.names import find_mentions
from graph_memory.model.values.arguments import UNLIMITED, invalid_argument

MAX_WIDTH = 6_400
"""Maximum number of passages per index query."""
_WIDTH_FACTOR = 4
MAX_NAMESAKES = 3
"""Maximum number of nodes with the same name for which the name still identifies one of them."""
MAX_WITH_CONTEXT = 30
"""Maximum number of best word hits whose context is read. More made no difference (decision 30)."""
_TEXTS_PER_TURN = 50
"""Number of texts that are processed before other tasks run: about a millisecond of work."""
_FIELDS = {"_text": 1.0, "_head": 1.0, "_words": 1.0}
_VECTORS_MAY_BE_MISSING = (
    "Texts that were overwritten within a minute may have no vectors. Only their words were compared."
)
Vector = Sequence[float]


@dataclass(slots=True)
class Evidence:
    """The words, vector and names of a query, before passages are read."""

    mode: SearchMode
    query: Query
    words: Words
    is_lucene: bool = False
    """Whether the query is in Lucene's syntax. Only Lucene can score such a query."""
    vector: Vector | None = None
    is_embedded: bool = False
    """Whether the vector was computed, or is known to be unavailable."""
    sample: QuerySample | None = None
    names: list[NameRow] = field(default_factory=list[NameRow])
    notes: list[str] = field(default_factory=list[str])

    @property
    def has_windows(self) -> bool:
        """Whether words are scored by the domain's statistics, together with the context of passages."""
        return self.mode != "semantic" and not self.is_lucene and bool(self.query.terms)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranked units, best first, and the scores of the passages."""

    ranked: Sequence[Ranked]
    scored: Mapping[str, Scored]
    question: Query
    vector: Vector | None
    mode: SearchMode
    width: int
    is_all: bool
    """Whether the indexes have no further candidates."""
    notes: Sequence[str]
    mentioned_owners: Sequence[str]
    """Nodes whose names occur in the query. Few nodes have such a name, but it may be common in texts."""
    coverage: float = 0.0
    """The greatest share of the query's words that one passage contains, weighted by rarity: 0 to 1."""
    sample: QuerySample | None = None
    """The rarity of the query's words, by which `coverage` was computed."""


@dataclass(slots=True)
class Hits:
    """The passages that words and vectors found, best first, with their texts."""

    width: int
    by_words: Sequence[IndexHit] = ()
    by_vector: Sequence[IndexHit] = ()
    is_all: bool = True
    """Whether the indexes have no further candidates."""
    texts: list[PassageText] = field(default_factory=list[PassageText])
    runs: Sequence[Sequence[str]] = ()
    passages: dict[str, Passage] = field(default_factory=dict[str, Passage])

    @property
    def ids(self) -> list[str]:
        """Ids of the passages, each once."""
        return list(dict.fromkeys(hit.id for hit in (*self.by_words, *self.by_vector)))

    @property
    def unit_count(self) -> int:
        """The number of nodes and connections that the passages belong to."""
        return len({hit.unit for hit in (*self.by_words, *self.by_vector)})


async def rank_candidates(scope: Scope, request: Request, min_width: int = CANDIDATES) -> Ranking:
    """Return the ranking for a request, of at least `min_width` passages per index if there are so many."""
    members = await make_node_filter(scope)
    question = parse_query(request.query, scope.analyser)
    evidence = Evidence(request.mode, question, Words(question), request.syntax == "lucene")
    few = await members.select_few() if scope.filters.is_selective and not evidence.is_lucene else None
    hits = None
    if few is not None or request.mode == "semantic":
        await _embed_query(scope, request, evidence)
    async with task_group() as tasks:
        if evidence.mode != "semantic":
            tasks.start_soon(_count_words, scope, evidence)
            tasks.start_soon(_find_names, scope, request, evidence)
        if few is None:
            hits = await _search_indexes(scope, request, evidence, members, min_width)
    if few is not None:
        hits = await _search_few_nodes(scope, evidence, few)
    hits = hits or await _search_indexes(scope, request, evidence, members, min_width)
    scored = await _score_hits(scope, evidence, members, hits)
    ranked = await _rank_units(scope, request, evidence, members, scored)
    if scope.at is not None and evidence.vector is not None and _may_lack_vectors(evidence, scored):
        evidence.notes.append(_VECTORS_MAY_BE_MISSING)
    by_key = {passage.passage.key: passage for passage in scored}
    question, vector, mode = evidence.query, evidence.vector, evidence.mode
    sample, owners = evidence.sample, _mentioned_owners(request.query, evidence.names)
    covered = coverage(sample, scored) if sample else 0.0
    width, is_all, notes = hits.width, hits.is_all, evidence.notes
    return Ranking(ranked, by_key, question, vector, mode, width, is_all, notes, owners, covered, sample)


def _mentioned_owners(text: str, names: Sequence[NameRow]) -> list[str]:
    """Return the ids of the nodes whose names occur in the query.

    Ignores case if the query has no capital letters.
    """
    owners_by_name = {row.name: row.owners for row in names}
    mentions = find_mentions(text, owners_by_name, capitalised=text != text.lower())
    return sorted(owner for owner, mention in mentions.items() if mention.namesakes <= MAX_NAMESAKES)


async def _count_words(scope: Scope, evidence: Evidence) -> None:
    evidence.sample = await sample_query(scope, evidence.query)


async def _find_names(scope: Scope, request: Request, evidence: Evidence) -> None:
    evidence.names = await find_names(scope, request.query)


async def _embed_query(scope: Scope, request: Request, evidence: Evidence) -> None:
    """Compute the query vector, unless it is computed already. Without a vector, only words are compared."""
    if evidence.is_embedded or request.mode == "lexical":
        return
    evidence.is_embedded = True
    if request.vector is not None:
        _check_vector(scope, request.vector, evidence.notes)
        evidence.vector = request.vector
    else:
        evidence.vector = await _compute_vector(scope, request, evidence.notes)
    if evidence.vector is None:
        evidence.mode = "lexical"


async def _compute_vector(scope: Scope, request: Request, notes: list[str]) -> Vector | None:
    """Return the query vector. If there is none, return None and add the reason to `notes`."""
    embedder, model = scope.core.embedder, scope.coverage.model
    if embedder is None:
        notes.append("Vectors are off, so only words were compared. Set GRAPH_MEMORY_EMBEDDINGS to use them.")
        return None
    if model is None:
        reason = scope.coverage.reason or "They are being computed: search again in a moment."
        notes.append(f"There are no vectors yet, so only words were compared. {reason}")
        return None
    if not compares(embedder.model, model):
        other = scope.core.embedder_of(model)
        how = "only words were compared" if other is None else "the query was compared with that model"
        notes.append(
            f"The vectors are from the model {model}, but this process uses {embedder.model}: {how}. "
            "`graph-memory reindex --model` computes new vectors."
        )
        if other is None:
            return None
        embedder = other
    try:
        return await embedder.query(request.query)
    except EmbeddingUnavailable as error:
        notes.append(f"Vectors are not available: {error.message}. Only words were compared. {error.hint}")
        return None


def _check_vector(scope: Scope, vector: Vector, notes: list[str]) -> None:
    """Raise INVALID_ARGUMENT if the vector is known to have another number of dimensions than the domain's."""
    embedder, model = scope.core.embedder, scope.coverage.model
    if model is None:
        notes.append(f"The domain has no vectors yet. {scope.coverage.reason or ''}".strip())
    if (
        embedder is not None
        and compares(embedder.model, model or "")
        and embedder.dimensions not in (None, len(vector))
    ):
        message = f"vector has {len(vector)} numbers, but the vectors of the domain have {embedder.dimensions}"
        raise invalid_argument("vector", message, f"Compute it with the model {model}.")


async def _search_few_nodes(scope: Scope, evidence: Evidence, nodes: Sequence[str]) -> Hits | None:
    """Return the best passages of a few nodes by exact scores, or None if the nodes have too many passages."""
    rows = await read_passages_of(scope, nodes, evidence.vector, MAX_EXACT + 1)
    if len(rows) > MAX_EXACT:
        return None
    by_id = {row.id: row for row in rows if scope.takes(row)}
    results = (
        best_by_own_words(evidence.sample, {key: row.own for key, row in by_id.items()}) if evidence.sample else []
    )
    near = sorted(
        (passage for passage in by_id.values() if passage.cosine is not None),
        key=lambda passage: -(passage.cosine or 0.0),
    )
    hits = Hits(CANDIDATES)
    hits.by_words = [IndexHit(key, by_id[key].owner, by_id[key].unit, 0.0) for key in results[:CANDIDATES]]
    hits.by_vector = [
        IndexHit(passage.id, passage.owner, passage.unit, passage.cosine or 0.0) for passage in near[:CANDIDATES]
    ]
    async with task_group() as tasks:
        tasks.start_soon(_read_context, scope, evidence, hits)
        tasks.start_soon(_read_passages, scope, evidence, hits, [hit.id for hit in hits.by_vector])
    return hits


async def _search_indexes(
    scope: Scope, request: Request, evidence: Evidence, members: NodeFilter, min_width: int
) -> Hits:
    """Return the hits of both indexes. Repeats the search with a higher limit until enough hits pass the filters."""
    width = min(max(request.cursor.width, min_width), MAX_WIDTH) if request.cursor else min_width
    while True:
        hits = Hits(width)
        async with task_group() as tasks:
            tasks.start_soon(_search_words, scope, request, evidence, members, hits)
            tasks.start_soon(_search_vectors, scope, request, evidence, members, hits)
        if hits.is_all or width >= MAX_WIDTH or request.cursor or hits.unit_count > request.max_results:
            return hits
        width *= _WIDTH_FACTOR


async def _search_words(scope: Scope, request: Request, evidence: Evidence, members: NodeFilter, hits: Hits) -> None:
    """Find passages by words and read their context. Meanwhile, the query vector is computed and compared."""
    if evidence.mode == "semantic" or request.vector is not None:
        return
    words = request.query if evidence.is_lucene else lexical_query(request.query, scope.analyser, fields=_FIELDS)
    results = await find_by_words(scope, words, hits.width) if words is not None else []
    hits.is_all &= len(results) < hits.width
    hits.by_words = await _filter_hits(members, results)
    await _read_context(scope, evidence, hits)


async def _search_vectors(scope: Scope, request: Request, evidence: Evidence, members: NodeFilter, hits: Hits) -> None:
    await _embed_query(scope, request, evidence)
    if evidence.vector is None:
        return
    results = await find_nearest(scope, evidence.vector, hits.width)
    hits.is_all &= len(results) < hits.width
    hits.by_vector = await _filter_hits(members, results)
    await _read_passages(scope, evidence, hits, [hit.id for hit in hits.by_vector])


async def _filter_hits(members: NodeFilter, hits: Sequence[IndexHit]) -> list[IndexHit]:
    units = set(await members.select(list(dict.fromkeys(hit.unit for hit in hits))))
    return [hit for hit in hits if hit.unit in units]


async def _read_context(scope: Scope, evidence: Evidence, hits: Hits) -> None:
    """Read the texts of the word hits and the context of the best hits, and find the query's words in both."""
    if not evidence.has_windows:
        return
    ids = [hit.id for hit in hits.by_words]
    hits.texts, hits.runs = await read_context(scope, ids[:MAX_WITH_CONTEXT], ids[MAX_WITH_CONTEXT:])
    for start in range(0, len(hits.texts), _TEXTS_PER_TURN):
        await anyio.lowlevel.checkpoint()  # let the vector query start meanwhile
        for text in hits.texts[start : start + _TEXTS_PER_TURN]:
            evidence.words.of(text.text)


async def _read_passages(scope: Scope, evidence: Evidence, hits: Hits, ids: Iterable[str]) -> None:
    """Read the passages that are not read yet."""
    new = [key for key in ids if key not in hits.passages]
    hits.passages |= {passage.id: passage for passage in await read_passages(scope, new, evidence.vector)}


async def _score_hits(scope: Scope, evidence: Evidence, members: NodeFilter, hits: Hits) -> list[Scored]:
    """Return candidates with word scores, from the domain's statistics or from Lucene."""
    points_by_id: Mapping[str, Points] = (
        await _compute_points(scope, evidence, members, hits) if evidence.has_windows else {}
    )
    if not any(points.lexical for points in points_by_id.values()):
        scores = {hit.id: hit.score for hit in hits.by_words}
        points_by_id = {key: Points({}, {}, scores.get(key, 0.0)) for key in hits.ids}
    near, limit = {hit.id for hit in hits.by_vector}, max(CANDIDATES, len(hits.by_words))
    await _read_passages(scope, evidence, hits, preselect(points_by_id, near, limit))
    shown = [key for key in points_by_id if key in hits.passages and scope.shows(hits.passages[key])]
    selected = select_candidates([Scored(hits.passages[key], points_by_id[key]) for key in shown], near, limit)
    return add_whole_scores(selected)


async def _compute_points(scope: Scope, evidence: Evidence, members: NodeFilter, hits: Hits) -> Mapping[str, Points]:
    """Return the word scores of the hits, and of the passages in their context."""
    if evidence.sample is None:
        return {}
    texts, runs = await read_context(scope, hits.ids[len(hits.by_words) : MAX_WITH_CONTEXT])
    context = PassageContext([*hits.texts, *texts, *hits.passages.values()], [*hits.runs, *runs])
    words = [hit.id for hit in hits.by_words if hit.id in context.passages]
    pool = context.pool(words)
    if not scope.filters.is_free:
        await _read_passages(scope, evidence, hits, pool)
        pool = [key for key in pool if key in hits.passages and scope.takes(hits.passages[key])]
        units = frozenset(await members.select(list(dict.fromkeys(hits.passages[key].unit for key in pool))))
        pool = [key for key in pool if hits.passages[key].unit in units]
    vectors = [hit.id for hit in hits.by_vector if hit.id in hits.passages]
    return score_passages(evidence.sample, context, list(dict.fromkeys((*pool, *words, *vectors))), evidence.words)


async def _rank_units(
    scope: Scope, request: Request, evidence: Evidence, members: NodeFilter, scored: Sequence[Scored]
) -> list[Ranked]:
    """Return the units, best first: by vectors alone, or by all evidence."""
    known = {passage.passage.unit for passage in scored}
    outputs = await find_tool_outputs(scope, known)
    if evidence.mode == "semantic":
        features = {unit: Unit(1, is_tool_output=unit in outputs) for unit in known}
        return rank_by_cosine([passage.candidate for passage in scored], features, request.weights)
    admit = _make_admit(scope, members, known, outputs)
    texts = evidence.sample.texts if evidence.sample else 0
    names = await owners_of_names(evidence.names, texts, admit)
    sizes: dict[str, int] = {}
    for passage in scored:
        sizes[passage.passage.unit] = max(sizes.get(passage.passage.unit, 1), passage.passage.of_owner)
    is_past = request.as_of is not None
    units = await units_of(scope, request.weights, sizes, names, outputs, evidence.notes, is_past=is_past)
    ranked = rank(request.query, [passage.candidate for passage in scored], units, weights=request.weights)
    results = await spread_scores(scope, ranked, {passage.passage.key: passage for passage in scored}, texts, admit)
    return [ranked for ranked in results if ranked.score > 0]


def _may_lack_vectors(evidence: Evidence, scored: Sequence[Scored]) -> bool:
    """Return whether passages of the past may lack vectors. If only vectors are compared, that is not known."""
    return evidence.mode == "semantic" or any(passage.passage.cosine is None for passage in scored)


def _make_admit(scope: Scope, members: NodeFilter, known: Collection[str], outputs: Collection[str]) -> Admit:
    """Return a function that filters the nodes found by name. It rejects nodes with the output of a tool."""

    async def admit(owners: Collection[str]) -> frozenset[str]:
        unknown_owners = frozenset(owners).difference(known)
        new = sorted(unknown_owners.difference(await find_tool_outputs(scope, unknown_owners)))
        trusted = frozenset(owners).intersection(known).difference(outputs)
        if scope.filters.is_free or not new:
            return trusted.union(new)
        matching = {
            passage.owner for passage in await read_passages_of(scope, new, None, UNLIMITED) if scope.takes(passage)
        }
        return trusted.union(await members.select([owner for owner in new if owner in matching]))

    return admit

"""Ranks the results of a query: reads candidates from the indexes, scores them, and passes scores on to named nodes.

Independent steps run concurrently: word hits with their context, the query vector with its hits, word frequencies in a
sample, and names in the query. Then all candidates are scored, and missing passages are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio.lowlevel

from graph_memory.embedding import EmbeddingUnavailable, are_comparable
from graph_memory.memory.background import task_group
from graph_memory.memory.search.ranking.ranking import RankedUnit, UnitFeatures, rank, rank_by_cosine
from graph_memory.memory.search.ranking.scoring import (
    CANDIDATES,
    Passage,
    PassageContext,
    PassageText,
    QuerySample,
    ScoredPassage,
    TermFinder,
    TermScores,
    add_whole_scores,
    best_by_own_words,
    coverage,
    preselect,
    score_passages,
    select_candidates,
)
from graph_memory.memory.search.request import Request
from graph_memory.memory.search.results import SearchMode
from graph_memory.memory.search.retrieval.mentions import make_name_filter, owners_of_names, spread_scores
from graph_memory.memory.search.retrieval.node_filter import MAX_EXACT, NodeFilter, make_node_filter
from graph_memory.memory.search.retrieval.ranking_features import units_of
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
from graph_memory.model.values.arguments import invalid_argument

MAX_WIDTH = 6_400
"""Maximum number of passages per index query."""
_WIDTH_FACTOR = 4
MAX_NAMESAKES = 3
"""Maximum number of nodes with the same name. If more nodes share a name, it does not count as a mention of them."""
MAX_WITH_CONTEXT = 30
"""Maximum number of best word hits whose context is read. Reading more did not change the ranking (decision 30)."""
_TEXTS_PER_TURN = 50
"""Number of texts to analyse before other tasks can run: about a millisecond of work."""
_FIELDS = {"_text": 1.0, "_head": 1.0, "_words": 1.0}
_VECTORS_MAY_BE_MISSING = (
    "Texts that were overwritten within a minute may have no vectors, so only their words were compared."
)
Vector = Sequence[float]


@dataclass(slots=True)
class Evidence:
    """The data about a query from which hits are found and ranked: its terms, vector, term frequencies and names."""

    mode: SearchMode
    query: Query
    words: TermFinder
    is_lucene: bool = False
    """Whether the query is in Lucene's syntax. Only Lucene can score such a query."""
    vector: Vector | None = None
    is_embedded: bool = False
    """Whether the query vector was computed, or is known to be unavailable."""
    sample: QuerySample | None = None
    names: list[NameRow] = field(default_factory=list[NameRow])
    notes: list[str] = field(default_factory=list[str])

    @property
    def has_windows(self) -> bool:
        """Whether words are scored with the domain's statistics, in each passage and its context."""
        return self.mode != "semantic" and not self.is_lucene and bool(self.query.terms)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranked units, best first, and the passages' scores."""

    ranked: Sequence[RankedUnit]
    scored: Mapping[str, ScoredPassage]
    question: Query
    vector: Vector | None
    mode: SearchMode
    width: int
    is_all: bool
    """Whether the indexes have no further candidates for the query."""
    notes: Sequence[str]
    mentioned_owners: Sequence[str]
    """The ids of nodes whose names occur in the query. Excludes names of more than `MAX_NAMESAKES` nodes."""
    coverage: float = 0.0
    """The largest share of the query's words in one passage, weighted by rarity, from 0 to 1."""
    sample: QuerySample | None = None
    """The rarity of the query's words, from which `coverage` was computed."""


@dataclass(slots=True)
class Hits:
    """The hits of the word and vector searches, each best first, with the passages' texts."""

    width: int
    by_words: Sequence[IndexHit] = ()
    by_vector: Sequence[IndexHit] = ()
    is_all: bool = True
    """Whether the indexes have no further candidates for the query."""
    texts: list[PassageText] = field(default_factory=list[PassageText])
    runs: Sequence[Sequence[str]] = ()
    """The ids of adjacent passages, in reading order."""
    passages: dict[str, Passage] = field(default_factory=dict[str, Passage])

    @property
    def ids(self) -> list[str]:
        """The ids of the passages, without duplicates."""
        return list(dict.fromkeys(hit.id for hit in (*self.by_words, *self.by_vector)))

    @property
    def unit_count(self) -> int:
        """The number of nodes and connections to which the passages belong."""
        return len({hit.unit for hit in (*self.by_words, *self.by_vector)})


async def rank_candidates(scope: Scope, request: Request, min_width: int = CANDIDATES) -> Ranking:
    """Return the ranking for a search request. Each index query asks for at least `min_width` passages."""
    node_filter = await make_node_filter(scope)
    question = parse_query(request.query, scope.analyser)
    evidence = Evidence(request.mode, question, TermFinder(question), request.syntax == "lucene")
    few_node_ids = await node_filter.select_few() if scope.filters.is_selective and not evidence.is_lucene else None
    hits = None
    if few_node_ids is not None or request.mode == "semantic":
        await _embed_query(scope, request, evidence)
    async with task_group() as tasks:
        if evidence.mode != "semantic":
            tasks.start_soon(_sample_query_words, scope, evidence)
            tasks.start_soon(_find_names, scope, request, evidence)
        if few_node_ids is None:
            hits = await _search_indexes(scope, request, evidence, node_filter, min_width)
    if few_node_ids is not None:
        hits = await _search_few_nodes(scope, evidence, few_node_ids)
    hits = hits or await _search_indexes(scope, request, evidence, node_filter, min_width)
    scored = await _score_hits(scope, evidence, node_filter, hits)
    ranked = await _rank_units(scope, request, evidence, node_filter, scored)
    # A semantic search cannot check this, because it finds only passages with vectors.
    may_lack_vectors = evidence.mode == "semantic" or any(passage.passage.cosine is None for passage in scored)
    if scope.at is not None and evidence.vector is not None and may_lack_vectors:
        evidence.notes.append(_VECTORS_MAY_BE_MISSING)
    scored_by_key = {passage.passage.key: passage for passage in scored}
    question, vector, mode = evidence.query, evidence.vector, evidence.mode
    sample, mentioned_owners = evidence.sample, _mentioned_owners(request.query, evidence.names)
    best_coverage = coverage(sample, scored) if sample else 0.0
    width, is_all, notes = hits.width, hits.is_all, evidence.notes
    return Ranking(
        ranked, scored_by_key, question, vector, mode, width, is_all, notes, mentioned_owners, best_coverage, sample
    )


def _mentioned_owners(text: str, names: Sequence[NameRow]) -> list[str]:
    """Return the ids of the nodes whose names occur in the query.

    A one-word name must be capitalised in the query, unless the whole query is in lower case.
    """
    owners_by_name = {row.name: row.owners for row in names}
    mentions = find_mentions(text, owners_by_name, capitalised=text != text.lower())
    return sorted(owner for owner, mention in mentions.items() if mention.namesakes <= MAX_NAMESAKES)


async def _sample_query_words(scope: Scope, evidence: Evidence) -> None:
    await anyio.lowlevel.checkpoint()  # let the index queries start first, because later steps wait for them
    evidence.sample = await sample_query(scope, evidence.query)


async def _find_names(scope: Scope, request: Request, evidence: Evidence) -> None:
    await anyio.lowlevel.checkpoint()  # let the index queries start first
    evidence.names = await find_names(scope, request.query)


async def _embed_query(scope: Scope, request: Request, evidence: Evidence) -> None:
    """Compute the query vector, unless it already exists. If it is not available, only words are compared."""
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
    """Return the query vector. If it cannot be computed, return None and add the reason to `notes`."""
    embedder, model = scope.core.embedder, scope.coverage.model
    if embedder is None:
        notes.append("Vectors are off, so only words were compared. Set GRAPH_MEMORY_EMBEDDINGS to use them.")
        return None
    if model is None:
        reason = scope.coverage.reason or "They are being computed. Search again in a moment."
        notes.append(f"There are no vectors yet, so only words were compared. {reason}")
        return None
    if not are_comparable(embedder.model, model):
        other_embedder = scope.core.embedder_of(model)
        consequence = "only words were compared" if other_embedder is None else "the query was compared with that model"
        notes.append(
            f"The vectors are from the model {model}, but this process uses {embedder.model}: {consequence}. "
            "Run `graph-memory reindex --model` to compute new vectors."
        )
        if other_embedder is None:
            return None
        embedder = other_embedder
    try:
        return await embedder.query(request.query)
    except EmbeddingUnavailable as error:
        notes.append(f"Vectors are not available: {error.message}. Only words were compared. {error.hint}")
        return None


def _check_vector(scope: Scope, vector: Vector, notes: list[str]) -> None:
    """Raise INVALID_ARGUMENT if the domain's vectors are known to have a different number of dimensions."""
    embedder, model = scope.core.embedder, scope.coverage.model
    if model is None:
        notes.append(f"The domain has no vectors yet. {scope.coverage.reason or ''}".strip())
    if (
        embedder is not None
        and are_comparable(embedder.model, model or "")
        and embedder.dimensions not in (None, len(vector))
    ):
        message = f"vector has {len(vector)} numbers, but the vectors of the domain have {embedder.dimensions}"
        raise invalid_argument("vector", message, f"Compute it with the model {model}.")


async def _search_few_nodes(scope: Scope, evidence: Evidence, nodes: Sequence[str]) -> Hits | None:
    """Return the best passages of the nodes, scored exactly, or None if they have more than `MAX_EXACT` passages."""
    rows = await read_passages_of(scope, nodes, evidence.vector, MAX_EXACT + 1)
    if len(rows) > MAX_EXACT:
        return None
    by_id = {row.id: row for row in rows if scope.accepts(row)}
    texts = {passage_id: row.own_text for passage_id, row in by_id.items()}
    ids_by_words = best_by_own_words(evidence.sample, texts) if evidence.sample else []
    nearest_passages = sorted(
        (passage for passage in by_id.values() if passage.cosine is not None),
        key=lambda passage: -(passage.cosine or 0.0),
    )
    hits = Hits(CANDIDATES)
    hits.by_words = [
        IndexHit(passage_id, by_id[passage_id].owner, by_id[passage_id].unit, 0.0)
        for passage_id in ids_by_words[:CANDIDATES]
    ]
    hits.by_vector = [
        IndexHit(passage.id, passage.owner, passage.unit, passage.cosine or 0.0)
        for passage in nearest_passages[:CANDIDATES]
    ]
    async with task_group() as tasks:
        tasks.start_soon(_read_context, scope, evidence, hits)
        tasks.start_soon(_read_passages, scope, evidence, hits, [hit.id for hit in hits.by_vector])
    return hits


async def _search_indexes(
    scope: Scope, request: Request, evidence: Evidence, node_filter: NodeFilter, min_width: int
) -> Hits:
    """Return the hits of both indexes. Repeats the search with a higher limit until enough hits pass the filters."""
    width = min(max(request.cursor.width, min_width), MAX_WIDTH) if request.cursor else min_width
    while True:
        hits = Hits(width)
        async with task_group() as tasks:
            tasks.start_soon(_search_vectors, scope, request, evidence, node_filter, hits)
            tasks.start_soon(_search_words, scope, request, evidence, node_filter, hits)
        if hits.is_all or width >= MAX_WIDTH or request.cursor or hits.unit_count > request.max_results:
            return hits
        width *= _WIDTH_FACTOR


async def _search_words(
    scope: Scope, request: Request, evidence: Evidence, node_filter: NodeFilter, hits: Hits
) -> None:
    """Search for passages by the query's words, and read their context. Does nothing if only vectors are searched."""
    if evidence.mode == "semantic" or request.vector is not None:
        return
    words = request.query if evidence.is_lucene else lexical_query(request.query, scope.analyser, fields=_FIELDS)
    results = await find_by_words(scope, words, hits.width) if words is not None else []
    hits.is_all &= len(results) < hits.width
    hits.by_words = await _filter_hits(node_filter, results)
    await _read_context(scope, evidence, hits)


async def _search_vectors(
    scope: Scope, request: Request, evidence: Evidence, node_filter: NodeFilter, hits: Hits
) -> None:
    await _embed_query(scope, request, evidence)
    if evidence.vector is None:
        return
    results = await find_nearest(scope, evidence.vector, hits.width)
    hits.is_all &= len(results) < hits.width
    hits.by_vector = await _filter_hits(node_filter, results)
    await _read_passages(scope, evidence, hits, [hit.id for hit in hits.by_vector])


async def _filter_hits(node_filter: NodeFilter, hits: Sequence[IndexHit]) -> list[IndexHit]:
    units = set(await node_filter.select(list(dict.fromkeys(hit.unit for hit in hits))))
    return [hit for hit in hits if hit.unit in units]


async def _read_context(scope: Scope, evidence: Evidence, hits: Hits) -> None:
    """Read the texts of the word hits and the context of the best hits. Locate the query's words in both."""
    if not evidence.has_windows:
        return
    ids = [hit.id for hit in hits.by_words]
    hits.texts, hits.runs = await read_context(scope, ids[:MAX_WITH_CONTEXT], ids[MAX_WITH_CONTEXT:])
    for start in range(0, len(hits.texts), _TEXTS_PER_TURN):
        await anyio.lowlevel.checkpoint()  # let the vector query start meanwhile
        for text in hits.texts[start : start + _TEXTS_PER_TURN]:
            evidence.words.analyse(text.text)


async def _read_passages(scope: Scope, evidence: Evidence, hits: Hits, ids: Iterable[str]) -> None:
    """Add the passages with these ids to `hits.passages`, unless they are already there."""
    missing_ids = [passage_id for passage_id in ids if passage_id not in hits.passages]
    hits.passages |= {passage.id: passage for passage in await read_passages(scope, missing_ids, evidence.vector)}


async def _score_hits(scope: Scope, evidence: Evidence, node_filter: NodeFilter, hits: Hits) -> list[ScoredPassage]:
    """Return the candidates with their word scores, computed with the domain's statistics or by Lucene."""
    points_by_id: Mapping[str, TermScores] = (
        await _compute_points(scope, evidence, node_filter, hits) if evidence.has_windows else {}
    )
    if not any(points.lexical for points in points_by_id.values()):
        scores = {hit.id: hit.score for hit in hits.by_words}
        points_by_id = {passage_id: TermScores({}, {}, scores.get(passage_id, 0.0)) for passage_id in hits.ids}
    nearest_ids, limit = {hit.id for hit in hits.by_vector}, max(CANDIDATES, len(hits.by_words))
    await _read_passages(scope, evidence, hits, preselect(points_by_id, nearest_ids, limit))
    shown_passages = [
        ScoredPassage(hits.passages[passage_id], points)
        for passage_id, points in points_by_id.items()
        if passage_id in hits.passages and scope.shows(hits.passages[passage_id])
    ]
    return add_whole_scores(select_candidates(shown_passages, nearest_ids, limit))


async def _compute_points(
    scope: Scope, evidence: Evidence, node_filter: NodeFilter, hits: Hits
) -> Mapping[str, TermScores]:
    """Return the word scores of the hits and of passages around word hits, by passage id."""
    if evidence.sample is None:
        return {}
    texts, runs = await read_context(scope, hits.ids[len(hits.by_words) : MAX_WITH_CONTEXT])
    context = PassageContext([*hits.texts, *texts, *hits.passages.values()], [*hits.runs, *runs])
    word_hit_ids = [hit.id for hit in hits.by_words if hit.id in context.passages]
    pool = context.pool(word_hit_ids)
    if not scope.filters.is_empty:
        await _read_passages(scope, evidence, hits, pool)
        pool = [key for key in pool if key in hits.passages and scope.accepts(hits.passages[key])]
        units = frozenset(await node_filter.select(list(dict.fromkeys(hits.passages[key].unit for key in pool))))
        pool = [key for key in pool if hits.passages[key].unit in units]
    vector_hit_ids = [hit.id for hit in hits.by_vector if hit.id in hits.passages]
    return score_passages(
        evidence.sample, context, list(dict.fromkeys((*pool, *word_hit_ids, *vector_hit_ids))), evidence.words
    )


async def _rank_units(
    scope: Scope, request: Request, evidence: Evidence, node_filter: NodeFilter, scored: Sequence[ScoredPassage]
) -> list[RankedUnit]:
    """Return the units, best first. A semantic search ranks by vectors only, and other searches by all evidence."""
    scored_units = {passage.passage.unit for passage in scored}
    tool_outputs = {passage.passage.unit for passage in scored if passage.passage.is_tool_output}
    if evidence.mode == "semantic":
        features = {unit: UnitFeatures(1, is_tool_output=unit in tool_outputs) for unit in scored_units}
        return rank_by_cosine([passage.candidate for passage in scored], features, request.weights)
    admit = make_name_filter(scope, node_filter, scored_units, tool_outputs)
    text_count = evidence.sample.texts if evidence.sample else 0
    names = await owners_of_names(evidence.names, text_count, admit)
    sizes: dict[str, int] = {}
    for passage in scored:
        sizes[passage.passage.unit] = max(sizes.get(passage.passage.unit, 1), passage.passage.of_owner)
    is_past = request.as_of is not None
    units = await units_of(scope, request.weights, sizes, names, tool_outputs, evidence.notes, is_past=is_past)
    ranked = rank(request.query, [passage.candidate for passage in scored], units, weights=request.weights)
    reranked = await spread_scores(
        scope, ranked, {passage.passage.key: passage for passage in scored}, text_count, admit
    )
    return [ranked for ranked in reranked if ranked.score > 0]

"""Builds a search's reply from hits, passages, ranges and contradictions, and fits it into a token budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, cast

import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions, texts_of
from graph_memory.memory.search.candidate_ranking import Ranking
from graph_memory.memory.search.passages.passages import locate
from graph_memory.memory.search.ranking.excerpts import choose_excerpt
from graph_memory.memory.search.ranking.ranking import RankedUnit
from graph_memory.memory.search.ranking.scoring import Passage, ScoredPassage
from graph_memory.memory.search.ranking.shown_passages import NAME, choose_passage, is_name_only, sort_by_relevance
from graph_memory.memory.search.ranking.why import describe_reasons, explain_score, rounded_score
from graph_memory.memory.search.request import Cursor, Request
from graph_memory.memory.search.results import Hit, SearchResult, Superseded
from graph_memory.memory.search.retrieval.connected import contradictions_of, nodes_connected_to
from graph_memory.memory.search.retrieval.retrieval import (
    MAX_COMPARED_OBSERVATIONS,
    Scope,
    latest_observations,
    read_passages_of,
)
from graph_memory.memory.search.retrieval.superseded import find_superseded_among
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, tokens_of
from graph_memory.model.results import NodeBrief
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.analysers import ENGLISH
from graph_memory.storage.log.writing import utc_now

_CONTENT = "content/"
_MOST_PASSAGES = 200


@dataclass(slots=True)
class ReplyData:
    """The data for a reply: rows and passages of hits, contents, contradictions and superseded observations."""

    rows: dict[str, DescribedRow] = field(default_factory=dict[str, DescribedRow])
    passages: dict[str, Passage] = field(default_factory=dict[str, Passage])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    contradicting: Mapping[str, tuple[NodeBrief, ...]] = field(default_factory=dict[str, tuple[NodeBrief, ...]])
    superseded: Mapping[str, Superseded] = field(default_factory=dict[str, Superseded])


async def build_reply(scope: Scope, request: Request, ranking: Ranking) -> SearchResult:
    """Return the requested page of a ranking as a search result."""
    after = request.cursor.after if request.cursor else 0
    page = list(ranking.ranked[after : after + request.max_results])
    data = await _read_data(scope, ranking, page)
    existing_units = [ranked for ranked in page if ranked.owner in data.rows]
    titles = {ranked.owner: data.rows[ranked.owner].title for ranked in existing_units}
    connected_hits = await nodes_connected_to(scope, titles, request.depth)
    total = len(existing_units) + len(connected_hits)

    def render_hits(stage: int, count: int) -> list[Hit]:
        hits = [_make_hit(request, ranking, data, ranked, LENGTHS[stage]) for ranked in existing_units]
        return [*hits, *connected_hits][:count]

    def make_result(hits: Sequence[Hit], *, tokens: int | None = None, note: str | None = None) -> SearchResult:
        shown_count = min(len(hits), len(existing_units))
        position = after + (
            len(page) if shown_count == len(existing_units) else page.index(existing_units[shown_count])
        )
        seq = scope.coverage.seq if scope.at is None else scope.at
        cursor = str(Cursor(seq, ranking.width, position)) if position < len(ranking.ranked) else None
        cut_off = _cut_off_note(ranking) if cursor is None and not ranking.is_all else None
        notes = [*scope.coverage.warnings, *ranking.notes, cut_off, note]
        return SearchResult(
            hits=tuple(hits),
            mode=ranking.mode,
            found=len(ranking.ranked),
            not_covered=scope.coverage.not_covered,
            without_vectors=scope.coverage.without_vectors or None if ranking.mode != "lexical" else None,
            left_out=total - len(hits) or None,
            analyser=scope.coverage.analyser if scope.coverage.analyser != ENGLISH else None,
            tokens=tokens,
            next_cursor=cursor,
            warnings=tuple(dict.fromkeys(note for note in notes if note)) or None,
        )

    def fit_result(max_tokens: int) -> SearchResult:
        def count_tokens(hits: Sequence[Hit]) -> int:
            return tokens_of([make_result(hits, tokens=max_tokens)])

        hits = fit_whole(render_hits, len(LENGTHS), total, max_tokens, count_tokens)
        note = None
        if existing_units and not hits:
            minimum = count_tokens(render_hits(len(LENGTHS) - 1, 1))
            note = f"max_tokens is too small for a hit. Use at least {minimum}, with this cursor."
        return make_result(hits, tokens=tokens_of([make_result(hits, tokens=max_tokens, note=note)]), note=note)

    if request.max_tokens is None:
        return make_result(render_hits(0, total))
    return await anyio.to_thread.run_sync(fit_result, request.max_tokens)


def _cut_off_note(ranking: Ranking) -> str:
    return (
        f"Only the best {ranking.width:,} passages by words and by vectors that match the filters were ranked. "
        "There may be more hits. To find them, make the query more specific."
    )


async def _read_data(scope: Scope, ranking: Ranking, page: Sequence[RankedUnit]) -> ReplyData:
    data = ReplyData()
    nodes: list[str] = []
    connections: list[str] = []
    sources = {str(part.detail["from"]) for ranked in page for part in ranked.parts if part.name == "hop"}
    units_by_name = [ranked.owner for ranked in page if ranked.best is None]
    scored_by_owner: dict[str, list[ScoredPassage]] = {ranked.owner: [] for ranked in page}
    for scored in ranking.scored.values():
        if scored.passage.unit in scored_by_owner:
            scored_by_owner[scored.passage.unit].append(scored)
    for ranked in page:
        best = _scored_passage(ranking, ranked)
        is_connection = best is not None and best.passage.owner_kind == Kind.CONNECTION
        (connections if is_connection else nodes).append(ranked.owner)
        if best is not None:
            data.passages[ranked.owner] = choose_passage(ranking.question, best, scored_by_owner[ranked.owner])

    async def read_rows(kind: Kind, ids: Sequence[str]) -> None:
        data.rows |= {
            row.id: row for row in await fetch_descriptions(scope.core, scope.domain, kind, ids, scope.number)
        }

    async def read_passages() -> None:
        for passage in await read_passages_of(scope, units_by_name, None, _MOST_PASSAGES) if units_by_name else ():
            if scope.shows(passage):
                data.passages.setdefault(passage.unit, passage)
        await _replace_name_passages(scope, ranking, scored_by_owner, data)

    async def read_contradictions() -> None:
        data.contradicting = await contradictions_of(scope, nodes)

    async with task_group() as tasks:
        tasks.start_soon(read_rows, Kind.NODE, [*nodes, *sorted(sources.difference(nodes))])
        tasks.start_soon(read_rows, Kind.CONNECTION, connections)
        tasks.start_soon(read_contradictions)
        tasks.start_soon(read_passages)
    data.superseded = await find_superseded_among(scope, list(data.passages.values()))
    shown_passages = [data.passages[ranked.owner] for ranked in page if ranked.owner in data.passages]
    owners = (passage.owner for passage in shown_passages if passage.place.startswith(_CONTENT))
    data.texts = await texts_of(scope.core, scope.domain, (data.rows[owner] for owner in owners if owner in data.rows))
    return data


async def _replace_name_passages(
    scope: Scope, ranking: Ranking, scored_by_owner: Mapping[str, Sequence[ScoredPassage]], data: ReplyData
) -> None:
    """Replace each passage that is only a name with the unit's best other passage, if the query has more words."""
    question = ranking.question
    names = {owner: passage for owner, passage in data.passages.items() if is_name_only(question, passage)}
    observations = await latest_observations(scope, list(names), ranking.vector, MAX_COMPARED_OBSERVATIONS)
    for owner, name in names.items():
        scored_passages = scored_by_owner[owner]
        if any(scored.points.index_score for scored in scored_passages):
            continue  # a query in Lucene's syntax has no scores per word
        passages = [*(scored.passage for scored in scored_passages), *observations.get(owner, ())]
        other_passages = [passage for passage in passages if passage.place != NAME]
        points = {scored.passage.key: scored.points for scored in scored_passages}
        data.passages[owner] = next(iter(sort_by_relevance(question, name.text, other_passages, points)), name)


def _make_hit(request: Request, ranking: Ranking, data: ReplyData, ranked: RankedUnit, max_length: int) -> Hit:
    row, scored = data.rows[ranked.owner], _scored_passage(ranking, ranked)
    passage = data.passages.get(ranked.owner)
    kind: Literal["node", "connection"] = "connection" if row.from_id else "node"
    titles = {subject_id: row.title for subject_id, row in data.rows.items()}
    cosine = scored.passage.cosine if scored is not None and ranking.mode == "semantic" else None
    shown_excerpt = choose_excerpt(passage.text, ranking.question, max_length) if passage is not None else None
    created, modified = cast("datetime | None", row.event.get("_created")), row.modified
    return Hit(
        id=row.id,
        kind=kind,
        type=row.type,
        title=f"{row.from_title} → {row.to_title}" if kind == "connection" else row.title,
        score=rounded_score(ranked) if request.scores else None,
        distance=None if cosine is None else round(1 - cosine, 6),
        why=describe_reasons(ranked, scored, ranking.question, titles),
        passage=shown_excerpt.text if shown_excerpt is not None else None,
        place=_field_of(passage.place) if passage is not None else None,
        range=_range_of(data, passage, shown_excerpt.start, shown_excerpt.end)
        if passage is not None and shown_excerpt is not None
        else None,
        created=created,
        began=cast("datetime | None", row.event.get("_valid_from")),
        modified=None if modified == created else modified,
        age_days=max((utc_now() - modified).days, 0),
        contradicted_by=data.contradicting.get(row.id) or None,
        over=_find_superseded(data, row, passage),
        explanation=explain_score(ranked, scored, ranking.question) if request.explanation else None,
    )


def _find_superseded(data: ReplyData, row: DescribedRow, passage: Passage | None) -> Superseded | None:
    """Return when the hit's observation was superseded and by what, or else when the hit itself ended, or None."""
    if passage is not None and passage.owner in data.superseded:
        return data.superseded[passage.owner]
    valid_to = cast("datetime | None", row.event.get("_valid_to"))
    return Superseded(since=valid_to) if valid_to is not None and valid_to <= utc_now() else None


def _range_of(data: ReplyData, passage: Passage, start: int, end: int) -> tuple[int, int] | None:
    """Return the range of the shown part within the content.

    If the content contains escapes, returns the range of the whole passage.
    """
    text = data.texts.get(passage.owner)
    if text is None or not passage.place.startswith(_CONTENT):
        return None
    pair = locate(text, passage.text, _position_hint(text, passage))
    if pair is None:
        return None
    return (pair[0] + start, pair[0] + end) if text[slice(*pair)] == passage.text else pair


def _field_of(place: str) -> str:
    """Return the field in a place, such as `content`, without the suffix that makes the place unique."""
    parts = place.split("/")
    return "/".join(parts[:2]) if parts[0] == "property" else parts[0]


def _position_hint(text: str, passage: Passage) -> int:
    """Return the position in the content near which the passage is expected.

    If the content contains the text several times, the number at the end of the place tells which occurrence it is.
    """
    occurrence = int(passage.place.rpartition("-")[2]) if "-" in passage.place else 1
    position = -1
    for _ in range(occurrence):
        position = text.find(passage.text, position + 1)
        if position < 0:
            return 0
    return position


def _scored_passage(ranking: Ranking, ranked: RankedUnit) -> ScoredPassage | None:
    return None if ranked.best is None else ranking.scored.get(ranked.best.passage)

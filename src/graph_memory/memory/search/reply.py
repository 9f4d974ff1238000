"""The reply of a search: what each hit is, where its passage stands, what contradicts it, in the room there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, cast

import anyio.to_thread

from graph_memory.memory.background import task_group
from graph_memory.memory.graph.describe import DescribedRow, described, texts_of
from graph_memory.memory.search.candidate_ranking import Ranking
from graph_memory.memory.search.passages.passages import located
from graph_memory.memory.search.ranking.excerpts import excerpt
from graph_memory.memory.search.ranking.ranking import Ranked
from graph_memory.memory.search.ranking.scoring import Passage, Scored
from graph_memory.memory.search.ranking.shown_passages import NAME, by_fit, is_name_only, telling
from graph_memory.memory.search.ranking.why import parts, total, why
from graph_memory.memory.search.request import Cursor, Request
from graph_memory.memory.search.results import Hit, Over, SearchResult
from graph_memory.memory.search.retrieval.connected import connected_to, contradicting
from graph_memory.memory.search.retrieval.retrieval import COMPARED, Scope, observed_of, passages_of
from graph_memory.memory.search.retrieval.superseded import over_in
from graph_memory.memory.search.token_budget import LENGTHS, fit_whole, tokens_of
from graph_memory.model.results import NodeBrief
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.text.analysers import ENGLISH
from graph_memory.storage.log.writing import utc_now

_CONTENT = "content/"
_MOST_PASSAGES = 200


@dataclass(slots=True)
class Told:
    """What is read to tell of hits: what they are, the passages that are shown, contents, and what contradicts."""

    rows: dict[str, DescribedRow] = field(default_factory=dict[str, DescribedRow])
    passages: dict[str, Passage] = field(default_factory=dict[str, Passage])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    contradicting: Mapping[str, tuple[NodeBrief, ...]] = field(default_factory=dict[str, tuple[NodeBrief, ...]])
    over: Mapping[str, Over] = field(default_factory=dict[str, Over])


async def reply(scope: Scope, request: Request, ranking: Ranking) -> SearchResult:
    """Return the page of a ranking that a request asks for."""
    after = request.cursor.after if request.cursor else 0
    page = list(ranking.ranked[after : after + request.max_results])
    told = await _read(scope, ranking, page)
    present = [ranked for ranked in page if ranked.owner in told.rows]
    titles = {ranked.owner: told.rows[ranked.owner].title for ranked in present}
    others = await connected_to(scope, titles, request.depth)

    total = len(present) + len(others)

    def shown(stage: int, count: int) -> list[Hit]:
        hits = [_hit(request, ranking, told, ranked, LENGTHS[stage]) for ranked in present]
        return [*hits, *others][:count]

    def made(hits: Sequence[Hit], *, tokens: int | None = None, note: str | None = None) -> SearchResult:
        kept = min(len(hits), len(present))
        reached = after + (len(page) if kept == len(present) else page.index(present[kept]))
        cursor = _next(scope, ranking, reached)
        cut_off = _cut_off(ranking) if cursor is None and not ranking.is_all else None
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

    def fitting(most: int) -> SearchResult:
        def tokens(hits: Sequence[Hit]) -> int:
            return tokens_of([made(hits, tokens=most)])

        hits = fit_whole(shown, len(LENGTHS), total, most, tokens)
        note = None
        if present and not hits:
            enough = tokens(shown(len(LENGTHS) - 1, 1))
            note = f"max_tokens has no room for a hit: give at least {enough}, with this cursor."
        return made(hits, tokens=tokens_of([made(hits, tokens=most, note=note)]), note=note)

    if request.max_tokens is None:
        return made(shown(0, total))
    return await anyio.to_thread.run_sync(fitting, request.max_tokens)


def _cut_off(ranking: Ranking) -> str:
    return (
        f"Only the best {ranking.width:,} passages by words and by meaning were ranked, as far as the filters leave "
        "them: there may be more. Ask more closely."
    )


def _next(scope: Scope, ranking: Ranking, reached: int) -> str | None:
    if reached >= len(ranking.ranked):
        return None
    return str(Cursor(scope.coverage.seq if scope.at is None else scope.at, ranking.width, reached))


async def _read(scope: Scope, ranking: Ranking, page: Sequence[Ranked]) -> Told:
    """Return what is told of a page of hits, all of it read at once."""
    told = Told()
    kinds = {ranked.owner: _kind(ranking, ranked) for ranked in page}
    sources = {str(part.detail["from"]) for ranked in page for part in ranked.parts if part.name == "hop"}
    named = [ranked.owner for ranked in page if ranked.best is None]
    found = _found(ranking, page)
    told.passages |= {
        ranked.owner: passage
        for ranked in page
        if (passage := _telling(ranking, ranked, found[ranked.owner])) is not None
    }

    async def describe(kind: Kind, ids: Sequence[str]) -> None:
        told.rows |= {row.id: row for row in await described(scope.core, scope.domain, kind, ids, scope.number)}

    async def read_passages() -> None:
        for passage in await passages_of(scope, named, None, _MOST_PASSAGES) if named else ():
            if scope.shows(passage):
                told.passages.setdefault(passage.unit, passage)
        await _say_more(scope, ranking, found, told)

    async def contradict() -> None:
        nodes = [each for each, kind in kinds.items() if kind is Kind.NODE]
        told.contradicting = await contradicting(scope, nodes)

    async with task_group() as tasks:
        for kind in (Kind.NODE, Kind.CONNECTION):
            ids = [each for each, own in kinds.items() if own is kind]
            if kind is Kind.NODE:
                ids += sorted(sources.difference(ids))
            tasks.start_soon(describe, kind, ids)
        tasks.start_soon(contradict)
        tasks.start_soon(read_passages)
    told.over = await over_in(scope, list(told.passages.values()))
    await _read_contents(scope, page, told)
    return told


async def _say_more(scope: Scope, ranking: Ranking, found: Mapping[str, Sequence[Scored]], told: Told) -> None:
    """Show more than a name of those that more was asked about."""
    question = ranking.question
    names = {owner: passage for owner, passage in told.passages.items() if is_name_only(question, passage)}
    observed = await observed_of(scope, list(names), ranking.vector, COMPARED)
    for owner, name in names.items():
        own = found[owner]
        if not any(scored.points.given for scored in own):  # a query in Lucene's syntax is no question
            passages = [*(scored.passage for scored in own), *observed.get(owner, ())]
            others = [passage for passage in passages if passage.place != NAME]
            weighed = {scored.passage.key: scored.points for scored in own}
            told.passages[owner] = next(iter(by_fit(question, name.text, others, weighed)), name)


async def _read_contents(scope: Scope, page: Sequence[Ranked], told: Told) -> None:
    """Read the contents in which passages stand, to say where; one that is lost is not."""
    owners = (passage.owner for ranked in page if (passage := told.passages.get(ranked.owner)) and _is_content(passage))
    told.texts = await texts_of(scope.core, scope.domain, (told.rows[owner] for owner in owners if owner in told.rows))


def _is_content(passage: Passage) -> bool:
    return passage.place.startswith(_CONTENT)


def _hit(request: Request, ranking: Ranking, told: Told, ranked: Ranked, length: int) -> Hit:
    """Return a hit with a passage of at most so many characters."""
    row, scored = told.rows[ranked.owner], _scored(ranking, ranked)
    passage = told.passages.get(ranked.owner)
    kind: Literal["node", "connection"] = "connection" if row.from_id else "node"
    titles = {each: row.title for each, row in told.rows.items()}
    cosine = scored.passage.cosine if scored is not None and ranking.mode == "semantic" else None
    cut = excerpt(passage.text, ranking.question, length) if passage is not None else None
    created, modified = cast("datetime | None", row.event.get("_created")), row.modified
    return Hit(
        id=row.id,
        kind=kind,
        type=row.type,
        title=f"{row.from_title} → {row.to_title}" if kind == "connection" else row.title,
        score=total(ranked) if request.scores else None,
        distance=None if cosine is None else round(1 - cosine, 6),
        why=why(ranked, scored, ranking.question, titles),
        passage=cut.shown if cut is not None else None,
        place=_place(passage.place) if passage is not None else None,
        range=_range(told, passage, cut.start, cut.end) if passage is not None and cut is not None else None,
        created=created,
        began=cast("datetime | None", row.event.get("_valid_from")),
        modified=None if modified == created else modified,
        age_days=max((utc_now() - modified).days, 0),
        contradicted_by=told.contradicting.get(row.id) or None,
        over=_over(told, row, passage),
        explanation=parts(ranked, scored, ranking.question) if request.explanation else None,
    )


def _over(told: Told, row: DescribedRow, passage: Passage | None) -> Over | None:
    """Return what is said of a hit that holds no more: of what was observed, or else of the node or connection."""
    if passage is not None and passage.owner in told.over:
        return told.over[passage.owner]
    ends = cast("datetime | None", row.event.get("_valid_to"))
    return Over(since=ends) if ends is not None and ends <= utc_now() else None


def _range(told: Told, passage: Passage, start: int, end: int) -> tuple[int, int] | None:
    """Return where the part of a passage that is shown stands in the content; where it has escapes, all of it."""
    text = told.texts.get(passage.owner)
    if text is None or not passage.place.startswith(_CONTENT):
        return None
    pair = located(text, passage.text, _hint(text, passage))
    if pair is None:
        return None
    return (pair[0] + start, pair[0] + end) if text[slice(*pair)] == passage.text else pair


def _place(place: str) -> str:
    """Return what a passage is a passage of, without what tells it from others of the same field."""
    parts = place.split("/")
    return "/".join(parts[:2]) if parts[0] == "property" else parts[0]


def _hint(text: str, passage: Passage) -> int:
    """Return where to look for a passage whose text may stand there several times: its place says which it is."""
    number = int(passage.place.rpartition("-")[2]) if "-" in passage.place else 1
    at = -1
    for _ in range(number):
        at = text.find(passage.text, at + 1)
        if at < 0:
            return 0
    return at


def _kind(ranking: Ranking, ranked: Ranked) -> Kind:
    scored = _scored(ranking, ranked)
    is_connection = scored is not None and scored.passage.owner_kind == Kind.CONNECTION
    return Kind.CONNECTION if is_connection else Kind.NODE


def _scored(ranking: Ranking, ranked: Ranked) -> Scored | None:
    return None if ranked.best is None else ranking.scored.get(ranked.best.passage)


def _found(ranking: Ranking, page: Sequence[Ranked]) -> Mapping[str, Sequence[Scored]]:
    """Return what was found of each hit."""
    found: dict[str, list[Scored]] = {ranked.owner: [] for ranked in page}
    for scored in ranking.scored.values():
        if scored.passage.unit in found:
            found[scored.passage.unit].append(scored)
    return found


def _telling(ranking: Ranking, ranked: Ranked, results: Sequence[Scored]) -> Passage | None:
    best = _scored(ranking, ranked)
    return None if best is None else telling(ranking.question, best, results)

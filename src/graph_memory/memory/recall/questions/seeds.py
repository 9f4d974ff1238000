"""Finds the seeds of a recall: search results, named nodes, or the most used and last changed nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.domains.lineage import BEFORE_ALL
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions
from graph_memory.memory.recall.questions.open_sentences import OpenSentences, open_sentences
from graph_memory.memory.recall.questions.open_work import (
    asks_for_open_work,
    asks_for_overdue_work,
    due_period,
    find_work,
    is_closed,
    mentions_open_work,
    select_by_due_date,
)
from graph_memory.memory.recall.questions.period_filter import (
    event_range_of,
    is_dated,
    is_in_period,
    nodes_beginning_in,
)
from graph_memory.memory.recall.questions.phrases import Period, TimedQuestion, parse_time, period_from
from graph_memory.memory.recall.questions.question_rankings import MAX_HITS, rank_question, useless_units
from graph_memory.memory.recall.questions.relevance import fits, matching_units, units_that_fit
from graph_memory.memory.recall.recall_queries import RecallRow, fetch_rows, recent
from graph_memory.memory.recall.request import Context, RecallRequest
from graph_memory.memory.search.access_store import most_used
from graph_memory.memory.search.candidate_ranking import Ranking, Vector, rank_candidates
from graph_memory.memory.search.ranking.scoring import Passage, Points
from graph_memory.memory.search.request import Filters, Request
from graph_memory.memory.search.results import SearchMode
from graph_memory.memory.search.retrieval.retrieval import Scope, find_names
from graph_memory.memory.search.text.bm25 import EMPTY_QUERY, Query, parse_query
from graph_memory.memory.search.text.names import words
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import SUMMARY
from graph_memory.model.text.wording import quote
from graph_memory.model.time.times import Span
from graph_memory.storage.log.writing import utc_now

FOCUSED = 1.5
"""Value of a node in the focus: higher than the best hit."""
NAMED_VALUE = 0.5
"""Value of a node that the question names if none of its passages is among the hits."""
ALIKE = 0.15
"""Value added to a hit for each similarity with the context."""
OF_CONTEXT = 0.3
"""Value added to the best hit for the context's text."""
WITHOUT_QUERY = 1 / ALIKE
"""Factor of these additions if there is no query."""
OPEN_SENTENCE = 0.3
"""Factor of the value that an open sentence has above 1, so that it comes after tasks and before other results."""
_MAX_WORK = 20
"""Maximum number of open tasks and goals that come before other results."""
_BEST_USED = 5
"""Number of most used nodes. The first of them, except session summaries, counts as named."""
OF_USE = 0.5
"""Value of the most used node. The node that changed last has 1."""


@dataclass(slots=True)
class Seeds:
    """Nodes and connections, each with how it was found and a value, which is 1 for the best hit."""

    values: dict[str, float] = field(default_factory=dict[str, float])
    rows: dict[str, RecallRow] = field(default_factory=dict[str, RecallRow])
    """The rows that were read."""
    passages: dict[str, list[Passage]] = field(default_factory=dict[str, list[Passage]])
    """The passages found of each node or connection, best first."""
    points: dict[str, Points] = field(default_factory=dict[str, Points])
    """The scores of these passages by key."""
    question: Query = EMPTY_QUERY
    vector: Vector | None = None
    """The vector of the question, if it has one."""
    named: set[str] = field(default_factory=set[str])
    """Nodes named by the question or the request; without either, the most used node."""
    is_by_name: bool = False
    """Whether the request has only names."""
    mode: SearchMode | None = None
    period: Period | None = None
    """The time in the query."""
    narrowed: Period | None = None
    """The same period if any result belongs to it. Then results outside it are left out."""
    without: frozenset[str] = frozenset()
    """Types that are omitted."""
    reported: frozenset[str] = frozenset()
    """Nodes that the reader has seen already."""
    excluded: frozenset[str] = frozenset()
    """Tasks and goals that are not part of the answer because of their due dates."""
    notes: list[str] = field(default_factory=list[str])
    fits: bool = True
    """Whether stored text fits the question."""
    are_all: bool = False
    """Whether the seeds are the whole answer, so that connected nodes are only named."""

    def tells(self, row: RecallRow) -> bool:
        """Return whether the reply may include a row. With a period, it only includes seeds and rows of that period."""
        if row.type in self.without or row.id in self.excluded:
            return False
        return self.narrowed is None or row.id in self.values or is_in_period(row, self.narrowed)

    def give(self, node: str, value: float) -> None:
        """Raise the value of a node to at least `value`."""
        self.values[node] = max(self.values.get(node, 0.0), value)


async def seeds_of(scope: Scope, request: RecallRequest, now: datetime, period: Period | None = None) -> Seeds:
    """Return the seeds of a request. `period` is a period that was not given in the query.

    Raises NODE_NOT_FOUND if the request names nodes and none of them is found.
    """
    hides_summaries = request.in_primer or not request.is_asked
    without = request.without_types | {SUMMARY} if hides_summaries else request.without_types
    seeds = Seeds(without=without, reported=request.reported)
    if request.query is not None:
        await _add_search_results(scope, request, parse_time(request.query, now), seeds, period)
    if request.focus:
        seeds.is_by_name = request.query is None
        await _add_focus(scope, request.focus, seeds)
    if request.query is None and not request.focus:
        await add_latest(scope, request.limit or MAX_HITS, seeds)
        await prefer_context(scope, request.context, seeds)
    for node in seeds.reported:
        seeds.values.pop(node, None)
    return seeds


async def prefer_context(scope: Scope, context: Context, seeds: Seeds) -> None:
    """Raise the values of nodes that resemble the context. For requests without a query."""
    if context.text and seeds.values:
        ranking = await rank_candidates(scope, Request(context.text, max_results=MAX_HITS))
        seeds.notes += [*ranking.notes]
        _boost_context_results(ranking, seeds.values, WITHOUT_QUERY)
    await _boost_like_context(scope, context, seeds, WITHOUT_QUERY)


async def add_latest(scope: Scope, limit: int, seeds: Seeds, period: tuple[int, int | None] = (0, None)) -> None:
    """Add the nodes that changed last, optionally within a period, and the most used nodes."""
    changed = await recent(scope, limit, *period)
    is_now = period == (0, None) and scope.at is None
    used = await most_used(scope.core, scope.domain, limit) if is_now else []
    for place, node in enumerate(changed):
        seeds.give(node, 1 / (1 + place / 10))
    seeds.rows |= await fetch_rows(scope, Kind.NODE, [row.id for row in used[:_BEST_USED]])
    entities = [row.id for row in used if row.id in seeds.rows and seeds.rows[row.id].type != SUMMARY]
    seeds.named |= {*entities[:1]}
    for place, row in enumerate(used):
        seeds.values[row.id] = seeds.values.get(row.id, 0.0) + OF_USE / (1 + place / 10)


async def _add_changed_in(scope: Scope, period: Period, limit: int, seeds: Seeds) -> None:
    """Add the nodes that changed in a period, or became valid in it."""
    await add_latest(scope, limit, seeds, await event_range_of(scope, period))
    for place, row in enumerate(await nodes_beginning_in(scope, period, limit)):
        seeds.rows[row.id] = row
        seeds.give(row.id, 1 / (1 + place / 10))


async def _add_search_results(
    scope: Scope, request: RecallRequest, timed: TimedQuestion, seeds: Seeds, period: Period | None
) -> None:
    """Add the search results. If the query names a time, add only results of that time."""
    query = request.query or timed.text
    due = due_period(query, timed.period if period is None else None, scope.then or utc_now())
    if period is not None:
        timed = replace(timed, period=period)
    elif timed.name:
        timed = replace(timed, period=await _period_of(scope, timed))
    seeds.period = timed.period
    seeds.question = parse_query(query, scope.analyser)
    if timed.period is not None and timed.is_empty:
        await _add_changed_in(scope, timed.period, request.limit or MAX_HITS, seeds)
        if seeds.values:
            seeds.narrowed = timed.period
            return
    works, sentences = await _find_open_work(scope, query, due, seeds)
    nodes = [*dict.fromkeys((*(row.id for row in works), *sentences.passages))]
    seeds.rows |= {row.id: row for row in works}
    if asks_for_open_work(timed.text if due else query) and (nodes or due or asks_for_overdue_work(query)):
        seeds.values |= {node: 1 / (1 + place / 100) for place, node in enumerate(nodes[: request.limit or MAX_HITS])}
        seeds.are_all = True
        return
    rankings = await rank_question(scope, request, query, timed)
    ranking = rankings[0]
    seeds.mode, seeds.vector = ranking.mode, ranking.vector
    seeds.named |= {*ranking.mentioned_owners}
    _hide_useless_results(ranking, request, query, scope.coverage.model, seeds)
    seeds.notes += [*ranking.notes]
    values = {**dict.fromkeys(ranking.mentioned_owners, NAMED_VALUE), **_scores(ranking)}
    for place, row in enumerate(works[:_MAX_WORK]):  # before other nodes that the question names
        values[row.id] = FOCUSED + values.get(row.id, 0.0) - place / MAX_HITS
    for node in sentences.passages.keys() & values.keys() - {row.id for row in works}:
        values[node] = 1.0 + OPEN_SENTENCE * values[node]
    seeds.fits |= bool(works)
    if len(rankings) > 1 and request.context.text:
        _boost_context_results(rankings[-1], values)
    limit = request.limit or MAX_HITS * 2
    if timed.period is not None and not works:
        await _keep_period(scope, timed.period, values, rankings[:3], seeds)
    for node in sorted(values.keys() - seeds.excluded - seeds.reported, key=lambda node: (-values[node], node))[:limit]:
        seeds.give(node, values[node])
    for any_ranking in rankings:
        seeds.points |= {key: scored.points for key, scored in any_ranking.scored.items() if key not in seeds.points}
        for passage in _best_first(any_ranking):
            if seeds.narrowed is None or passage.owner == passage.unit or is_dated(passage, seeds.narrowed):
                seeds.passages.setdefault(passage.unit, []).append(passage)
    await _boost_like_context(scope, request.context, seeds)


def _hide_useless_results(
    ranking: Ranking, request: RecallRequest, query: str, model: str | None, seeds: Seeds
) -> None:
    """Decide whether anything fits. Hide repetitions of the query, and for prompts all results without a clear fit."""
    useless = useless_units(ranking, query, is_asked=request.is_asked)
    if request.is_asked:
        seeds.reported |= useless
        seeds.fits = request.in_primer or fits(ranking, model)
    else:
        fitting = units_that_fit(ranking, model, seeds.reported | useless, seeds.without)
        seeds.reported |= matching_units(ranking) - fitting
        seeds.fits = bool(fitting)


async def _find_open_work(
    scope: Scope, query: str, due: Period | None, seeds: Seeds
) -> tuple[Sequence[RecallRow], OpenSentences]:
    """Return the open tasks and goals, and the sentences about open matters, if the question is about these.

    If it is about overdue work or a period of due dates, only the tasks and goals that are due then are returned.
    """
    is_overdue_asked = asks_for_overdue_work(query)
    lists_work = asks_for_open_work(query) or mentions_open_work(query)
    if not (lists_work or is_overdue_asked):
        return [], OpenSentences()
    work = await find_work(scope)
    if is_overdue_asked or due is not None:
        selection = select_by_due_date(work, due, scope.then or utc_now(), overdue=is_overdue_asked)
        seeds.notes += selection.notes
        seeds.excluded = selection.excluded if lists_work else frozenset()
        return selection.rows, OpenSentences()
    sentences = await open_sentences(scope)
    rows = await fetch_rows(scope, Kind.NODE, list(sentences.passages))
    passages = {
        node: node_passages
        for node, node_passages in sentences.passages.items()
        if node in rows and not is_closed(rows[node].facts)
    }
    for node, node_passages in passages.items():
        seeds.passages.setdefault(node, []).extend(node_passages)
    seeds.points |= sentences.points
    return work.open, replace(sentences, passages=passages)


def _boost_context_results(ranking: Ranking, values: dict[str, float], times: float = 1.0) -> None:
    """Raise the values of results that a search for the context's text also finds."""
    for node, score in _scores(ranking).items():
        if node in values:
            values[node] += times * OF_CONTEXT * score


def _best_first(ranking: Ranking) -> list[Passage]:
    """Return the passages of a ranking, best first by words and meaning."""
    best = max((scored.points.lexical for scored in ranking.scored.values()), default=0.0) or 1.0
    ordered = sorted(
        ranking.scored.values(), key=lambda scored: -scored.points.lexical / best - (scored.passage.cosine or 0.0)
    )
    return [scored.passage for scored in ordered]


def _scores(ranking: Ranking) -> dict[str, float]:
    best = max((ranked.score for ranked in ranking.ranked), default=0.0)
    return {ranked.owner: ranked.score / best for ranked in ranking.ranked} if best > 0 else {}


async def _keep_period(
    scope: Scope, period: Period, values: dict[str, float], rankings: Sequence[Ranking], seeds: Seeds
) -> None:
    """Drop the results outside a period. If no result is in it, keep all."""
    for ranking in rankings:
        for node, score in _scores(ranking).items():
            values[node] = max(values.get(node, 0.0), score)
    if not values:
        return
    seeds.rows |= await fetch_rows(scope, Kind.NODE, list(values))
    seeds.rows |= await fetch_rows(scope, Kind.CONNECTION, [value for value in values if value not in seeds.rows])
    scored = (scored.passage for ranking in rankings for scored in ranking.scored.values())
    within = {passage.unit for passage in scored if is_dated(passage, period)}
    within |= {value for value in values if value in seeds.rows and is_in_period(seeds.rows[value], period)}
    if within.isdisjoint(values):
        seeds.notes.append("No result is from that time, so results of all times are shown.")
        return
    seeds.narrowed = period
    for node in values.keys() - within:
        del values[node]


async def _period_of(scope: Scope, timed: TimedQuestion) -> Period | None:
    """Return the period before or after an event. The event is when the named node became valid or was created."""
    bare = timed.name.partition(" ")[2] if timed.name.split(" ")[0].islower() else timed.name
    name = " ".join(words(bare))
    if not name:
        return None
    ranking = await rank_candidates(scope, Request(name, mode="lexical", filters=Filters(), max_results=5))
    rows = await _describe_nodes(scope, [ranked.owner for ranked in ranking.ranked[:5]])
    for ranked_node in ranking.ranked[:5]:
        row = rows.get(ranked_node.owner)
        if row is None or not frozenset(words(name)) <= frozenset(words(row.title)):
            continue
        is_itself = words(row.title) in (
            words(name),
            words(timed.name),
        )  # a similar node proves nothing
        at = row.event.get("_valid_from") or (row.event.get("_created") if is_itself else None)
        if isinstance(at, datetime):
            return period_from(timed.lead, Span(at, at))
    return None


async def _boost_like_context(scope: Scope, context: Context, seeds: Seeds, times: float = 1.0) -> None:
    """Raise the values of nodes with the types, tags, path or session of the context."""
    if not (context.types or context.tags or context.path or context.session):
        return
    missing = [value for value in seeds.values if value not in seeds.rows]
    seeds.rows |= await fetch_rows(scope, Kind.NODE, missing)
    for node, value in seeds.values.items():
        if (row := seeds.rows.get(node)) is None:
            continue
        alike = (
            row.type in context.types,
            not frozenset(context.tags).isdisjoint(row.tags),
            bool(context.path) and (row.path or "/").startswith(context.path),
            bool(context.session) and row.session == context.session,
        )
        seeds.values[node] = value + times * ALIKE * sum(alike)


async def _add_focus(scope: Scope, focus: Sequence[str], seeds: Seeds) -> None:
    """Add the nodes of the focus, which are given by id, name or title. Of connections, add the ends.

    Raises NODE_NOT_FOUND.
    """
    rows = await fetch_rows(scope, Kind.NODE, focus)
    links = await fetch_rows(scope, Kind.CONNECTION, [name_given for name_given in focus if name_given not in rows])
    missing = [name_given for name_given in focus if name_given not in rows and name_given not in links]
    connections = {subject: row for subject, row in links.items() if row.has_content}
    seeds.rows |= rows | connections
    for node in (*rows, *connections, *(end for row in links.values() for end in row.ends)):
        seeds.give(node, FOCUSED)
        seeds.named.add(node)
    owners_by_name: dict[str, Sequence[str]] = {}
    if missing:
        for name in await find_names(scope, "\n".join(missing)):
            owners_by_name[" ".join(words(name.name))] = name.owners
    for subject in missing:
        owners = owners_by_name.get(" ".join(words(subject))) or await _nodes_with_title(scope, subject)
        for owner in owners:
            seeds.give(owner, FOCUSED)
            seeds.named.add(owner)
        if not owners:
            seeds.notes.append(f"No node is named {quote(subject)}.")
    if not seeds.values:
        hint = Hint("Leave focus out", ", or search for it with {search_memories}", ".")
        if scope.at is not None and scope.at <= 0:
            hint = f"{BEFORE_ALL} Choose a later one."
        raise GraphError(Code.NODE_NOT_FOUND, f"No node is named {', '.join(map(quote, focus))}", {"hint": hint})


async def _nodes_with_title(scope: Scope, title: str) -> list[str]:
    if not words(title):
        return []
    ranking = await rank_candidates(scope, Request(title, mode="lexical", max_results=10))
    rows = await _describe_nodes(scope, [ranked.owner for ranked in ranking.ranked[:10]])
    return [node for node, row in rows.items() if words(row.title) == words(title)]


async def _describe_nodes(scope: Scope, ids: Sequence[str]) -> dict[str, DescribedRow]:
    rows = await fetch_descriptions(scope.core, scope.domain, Kind.NODE, ids, scope.number)
    return {row.id: row for row in rows}

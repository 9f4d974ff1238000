"""Finds the seeds of a recall: search results, named nodes, or the most used and most recently changed nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.domains.lineage import BEFORE_ALL
from graph_memory.memory.graph.describe import DescribedRow, fetch_descriptions
from graph_memory.memory.recall.questions.open_sentences import OpenSentences, find_open_sentences
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
from graph_memory.memory.recall.questions.question_rankings import MAX_HITS, rank_question, units_to_exclude
from graph_memory.memory.recall.questions.relevance import has_relevant_passage, matching_units, select_relevant_units
from graph_memory.memory.recall.recall_queries import RecallRow, fetch_rows, read_recently_changed
from graph_memory.memory.recall.request import Context, RecallRequest
from graph_memory.memory.search.access_store import read_most_used
from graph_memory.memory.search.candidate_ranking import Ranking, Vector, rank_candidates
from graph_memory.memory.search.ranking.scoring import Passage, TermScores
from graph_memory.memory.search.request import Filters, Request
from graph_memory.memory.search.results import SearchMode
from graph_memory.memory.search.retrieval.retrieval import Scope, find_names
from graph_memory.memory.search.text.bm25 import EMPTY_QUERY, Query, parse_query
from graph_memory.memory.search.text.names import split_words
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import SUMMARY
from graph_memory.model.text.wording import quote
from graph_memory.model.time.times import Span
from graph_memory.storage.log.writing import utc_now

FOCUS_VALUE = 1.5
"""Value of a node in the focus. It is higher than the value of the best hit."""
NAMED_VALUE = 0.5
"""Value of a node whose name the question mentions, if none of its passages is among the hits."""
SIMILARITY_BONUS = 0.15
"""Value added to a hit for each property that it shares with the context, such as its type."""
CONTEXT_BONUS = 0.3
"""Value added to the best hit of the search for the context's text."""
FACTOR_WITHOUT_QUERY = 1 / SIMILARITY_BONUS
"""Factor of `SIMILARITY_BONUS` and `CONTEXT_BONUS` in a request without a query."""
OPEN_SENTENCE_FACTOR = 0.3
"""The value of a node with an open sentence is 1 plus this share of its score. So it ranks between tasks and other
results."""
_MAX_WORK = 20
"""Maximum number of open tasks and goals that come before other results."""
_BEST_USED = 5
"""Number of most used nodes that are read. The first of them that is not a session summary counts as named."""
MAX_USE_VALUE = 0.5
"""Value of the most used node. The value of the node that changed last is 1."""


@dataclass(slots=True)
class Seeds:
    """Nodes and connections with their values and their matching passages. The best hit has the value 1."""

    values: dict[str, float] = field(default_factory=dict[str, float])
    rows: dict[str, RecallRow] = field(default_factory=dict[str, RecallRow])
    """The nodes and connections that were read, by id."""
    passages: dict[str, list[Passage]] = field(default_factory=dict[str, list[Passage]])
    """The passages found for each node or connection, best first."""
    points: dict[str, TermScores] = field(default_factory=dict[str, TermScores])
    """The word scores of the passages, keyed by passage key."""
    question: Query = EMPTY_QUERY
    vector: Vector | None = None
    """The vector of the question, or None if it has none."""
    named: set[str] = field(default_factory=set[str])
    """Ids of the nodes that the question or the request mentions. If it has neither, the most used node."""
    is_by_name: bool = False
    """Whether the request names nodes and has no query."""
    mode: SearchMode | None = None
    period: Period | None = None
    """The period in the query, or None."""
    result_period: Period | None = None
    """The period to which the results are limited. None if no result belongs to the period of the query."""
    without_types: frozenset[str] = frozenset()
    """The node types that are excluded."""
    reported: frozenset[str] = frozenset()
    """Ids of the nodes that the reader has already seen."""
    excluded: frozenset[str] = frozenset()
    """Ids of the tasks and goals that are excluded because of their due dates."""
    notes: list[str] = field(default_factory=list[str])
    has_relevant_text: bool = True
    """Whether any stored text is relevant to the question."""
    is_whole_answer: bool = False
    """Whether the seeds are the whole answer, so that connected nodes are only named."""

    def may_include(self, row: RecallRow) -> bool:
        """Return whether the reply may include a row. If results are limited to a period, other rows must be seeds."""
        if row.type in self.without_types or row.id in self.excluded:
            return False
        return self.result_period is None or row.id in self.values or is_in_period(row, self.result_period)

    def raise_value(self, node: str, value: float) -> None:
        """Raise the value of a node to at least `value`."""
        self.values[node] = max(self.values.get(node, 0.0), value)


async def seeds_of(scope: Scope, request: RecallRequest, now: datetime, period: Period | None = None) -> Seeds:
    """Return the seeds of a request. `period` replaces the period in the query.

    Raises NODE_NOT_FOUND if the request names nodes and none of them is found.
    """
    hides_summaries = request.in_primer or not request.is_asked
    without = request.without_types | {SUMMARY} if hides_summaries else request.without_types
    seeds = Seeds(without_types=without, reported=request.reported)
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
    """Raise the values of nodes that resemble the context, in a request without a query."""
    if context.text and seeds.values:
        ranking = await rank_candidates(scope, Request(context.text, max_results=MAX_HITS))
        seeds.notes += [*ranking.notes]
        _boost_context_results(ranking, seeds.values, FACTOR_WITHOUT_QUERY)
    await _boost_like_context(scope, context, seeds, FACTOR_WITHOUT_QUERY)


async def add_latest(scope: Scope, limit: int, seeds: Seeds, period: tuple[int, int | None] = (0, None)) -> None:
    """Add the nodes that changed last, optionally within a period, and the most used nodes."""
    changed_ids = await read_recently_changed(scope, limit, *period)
    is_now = period == (0, None) and scope.at is None
    used_rows = await read_most_used(scope.core, scope.domain, limit) if is_now else []
    for place, node in enumerate(changed_ids):
        seeds.raise_value(node, 1 / (1 + place / 10))
    seeds.rows |= await fetch_rows(scope, Kind.NODE, [row.id for row in used_rows[:_BEST_USED]])
    entities = [row.id for row in used_rows if row.id in seeds.rows and seeds.rows[row.id].type != SUMMARY]
    seeds.named |= {*entities[:1]}
    for place, row in enumerate(used_rows):
        seeds.values[row.id] = seeds.values.get(row.id, 0.0) + MAX_USE_VALUE / (1 + place / 10)


async def _add_changed_in(scope: Scope, period: Period, limit: int, seeds: Seeds) -> None:
    """Add the nodes that changed or became valid in a period."""
    await add_latest(scope, limit, seeds, await event_range_of(scope, period))
    for place, row in enumerate(await nodes_beginning_in(scope, period, limit)):
        seeds.rows[row.id] = row
        seeds.raise_value(row.id, 1 / (1 + place / 10))


async def _add_search_results(
    scope: Scope, request: RecallRequest, timed: TimedQuestion, seeds: Seeds, period: Period | None
) -> None:
    """Add the search results. If the query mentions a time, add only results from that time, if there are any."""
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
            seeds.result_period = timed.period
            return
    works, sentences = await _find_open_work(scope, query, due, seeds)
    nodes = [*dict.fromkeys((*(row.id for row in works), *sentences.passages))]
    seeds.rows |= {row.id: row for row in works}
    if asks_for_open_work(timed.text if due else query) and (nodes or due or asks_for_overdue_work(query)):
        seeds.values |= {node: 1 / (1 + place / 100) for place, node in enumerate(nodes[: request.limit or MAX_HITS])}
        seeds.is_whole_answer = True
        return
    rankings = await rank_question(scope, request, query, timed)
    ranking = rankings[0]
    seeds.mode, seeds.vector = ranking.mode, ranking.vector
    seeds.named |= {*ranking.mentioned_owners}
    _hide_useless_results(ranking, request, query, scope.coverage.model, seeds)
    seeds.notes += [*ranking.notes]
    values = {**dict.fromkeys(ranking.mentioned_owners, NAMED_VALUE), **_scores(ranking)}
    for place, row in enumerate(works[:_MAX_WORK]):  # before other nodes that the question names
        values[row.id] = FOCUS_VALUE + values.get(row.id, 0.0) - place / MAX_HITS
    for node in sentences.passages.keys() & values.keys() - {row.id for row in works}:
        values[node] = 1.0 + OPEN_SENTENCE_FACTOR * values[node]
    seeds.has_relevant_text |= bool(works)
    if len(rankings) > 1 and request.context.text:
        _boost_context_results(rankings[-1], values)
    limit = request.limit or MAX_HITS * 2
    if timed.period is not None and not works:
        await _keep_period(scope, timed.period, values, rankings[:3], seeds)
    for node in sorted(values.keys() - seeds.excluded - seeds.reported, key=lambda node: (-values[node], node))[:limit]:
        seeds.raise_value(node, values[node])
    for any_ranking in rankings:
        seeds.points |= {key: scored.points for key, scored in any_ranking.scored.items() if key not in seeds.points}
        for passage in _best_first(any_ranking):
            if seeds.result_period is None or passage.owner == passage.unit or is_dated(passage, seeds.result_period):
                seeds.passages.setdefault(passage.unit, []).append(passage)
    await _boost_like_context(scope, request.context, seeds)


def _hide_useless_results(
    ranking: Ranking, request: RecallRequest, query: str, model: str | None, seeds: Seeds
) -> None:
    """Record whether any result is relevant, and hide repetitions of the query.

    For a prompt, hide all results that are not clearly relevant.
    """
    useless = units_to_exclude(ranking, query, is_asked=request.is_asked)
    if request.is_asked:
        seeds.reported |= useless
        seeds.has_relevant_text = request.in_primer or has_relevant_passage(ranking, model)
    else:
        fitting_units = select_relevant_units(ranking, model, seeds.reported | useless, seeds.without_types)
        seeds.reported |= matching_units(ranking) - fitting_units
        seeds.has_relevant_text = bool(fitting_units)


async def _find_open_work(
    scope: Scope, query: str, due_date_period: Period | None, seeds: Seeds
) -> tuple[Sequence[RecallRow], OpenSentences]:
    """Return the open tasks and goals, and the sentences about open matters, if the question asks for them.

    If the question is about overdue work or about due dates in a period, return only the tasks and goals due then.
    """
    is_overdue_asked = asks_for_overdue_work(query)
    lists_work = asks_for_open_work(query) or mentions_open_work(query)
    if not (lists_work or is_overdue_asked):
        return [], OpenSentences()
    work = await find_work(scope)
    if is_overdue_asked or due_date_period is not None:
        selection = select_by_due_date(work, due_date_period, scope.then or utc_now(), overdue=is_overdue_asked)
        seeds.notes += selection.notes
        seeds.excluded = selection.excluded if lists_work else frozenset()
        return selection.rows, OpenSentences()
    sentences = await find_open_sentences(scope)
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


def _boost_context_results(ranking: Ranking, values: dict[str, float], factor: float = 1.0) -> None:
    """Raise the values of results that a search for the context's text also finds."""
    for node, score in _scores(ranking).items():
        if node in values:
            values[node] += factor * CONTEXT_BONUS * score


def _best_first(ranking: Ranking) -> list[Passage]:
    """Return the passages of a ranking, sorted by words and meaning, best first."""
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
    """Drop the results outside a period. If no result belongs to the period, keep all results."""
    for ranking in rankings:
        for node, score in _scores(ranking).items():
            values[node] = max(values.get(node, 0.0), score)
    if not values:
        return
    seeds.rows |= await fetch_rows(scope, Kind.NODE, list(values))
    seeds.rows |= await fetch_rows(scope, Kind.CONNECTION, [node for node in values if node not in seeds.rows])
    passages = (scored.passage for ranking in rankings for scored in ranking.scored.values())
    units_in_period = {passage.unit for passage in passages if is_dated(passage, period)}
    units_in_period |= {node for node in values if node in seeds.rows and is_in_period(seeds.rows[node], period)}
    if units_in_period.isdisjoint(values):
        seeds.notes.append("No result is from that time, so results from all times are shown.")
        return
    seeds.result_period = period
    for node in values.keys() - units_in_period:
        del values[node]


async def _period_of(scope: Scope, timed: TimedQuestion) -> Period | None:
    """Return the period before or after an event, or None if no node has the event's name.

    The time of the event is when the named node became valid, or else was created.
    """
    name_without_article = timed.name.partition(" ")[2] if timed.name.split(" ")[0].islower() else timed.name
    name = " ".join(split_words(name_without_article))
    if not name:
        return None
    ranking = await rank_candidates(scope, Request(name, mode="lexical", filters=Filters(), max_results=5))
    owners = [ranked.owner for ranked in ranking.ranked[:5]]
    rows = await _describe_nodes(scope, owners)
    for row in (rows[owner] for owner in owners if owner in rows):
        title_words = split_words(row.title)
        if not frozenset(split_words(name)) <= frozenset(title_words):
            continue
        is_event_itself = title_words in (split_words(name), split_words(timed.name))  # not only a similar title
        at = row.event.get("_valid_from") or (row.event.get("_created") if is_event_itself else None)
        if isinstance(at, datetime):
            return period_from(timed.lead, Span(at, at))
    return None


async def _boost_like_context(scope: Scope, context: Context, seeds: Seeds, factor: float = 1.0) -> None:
    """Raise the values of nodes with the types, tags, path or session of the context."""
    if not (context.types or context.tags or context.path or context.session):
        return
    missing = [node for node in seeds.values if node not in seeds.rows]
    seeds.rows |= await fetch_rows(scope, Kind.NODE, missing)
    for node, value in seeds.values.items():
        if (row := seeds.rows.get(node)) is None:
            continue
        shared_properties = (
            row.type in context.types,
            not frozenset(context.tags).isdisjoint(row.tags),
            bool(context.path) and (row.path or "/").startswith(context.path),
            bool(context.session) and row.session == context.session,
        )
        seeds.values[node] = value + factor * SIMILARITY_BONUS * sum(shared_properties)


async def _add_focus(scope: Scope, focus: Sequence[str], seeds: Seeds) -> None:
    """Add the nodes of the focus, given by id, name or title. For a connection, add its two nodes.

    Raises NODE_NOT_FOUND if none of them exists.
    """
    rows = await fetch_rows(scope, Kind.NODE, focus)
    links = await fetch_rows(scope, Kind.CONNECTION, [subject for subject in focus if subject not in rows])
    missing = [subject for subject in focus if subject not in rows and subject not in links]
    connections = {subject: row for subject, row in links.items() if row.has_content}
    seeds.rows |= rows | connections
    for node in (*rows, *connections, *(end for row in links.values() for end in row.ends)):
        seeds.raise_value(node, FOCUS_VALUE)
        seeds.named.add(node)
    owners_by_name: dict[str, Sequence[str]] = {}
    if missing:
        for name in await find_names(scope, "\n".join(missing)):
            owners_by_name[" ".join(split_words(name.name))] = name.owners
    for subject in missing:
        owners = owners_by_name.get(" ".join(split_words(subject))) or await _nodes_with_title(scope, subject)
        for owner in owners:
            seeds.raise_value(owner, FOCUS_VALUE)
            seeds.named.add(owner)
        if not owners:
            seeds.notes.append(f"No node is named {quote(subject)}.")
    if not seeds.values:
        hint = Hint("Omit focus", ", or search for it with {search_memories}", ".")
        if scope.at is not None and scope.at <= 0:
            hint = f"{BEFORE_ALL} Choose a later point."
        raise GraphError(Code.NODE_NOT_FOUND, f"No node is named {', '.join(map(quote, focus))}", {"hint": hint})


async def _nodes_with_title(scope: Scope, title: str) -> list[str]:
    if not split_words(title):
        return []
    ranking = await rank_candidates(scope, Request(title, mode="lexical", max_results=10))
    rows = await _describe_nodes(scope, [ranked.owner for ranked in ranking.ranked[:10]])
    return [node for node, row in rows.items() if split_words(row.title) == split_words(title)]


async def _describe_nodes(scope: Scope, ids: Sequence[str]) -> dict[str, DescribedRow]:
    rows = await fetch_descriptions(scope.core, scope.domain, Kind.NODE, ids, scope.number)
    return {row.id: row for row in rows}

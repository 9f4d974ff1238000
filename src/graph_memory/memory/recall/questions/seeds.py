"""What a recall begins with: what the search finds, what is asked about, or what changed last and is used most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.background import task_group
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
from graph_memory.memory.recall.questions.period_filter import begun, begun_in, is_dated, is_of, made_in, numbers
from graph_memory.memory.recall.questions.phrases import Period, Timed, bounded, timed
from graph_memory.memory.recall.questions.relevance import fits
from graph_memory.memory.recall.recall_queries import ToldRow, recent, told_of
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
from graph_memory.model.text.wording import quoted
from graph_memory.model.time.times import Span
from graph_memory.storage.log.writing import utc_now

MOST_HITS = 100
FOCUSED = 1.5
"""What a thing that is asked about by name counts: more than the best hit."""
NAMED = 0.5
"""What a thing that the question names counts, where nothing that is said of it is among the hits."""
ALIKE = 0.15
"""What a hit gains for each respect in which it is like the context."""
OF_CONTEXT = 0.3
"""What a hit gains that the text of the context finds best."""
WITHOUT_QUERY = 1 / ALIKE
"""Times that where there is no query: then nothing else says what is asked for."""
OPEN_SENTENCE = 0.3
"""What its value adds to 1 for a result that says that something is open. So it comes after tasks and before others."""
_MOST_WORK = 20
"""Maximum number of open tasks and goals that come before other results."""
_BEST_USED = 5
"""Nodes that are used most, of which the first that is no summary of a session counts as asked about."""
OF_USE = 0.5
"""What the node counts that is used most, beside 1 for the one that changed last."""


@dataclass(slots=True)
class Seeds:
    """Nodes and connections with what they are worth, from 1 for the best hit, and how they were found."""

    values: dict[str, float] = field(default_factory=dict[str, float])
    rows: dict[str, ToldRow] = field(default_factory=dict[str, ToldRow])
    """What is known of them already."""
    passages: dict[str, list[Passage]] = field(default_factory=dict[str, list[Passage]])
    """Those of each that were found, the best first."""
    points: dict[str, Points] = field(default_factory=dict[str, Points])
    """What the words of the question give to each of these, by its key."""
    question: Query = EMPTY_QUERY
    vector: Vector | None = None
    """That of the question, if it has one."""
    asked: set[str] = field(default_factory=set[str])
    """What the question names, or the request; without either what is used most."""
    is_by_name: bool = False
    """Whether nothing is given but names."""
    mode: SearchMode | None = None
    period: Period | None = None
    """The time in the query."""
    narrowed: Period | None = None
    """The same where something is of that time, so that nothing else is told."""
    without: frozenset[str] = frozenset()
    """Types of which nothing is told."""
    told: frozenset[str] = frozenset()
    """What the reader has been told already."""
    excluded: frozenset[str] = frozenset()
    """Tasks and goals that are not part of the answer, since their due dates are not those that it asks for."""
    notes: list[str] = field(default_factory=list[str])
    fits: bool = True
    """Whether stored text fits the question."""
    are_all: bool = False
    """Whether the seeds are the whole answer, so that connected nodes are only named."""

    def tells(self, row: ToldRow) -> bool:
        """Say whether something is told: what was found, and with a time only what is of that."""
        if row.type in self.without or row.id in self.excluded:
            return False
        return self.narrowed is None or row.id in self.values or is_of(row, self.narrowed)

    def give(self, node: str, value: float) -> None:
        """Make a node worth so much at least."""
        self.values[node] = max(self.values.get(node, 0.0), value)


async def seeds_of(scope: Scope, request: RecallRequest, now: datetime, period: Period | None = None) -> Seeds:
    """Return what a request begins with, given the period that it names beside its query.

    Raises NODE_NOT_FOUND where nothing is found of all that it names.
    """
    seeds = Seeds(without=frozenset({SUMMARY}) if request.in_primer else frozenset(), told=request.told)
    if request.query is not None:
        await _searched(scope, request, timed(request.query, now), seeds, period)
    if request.focus:
        seeds.is_by_name = request.query is None
        await _focused(scope, request.focus, seeds)
    if request.query is None and not request.focus:
        await latest(scope, request.limit or MOST_HITS, seeds)
        await favoured(scope, request.context, seeds)
    for each in request.told:
        seeds.values.pop(each, None)
    return seeds


async def favoured(scope: Scope, context: Context, seeds: Seeds) -> None:
    """Put first what is like the context, where there is no query."""
    if context.text and seeds.values:
        ranking = await rank_candidates(scope, Request(context.text, max_results=MOST_HITS))
        seeds.notes += [*ranking.notes]
        _found_by_context(ranking, seeds.values, WITHOUT_QUERY)
    await _biased(scope, context, seeds, WITHOUT_QUERY)


async def latest(scope: Scope, limit: int, seeds: Seeds, period: tuple[int, int | None] = (0, None)) -> None:
    """Begin with what changed last, between two numbers of the log, and with what is used most."""
    changed = await recent(scope, limit, *period)
    is_now = period == (0, None) and scope.at is None
    used = await most_used(scope.core, scope.domain, limit) if is_now else []
    for place, node in enumerate(changed):
        seeds.give(node, 1 / (1 + place / 10))
    seeds.rows |= await told_of(scope, Kind.NODE, [row.id for row in used[:_BEST_USED]])
    own = [row.id for row in used if row.id in seeds.rows and seeds.rows[row.id].type != SUMMARY]
    seeds.asked |= {*own[:1]}
    for place, row in enumerate(used):
        seeds.values[row.id] = seeds.values.get(row.id, 0.0) + OF_USE / (1 + place / 10)


async def _then(scope: Scope, period: Period, limit: int, seeds: Seeds) -> None:
    """Begin with what changed in a period, and with what began to hold in it."""
    await latest(scope, limit, seeds, await numbers(scope, period))
    for place, row in enumerate(await begun(scope, period, limit)):
        seeds.rows[row.id] = row
        seeds.give(row.id, 1 / (1 + place / 10))


async def _searched(scope: Scope, request: RecallRequest, told: Timed, seeds: Seeds, period: Period | None) -> None:
    """Begin with what the search finds; of a time in the query only what is of that."""
    query = request.query or told.text
    due = due_period(query, told.period if period is None else None, scope.then or utc_now())
    if period is not None:
        told = replace(told, period=period)
    elif told.name:
        told = replace(told, period=await _period_of(scope, told))
    seeds.period = told.period
    seeds.question = parse_query(query, scope.analyser)
    if told.period is not None and told.is_empty:
        await _then(scope, told.period, request.limit or MOST_HITS, seeds)
        if seeds.values:
            seeds.narrowed = told.period
            return
    works, sentences = await _open(scope, query, due, seeds)
    nodes = [*dict.fromkeys((*(row.id for row in works), *sentences.passages))]
    seeds.rows |= {row.id: row for row in works}
    if asks_for_open_work(told.text if due else query) and (nodes or due or asks_for_overdue_work(query)):
        seeds.values |= {node: 1 / (1 + place / 100) for place, node in enumerate(nodes[: request.limit or MOST_HITS])}
        seeds.are_all = True
        return
    found = await _rankings(scope, request, query, told)
    ranking = found[0]
    seeds.mode, seeds.vector = ranking.mode, ranking.vector
    seeds.asked |= {*ranking.mentioned_owners}
    seeds.fits = request.in_primer or fits(ranking, scope.coverage.model)
    seeds.notes += [*ranking.notes]
    values = {**dict.fromkeys(ranking.mentioned_owners, NAMED), **_scores(ranking)}
    for place, row in enumerate(works[:_MOST_WORK]):  # before what else the question names
        values[row.id] = FOCUSED + values.get(row.id, 0.0) - place / MOST_HITS
    for node in sentences.passages.keys() & values.keys() - {row.id for row in works}:
        values[node] = 1.0 + OPEN_SENTENCE * values[node]
    seeds.fits |= bool(works)
    if len(found) > 1 and request.context.text:
        _found_by_context(found[-1], values)
    limit = request.limit or MOST_HITS * 2
    if told.period is not None and not works:
        await _within(scope, told.period, values, found[:3], seeds)
    for node in sorted(values.keys() - seeds.excluded, key=lambda each: (-values[each], each))[:limit]:
        seeds.give(node, values[node])
    for one in found:
        seeds.points |= {key: each.points for key, each in one.scored.items() if key not in seeds.points}
        for passage in _best_first(one):
            if seeds.narrowed is None or passage.owner == passage.unit or is_dated(passage, seeds.narrowed):
                seeds.passages.setdefault(passage.unit, []).append(passage)
    await _biased(scope, request.context, seeds)


async def _open(scope: Scope, query: str, due: Period | None, seeds: Seeds) -> tuple[Sequence[ToldRow], OpenSentences]:
    """Return the open tasks and goals, and the sentences that say that something is open, for questions about these.

    Questions about overdue work, and those with a period of due dates, have only tasks and goals due then.
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
    rows = await told_of(scope, Kind.NODE, list(sentences.passages))
    passages = {
        node: some for node, some in sentences.passages.items() if node in rows and not is_closed(rows[node].facts)
    }
    for node, some in passages.items():
        seeds.passages.setdefault(node, []).extend(some)
    seeds.points |= sentences.points
    return work.open, replace(sentences, passages=passages)


def _found_by_context(ranking: Ranking, values: dict[str, float], times: float = 1.0) -> None:
    """Give more to what the text of the context finds."""
    for node, score in _scores(ranking).items():
        if node in values:
            values[node] += times * OF_CONTEXT * score


def _best_first(ranking: Ranking) -> list[Passage]:
    """Return the passages that were found, by what words and meaning speak for each."""
    best = max((each.points.lexical for each in ranking.scored.values()), default=0.0) or 1.0
    told = sorted(ranking.scored.values(), key=lambda each: -each.points.lexical / best - (each.passage.cosine or 0.0))
    return [each.passage for each in told]


async def _rankings(scope: Scope, request: RecallRequest, query: str, told: Timed) -> list[Ranking]:
    """Return what the query finds; with a time also what it finds of that; with a context what its text finds."""
    searches = [(scope, query)]
    if told.period is not None:
        text = told.text or query
        searches += [(made_in(scope, told.period), text), (begun_in(scope, told.period), text)]
    if request.context.text:
        searches.append((scope, request.context.text))
    found: dict[int, Ranking] = {}
    mode: SearchMode = "hybrid" if request.waits or scope.coverage.model is not None else "lexical"

    async def look(number: int, where: Scope, text: str) -> None:
        found[number] = await rank_candidates(
            where, Request(text, mode=mode, filters=where.filters, max_results=MOST_HITS)
        )

    async with task_group() as tasks:
        for number, (where, text) in enumerate(searches):
            tasks.start_soon(look, number, where, text)
    return [found[number] for number in sorted(found)]


def _scores(ranking: Ranking) -> dict[str, float]:
    best = max((each.score for each in ranking.ranked), default=0.0)
    return {each.owner: each.score / best for each in ranking.ranked} if best > 0 else {}


async def _within(
    scope: Scope, period: Period, values: dict[str, float], found: Sequence[Ranking], seeds: Seeds
) -> None:
    """Leave only what belongs to a period, if anything does: what is found at all, made in it, and begun in it."""
    for ranking in found:
        for node, score in _scores(ranking).items():
            values[node] = max(values.get(node, 0.0), score)
    if not values:
        return
    seeds.rows |= await told_of(scope, Kind.NODE, list(values))
    seeds.rows |= await told_of(scope, Kind.CONNECTION, [each for each in values if each not in seeds.rows])
    scored = (each.passage for ranking in found for each in ranking.scored.values())
    within = {each.unit for each in scored if is_dated(each, period)}
    within |= {each for each in values if each in seeds.rows and is_of(seeds.rows[each], period)}
    if within.isdisjoint(values):
        seeds.notes.append("Nothing that was found is of that time: all times are told.")
        return
    seeds.narrowed = period
    for node in values.keys() - within:
        del values[node]


async def _period_of(scope: Scope, told: Timed) -> Period | None:
    """Return the period that something named gives: that before or after it began to hold, or was made."""
    bare = told.name.partition(" ")[2] if told.name.split(" ")[0].islower() else told.name
    name = " ".join(words(bare))
    if not name:
        return None
    found = await rank_candidates(scope, Request(name, mode="lexical", filters=Filters(), max_results=5))
    rows = await _described(scope, [each.owner for each in found.ranked[:5]])
    for each in found.ranked[:5]:
        row = rows.get(each.owner)
        if row is None or not frozenset(words(name)) <= frozenset(words(row.title)):
            continue
        is_itself = words(row.title) in (
            words(name),
            words(told.name),
        )  # when what is only like it was made says nothing
        at = row.event.get("_valid_from") or (row.event.get("_created") if is_itself else None)
        if isinstance(at, datetime):
            return bounded(told.lead, Span(at, at))
    return None


async def _biased(scope: Scope, context: Context, seeds: Seeds, times: float = 1.0) -> None:
    """Give more to what is like the context: of its types, with its tags, below its path, written in its session."""
    if not (context.types or context.tags or context.path or context.session):
        return
    missing = [each for each in seeds.values if each not in seeds.rows]
    seeds.rows |= await told_of(scope, Kind.NODE, missing)
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


async def _focused(scope: Scope, focus: Sequence[str], seeds: Seeds) -> None:
    """Begin with what is named, by id, name or title; of a connection with its ends too. Raises NODE_NOT_FOUND."""
    rows = await told_of(scope, Kind.NODE, focus)
    links = await told_of(scope, Kind.CONNECTION, [each for each in focus if each not in rows])
    missing = [each for each in focus if each not in rows and each not in links]
    told = {each: row for each, row in links.items() if row.has_content}
    seeds.rows |= rows | told
    for node in (*rows, *told, *(end for row in links.values() for end in row.ends)):
        seeds.give(node, FOCUSED)
        seeds.asked.add(node)
    named: dict[str, Sequence[str]] = {}
    if missing:
        for name in await find_names(scope, "\n".join(missing)):
            named[" ".join(words(name.name))] = name.owners
    for each in missing:
        owners = named.get(" ".join(words(each))) or await _titled(scope, each)
        for owner in owners:
            seeds.give(owner, FOCUSED)
            seeds.asked.add(owner)
        if not owners:
            seeds.notes.append(f"Nothing is called {quoted(each)}.")
    if not seeds.values:
        hint = Hint("Leave focus out", ", or search for it with {search_memories}", ".")
        if scope.at is not None and scope.at <= 0:
            hint = f"{BEFORE_ALL} Choose a later one."
        raise GraphError(Code.NODE_NOT_FOUND, f"Nothing is called {', '.join(map(quoted, focus))}", {"hint": hint})


async def _titled(scope: Scope, title: str) -> list[str]:
    """Return the nodes of which a text is the title, among those that it finds."""
    if not words(title):
        return []
    found = await rank_candidates(scope, Request(title, mode="lexical", max_results=10))
    rows = await _described(scope, [each.owner for each in found.ranked[:10]])
    return [node for node, row in rows.items() if words(row.title) == words(title)]


async def _described(scope: Scope, ids: Sequence[str]) -> dict[str, DescribedRow]:
    found = await fetch_descriptions(scope.core, scope.domain, Kind.NODE, ids, scope.number)
    return {row.id: row for row in found}

"""What a recall begins with: what the search finds, what is asked about, or what changed last and is used most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from graph_memory.memory.background import task_group
from graph_memory.memory.domains.lineage import BEFORE_ALL, seq_at
from graph_memory.memory.graph.describe import DescribedRow, described
from graph_memory.memory.recall.access import most_used
from graph_memory.memory.recall.bm25 import NOTHING_ASKED, Query, asked
from graph_memory.memory.recall.finding import Ranking, find
from graph_memory.memory.recall.names import words
from graph_memory.memory.recall.request import Filters, Request
from graph_memory.memory.recall.results import SearchMode
from graph_memory.memory.recall.retrieval import Scope, names_in
from graph_memory.memory.recall.scoring import Passage
from graph_memory.memory.recall.tiers.phrases import Period, Timed, bounded, timed
from graph_memory.memory.recall.tiers.reading import ToldRow, instant, recent, told_of
from graph_memory.memory.recall.tiers.request import Context, RecallRequest
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.kinds import Kind
from graph_memory.model.matching import FieldFilter
from graph_memory.model.times import Span
from graph_memory.model.wording import quoted

MOST_HITS = 100
FEW_IN_PERIOD = 3
"""Hits of a period below which hits of other times follow."""
ELSEWHERE = 0.2
"""What a hit of another time counts."""
FOCUSED = 1.5
"""What a thing that is asked about by name counts: more than the best hit."""
ALIKE = 0.15
"""What a hit gains for each respect in which it is like the context."""
OF_CONTEXT = 0.3
"""What a hit gains that the text of the context finds best."""
OF_USE = 0.5
"""What the node counts that is used most, beside 1 for the one that changed last."""
_TICK = timedelta(microseconds=1)
_EARLIEST = datetime.min.replace(tzinfo=UTC) + _TICK


@dataclass(slots=True)
class Seeds:
    """Nodes and connections with what they are worth, from 1 for the best hit, and how they were found."""

    values: dict[str, float] = field(default_factory=dict[str, float])
    rows: dict[str, ToldRow] = field(default_factory=dict[str, ToldRow])
    """What is known of them already."""
    passages: dict[str, list[Passage]] = field(default_factory=dict[str, list[Passage]])
    """Those of each that were found, the best first."""
    question: Query = NOTHING_ASKED
    mode: SearchMode | None = None
    period: Period | None = None
    notes: list[str] = field(default_factory=list[str])

    def give(self, node: str, value: float) -> None:
        """Make a node worth so much at least."""
        self.values[node] = max(self.values.get(node, 0.0), value)


async def seeds_of(scope: Scope, request: RecallRequest, now: datetime) -> Seeds:
    """Return what a request begins with. Raises NODE_NOT_FOUND where nothing is found of all that it names."""
    seeds = Seeds()
    if request.query is not None:
        await _searched(scope, request, request.query, seeds, now)
    if request.focus:
        await _focused(scope, request.focus, seeds)
    if request.query is None and not request.focus:
        await latest(scope, request.limit or MOST_HITS, seeds)
    return seeds


async def latest(scope: Scope, limit: int, seeds: Seeds, period: tuple[int, int | None] = (0, None)) -> None:
    """Begin with what changed last, between two numbers of the log, and with what is used most."""
    changed = await recent(scope, limit, *period)
    is_now = period == (0, None) and scope.at is None
    used = await most_used(scope.core, scope.domain, limit) if is_now else []
    for place, node in enumerate(changed):
        seeds.give(node, 1 / (1 + place / 10))
    for place, row in enumerate(used):
        seeds.values[row.id] = seeds.values.get(row.id, 0.0) + OF_USE / (1 + place / 10)


async def _searched(scope: Scope, request: RecallRequest, query: str, seeds: Seeds, now: datetime) -> None:
    """Begin with what the search finds; what a time in the query leaves comes first."""
    told = timed(query, now)
    if told.name:
        told = replace(told, period=await _period_of(scope, told))
    seeds.period = told.period
    seeds.question = asked(query, scope.analyser)
    if told.period is not None and told.is_empty:
        await latest(scope, request.limit or MOST_HITS, seeds, await _numbers(scope, told.period))
        if seeds.values:
            return
    found = await _rankings(scope, request, query, told)
    ranking = found[0]
    seeds.mode = ranking.mode
    seeds.notes += [*ranking.notes]
    values = _scores(ranking)
    if len(found) > 1 and request.context.text:
        for node, score in _scores(found[-1]).items():
            if node in values:
                values[node] += OF_CONTEXT * score
    limit = request.limit or MOST_HITS * 2
    if told.period is not None:
        await _within(scope, told.period, values, found[1], seeds)
    for node in sorted(values, key=lambda each: (-values[each], each))[:limit]:
        seeds.give(node, values[node])
    for one in found:
        for passage in _best_first(one):
            seeds.passages.setdefault(passage.unit, []).append(passage)
    await _biased(scope, request.context, seeds)


def _best_first(ranking: Ranking) -> list[Passage]:
    """Return the passages that were found, by what words and meaning speak for each."""
    best = max((each.points.lexical for each in ranking.scored.values()), default=0.0) or 1.0
    told = sorted(ranking.scored.values(), key=lambda each: -each.points.lexical / best - (each.passage.cosine or 0.0))
    return [each.passage for each in told]


async def _rankings(scope: Scope, request: RecallRequest, query: str, told: Timed) -> list[Ranking]:
    """Return what the query finds; with a time also what it finds of that; with a context what its text finds."""
    searches = [(scope, query)]
    if told.period is not None:
        fields = FieldFilter(created_after=told.period.since, created_before=told.period.until)
        searches.append((replace(scope, filters=replace(scope.filters, fields=fields)), told.text or query))
    if request.context.text:
        searches.append((scope, request.context.text))
    found: dict[int, Ranking] = {}

    async def look(number: int, where: Scope, text: str) -> None:
        found[number] = await find(where, Request(text, filters=where.filters, max_results=MOST_HITS))

    async with task_group() as tasks:
        for number, (where, text) in enumerate(searches):
            tasks.start_soon(look, number, where, text)
    return [found[number] for number in sorted(found)]


def _scores(ranking: Ranking) -> dict[str, float]:
    best = max((each.score for each in ranking.ranked), default=0.0)
    return {each.owner: each.score / best for each in ranking.ranked} if best > 0 else {}


async def _within(scope: Scope, period: Period, values: dict[str, float], created: Ranking, seeds: Seeds) -> None:
    """Put what belongs to a period before all else: made, changed or true in it."""
    for node, score in _scores(created).items():
        values[node] = max(values.get(node, 0.0), score)
    seeds.rows |= await told_of(scope, Kind.NODE, list(values))
    within = {each for each in values if each in seeds.rows and _is_of(seeds.rows[each], period)}
    if not within:
        seeds.notes.append("Nothing that was found is of that time: all times are told.")
        seeds.period = None
        return
    for node in list(values):
        if node not in within:
            values[node] *= ELSEWHERE
    if len(within) >= FEW_IN_PERIOD:
        for node in values.keys() - within:
            del values[node]


def _is_of(row: ToldRow, period: Period) -> bool:
    """Say whether something was made, changed, or began to hold in a period."""
    if row.valid_from is not None:
        return period.has(instant(row.valid_from))
    return any(period.has(instant(at)) for at in (row.modified, row.created) if at is not None)


async def _numbers(scope: Scope, period: Period) -> tuple[int, int | None]:
    """Return the numbers of the log between which a period lies; 0 stands for what is compacted."""

    async def number(at: datetime) -> int:
        try:
            return await seq_at(scope.core.store, scope.domain, "until", (at - _TICK).isoformat())
        except GraphError as error:
            if error.code is not Code.HISTORY_COMPACTED:
                raise
            return 0

    return (
        0 if period.since is None or period.since < _EARLIEST else await number(period.since),
        None if period.until is None else await number(max(period.until, _EARLIEST)),
    )


async def _period_of(scope: Scope, told: Timed) -> Period | None:
    """Return the period that something named gives: that before or after it began to hold, or was made."""
    bare = told.name.partition(" ")[2] if told.name.split(" ")[0].islower() else told.name
    name = " ".join(words(bare))
    if not name:
        return None
    found = await find(scope, Request(name, mode="lexical", filters=Filters(), max_results=5))
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


async def _biased(scope: Scope, context: Context, seeds: Seeds) -> None:
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
        seeds.values[node] = value + ALIKE * sum(alike)


async def _focused(scope: Scope, focus: Sequence[str], seeds: Seeds) -> None:
    """Begin with what is named, by id, name or title; of a connection with its ends too. Raises NODE_NOT_FOUND."""
    rows = await told_of(scope, Kind.NODE, focus)
    links = await told_of(scope, Kind.CONNECTION, [each for each in focus if each not in rows])
    missing = [each for each in focus if each not in rows and each not in links]
    told = {each: row for each, row in links.items() if row.has_content}
    seeds.rows |= rows | told
    for node in (*rows, *told, *(end for row in links.values() for end in row.ends)):
        seeds.give(node, FOCUSED)
    named: dict[str, Sequence[str]] = {}
    if missing:
        for name in await names_in(scope, "\n".join(missing)):
            named[" ".join(words(name.name))] = name.owners
    for each in missing:
        owners = named.get(" ".join(words(each))) or await _titled(scope, each)
        for owner in owners:
            seeds.give(owner, FOCUSED)
        if not owners:
            seeds.notes.append(f"Nothing is called {quoted(each)}.")
    if not seeds.values:
        hint = "Search for it with search_memories, or leave focus out."
        if scope.at is not None and scope.at <= 0:
            hint = f"{BEFORE_ALL} Choose a later one."
        raise GraphError(Code.NODE_NOT_FOUND, f"Nothing is called {', '.join(map(quoted, focus))}", {"hint": hint})


async def _titled(scope: Scope, title: str) -> list[str]:
    """Return the nodes of which a text is the title, among those that it finds."""
    if not words(title):
        return []
    found = await find(scope, Request(title, mode="lexical", max_results=10))
    rows = await _described(scope, [each.owner for each in found.ranked[:10]])
    return [node for node, row in rows.items() if words(row.title) == words(title)]


async def _described(scope: Scope, ids: Sequence[str]) -> dict[str, DescribedRow]:
    found = await described(scope.core, scope.domain, Kind.NODE, ids, scope.number)
    return {row.id: row for row in found}

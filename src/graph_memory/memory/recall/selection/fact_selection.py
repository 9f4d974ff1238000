"""Turns the seeds of a recall into the input of its rendering: follows connections, and reads all items at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.background import task_group
from graph_memory.memory.graph.queries import Page, query_nodes
from graph_memory.memory.history.past import Past
from graph_memory.memory.recall.questions.period_filter import is_dated
from graph_memory.memory.recall.questions.seeds import Seeds
from graph_memory.memory.recall.recall_queries import (
    MAX_CONNECTIONS_READ,
    MAX_PASSAGES,
    RecallRow,
    contents_of,
    fetch_briefs,
    fetch_rows,
    find_changed_since_indexed,
    join_passages,
    strongest_connections_of,
)
from graph_memory.memory.recall.rendering.prose import FIRST_ITEMS
from graph_memory.memory.recall.rendering.recall_input import (
    RecallEdge,
    RecallFact,
    RecallInput,
    RecallItem,
    TitleAndType,
)
from graph_memory.memory.recall.rendering.spreading_activation import sort_by_value, spread_activation
from graph_memory.memory.recall.rendering.wording import render_age
from graph_memory.memory.recall.selection.earlier_values import with_earlier_values
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, time_of_microseconds
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.ranking.shown_passages import NAME, sort_by_relevance
from graph_memory.memory.search.results import Superseded
from graph_memory.memory.search.retrieval.retrieval import Scope, count_observations, latest_observations
from graph_memory.memory.search.retrieval.superseded import (
    find_superseded_among,
    find_superseded_then,
    newest_first,
    observation_notes,
)
from graph_memory.memory.traversal.walks.edges import MAX_EDGES, split_into_requests, to_datetime
from graph_memory.model.matching import FieldFilter
from graph_memory.model.results import NodeIds
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import SUMMARY, SUMMARY_KEY, is_pattern_data
from graph_memory.model.text.wording import format_day, format_last_day
from graph_memory.storage.log.writing import utc_now

MAX_EXPANDED = 40
"""Maximum number of nodes whose connections are read in one step, highest values first."""
_TOKENS_OF_SHORT_ITEM = 20
"""Number of tokens of a short item, from which the number of items to read is computed."""
_TOKENS_OF_SHORTEST_ITEM = 8
"""Minimum number of tokens of an item."""
_MAX_ENDS = 400
SUMMARY_FACTOR = 0.5
"""Factor applied to the value of a session summary."""
_NAMED_ITEM_SHARE = 0.5
_CONTENT = "content/"


@dataclass(slots=True)
class Subgraph:
    """The nodes that were reached, with their values, and the connections that were read."""

    connections: dict[str, RecallEdge] = field(default_factory=dict[str, RecallEdge])
    edges: dict[str, int] = field(default_factory=dict[str, int])
    values: dict[str, float] = field(default_factory=dict[str, float])
    beyond: dict[str, int] = field(default_factory=dict[str, int])
    """Approximate number of unread connections of each node."""


def max_items_for(tokens: int) -> int:
    """Return the number of items to read for a reply of `tokens` tokens."""
    return tokens // _TOKENS_OF_SHORT_ITEM + 10


def max_items_in_all(tokens: int) -> int:
    """Return the number of items to read for a reply of `tokens` tokens about the whole memory."""
    return tokens // _TOKENS_OF_SHORTEST_ITEM


async def read_whole_domain(scope: Scope, subgraph: Subgraph, most: int) -> tuple[Subgraph, list[str]]:
    """Return a subgraph of up to `most` nodes with their connections, and a note if the domain has more nodes.

    Nodes of the given subgraph come first.
    """
    page = await _read_node_ids(scope, most)
    values = {**dict.fromkeys(page.node_ids, 0.0), **subgraph.values}
    selected_ids = sort_by_value(values)[:most]
    ties, edges = dict(subgraph.connections), dict(subgraph.edges)
    weigher = await scope.load_weigher()
    for part in split_into_requests([node for node in selected_ids if node not in edges]):
        results, degrees = await strongest_connections_of(scope, weigher, part)
        ties |= {tie.id: tie for tie in results}
        edges |= dict.fromkeys(part, 0) | degrees
    more = f"Only {most:,} nodes were read, and there are more. Ask a question to find others."
    return replace(subgraph, connections=ties, edges=edges, values=values), [more] if page.next_cursor else []


async def _read_node_ids(scope: Scope, limit: int) -> NodeIds:
    if scope.at is not None:
        return await Past(scope.core, scope.domain, scope.at).query_nodes(limit=limit)
    return await query_nodes(
        scope.core, scope.domain, Page("", limit), type_name=None, properties=None, fields=FieldFilter(), detail=False
    )


async def expand(scope: Scope, seeds: Seeds, steps: int, max_connections: int = 0) -> Subgraph:
    """Return the subgraph within `steps` connections of the seeds. Each step takes one query.

    If there are only a few seeds, the first step reads about `max_connections` connections in total.
    """
    weigher = await scope.load_weigher()
    subgraph = Subgraph(values=dict(seeds.values))
    for step in range(1, steps + 1):
        unread_nodes = [
            node for node in sort_by_value(subgraph.values)[: MAX_EXPANDED * step] if node not in subgraph.edges
        ]
        if not unread_nodes:
            break
        max_ties = (
            min(max(MAX_CONNECTIONS_READ, max_connections // len(unread_nodes)), MAX_EDGES)
            if step == 1
            else MAX_CONNECTIONS_READ
        )
        ties, edges = await strongest_connections_of(scope, weigher, unread_nodes, max_ties)
        subgraph.connections |= {tie.id: tie for tie in ties}
        subgraph.beyond |= {node: edges[node] - max_ties for node in unread_nodes if edges.get(node, 0) > max_ties}
        subgraph.edges |= dict.fromkeys(unread_nodes, 0) | edges
        subgraph.values = spread_activation(
            seeds.values, list(subgraph.connections.values()), subgraph.edges, steps=step
        )
    return subgraph


async def build_recall_input(
    scope: Scope, seeds: Seeds, subgraph: Subgraph, most: int, now: datetime, *, has_texts: bool = True
) -> RecallInput:
    """Return the input of a recall with up to `most` nodes and connections, the most valuable first."""
    chosen = [node for node in sort_by_value(subgraph.values) if node not in seeds.reported][:most]
    ends = {end for tie in subgraph.connections.values() for end in (tie.from_id, tie.to_id)}
    end_ids = sorted(ends.difference(chosen), key=lambda node: (-subgraph.values.get(node, 0.0), node))[:_MAX_ENDS]
    rows = {node: seeds.rows[node] for node in chosen if node in seeds.rows}
    links = [node for node in chosen if node not in rows and _is_connection(seeds, node)]
    node_ids = [node for node in chosen if node not in rows and node not in links]
    known: dict[str, TitleAndType] = {}
    texts: dict[str, list[str]] = {}

    async def describe(kind: Kind, ids: Sequence[str]) -> None:
        rows.update(await fetch_rows(scope, kind, ids))

    async def describe_ends() -> None:
        known.update(await fetch_briefs(scope, end_ids))

    async def read() -> None:
        texts.update(await contents_of(scope, chosen))

    async with task_group() as tasks:
        tasks.start_soon(describe, Kind.NODE, node_ids)
        tasks.start_soon(describe_ends)
        if has_texts:
            tasks.start_soon(read)
        if links:
            tasks.start_soon(describe, Kind.CONNECTION, links)
    existing_rows = [rows[node] for node in chosen if node in rows and seeds.may_include(rows[node])]
    chosen = _best_first(scope, subgraph.values, existing_rows, seeds)
    titles = {node: rows[node].shown_title for node in chosen if not rows[node].ends}
    pages = await observations_of(scope, seeds, titles, 2 * most) if has_texts else dict[str, ObservationPage]()
    changed = await find_changed_since_indexed(
        scope, [*texts, *(passage.owner for node in pages.values() for passage in node.passages)]
    )
    texts = {node: results for node, results in texts.items() if node not in changed}
    items = [
        _as_item(rows[node], texts.get(node, ()), seeds.passages.get(node, ()), now, is_past=scope.at is not None)
        for node in chosen
    ]
    hidden_ids = changed | seeds.reported
    observed = await _with_observations(
        scope, seeds, items, {node: page.without(hidden_ids) for node, page in pages.items()}
    )
    if has_texts:
        observed = await with_earlier_values(scope, observed, seeds.question, seeds.result_period)
    known |= {node: TitleAndType(row.shown_title, row.type) for node, row in rows.items() if not row.ends}
    ties = [tie for tie in subgraph.connections.values() if tie.from_id in known and tie.to_id in known]
    return RecallInput(observed, ties, known)


def _best_first(scope: Scope, values: Mapping[str, float], rows: Sequence[RecallRow], seeds: Seeds) -> list[str]:
    """Return item ids, best first.

    Ended items come last, unless the request is about the past or has only names. A summary ranks lower unless it is
    named, since its facts are items themselves.
    """
    has_past = seeds.is_by_name or scope.filters.includes_ended or scope.filters.valid_at is not None
    then = scope.then or utc_now()

    def sort_key(row: RecallRow) -> tuple[bool, float]:
        holds = has_past or row.valid_to is None or to_datetime(row.valid_to) > then
        return holds, values[row.id] * (SUMMARY_FACTOR if row.type == SUMMARY and row.id not in seeds.named else 1.0)

    return [row.id for row in sorted(rows, key=sort_key, reverse=True)]


async def _with_observations(
    scope: Scope, seeds: Seeds, items: Sequence[RecallItem], pages: Mapping[str, ObservationPage]
) -> list[RecallItem]:
    passages = [passage for page in pages.values() for passage in page.passages]
    superseded = await (find_superseded_among if scope.at is None else find_superseded_then)(scope, passages)
    notes = await observation_notes(scope, passages)
    asks = {note.id: note.asks for note in notes}
    times = {note.id: note.time for note in notes if note.time is not None}
    shares = _shares(seeds, items)

    def with_observations(item: RecallItem) -> RecallItem:
        page = pages.get(item.id, ObservationPage())
        observed = tuple(
            _as_observation(passage, superseded.get(passage.owner), times.get(passage.owner), scope.then or utc_now())
            for passage in newest_first(page.passages, asks)
        )
        return replace(item, observed=observed, unread=page.unread, share=shares.get(item.id, 0.0))

    return [with_observations(item) for item in items]


def _as_observation(
    passage: Passage, superseded: Superseded | None, time: datetime | None, now: datetime
) -> RecallFact:
    """Return an observation with its dates: its validity, its event's date, or the day of its creation."""
    is_ending = superseded is None and passage.valid_to < LATEST
    until = format_last_day(time_of_microseconds(passage.valid_to)) if is_ending else ""
    if passage.valid_from != EARLIEST:
        since = "since" if time_of_microseconds(passage.valid_from) <= now else "from"
        return RecallFact(passage.text, passage.date, superseded, since, until)
    if time is not None:
        return RecallFact(passage.text, format_day(time), superseded, "on", until)
    return RecallFact(passage.text, passage.date, superseded, until=until)


def _shares(seeds: Seeds, items: Sequence[RecallItem]) -> dict[str, float]:
    """Return the share of the remaining tokens for the observations of each named item.

    An item is named if the question or the request mentions it, or if it is the best result of a question. If there is
    neither a question nor a name, the most used node is named. If a request has only names, they share all tokens.
    """
    named_ids = [item.id for item in items if item.id in seeds.named]
    if seeds.is_by_name:
        return {subject: 1 / (len(named_ids) - place) for place, subject in enumerate(named_ids)}
    return dict.fromkeys([*named_ids, *(item.id for item in items[:1] if seeds.passages)], _NAMED_ITEM_SHARE)


def _is_connection(seeds: Seeds, subject: str) -> bool:
    return any(passage.owner_kind == Kind.CONNECTION for passage in seeds.passages.get(subject, ())[:1])


def _as_item(
    row: RecallRow, texts: Sequence[str], passages: Sequence[Passage], now: datetime, *, is_past: bool
) -> RecallItem:
    is_long = len(texts) > MAX_PASSAGES
    facts = [
        (str(key), value)
        for key, value in sorted(row.facts, key=lambda fact: str(fact[0]))
        if value != row.shown_title and not is_pattern_data(str(key), value)
    ]
    if row.type == SUMMARY:  # these properties are already in the title, or mean nothing to a reader
        facts = [fact for fact in facts if fact[0] != SUMMARY_KEY]
    if row.tags:
        facts.append(("tags", ", ".join(row.tags)))
    is_link = row.from_id is not None and row.to_id is not None
    return RecallItem(
        id=row.id,
        type=row.type,
        title="" if is_link else row.shown_title,
        text=_best_passages(texts, passages) if is_long else join_passages(texts),
        is_part=is_long,
        summary=row.summary,
        facts=tuple(facts),
        when=_describe_time(row, now, is_past=is_past),
        path=row.path,
        order=f"{row.created or 0:015} {row.id}",
        ends=(row.from_id or "", row.from_title, row.to_id or "", row.to_title) if is_link else None,
    )


def _describe_time(row: RecallRow, now: datetime, *, is_past: bool) -> str:
    """Return an item's validity in words, or else its age or, for a past state, the day of its last change.

    For an ended item without a start, return its end. For a summary, return its date, since summaries are not updated.
    """
    ends = None if row.valid_to is None else to_datetime(row.valid_to)
    begins = None if row.valid_from is None else to_datetime(row.valid_from)
    until = "" if ends is None else f"until {format_last_day(ends)}"
    if begins is not None:
        return f"{'since' if begins <= now else 'from'} {format_day(begins)}{until and f' {until}'}"
    if ends is not None:
        return f"ended {format_last_day(ends)}" if ends <= now else until
    if row.modified is None:
        return ""
    if row.type == SUMMARY:
        return f"as of {format_day(to_datetime(row.modified))}"
    return format_day(to_datetime(row.modified)) if is_past else render_age(to_datetime(row.modified), now)


def _best_passages(texts: Sequence[str], passages: Sequence[Passage]) -> str:
    """Return the matching passages of a long text, best first. If none match, return its first passages."""
    best = [passage.text for passage in passages if passage.place.startswith(_CONTENT)][:MAX_PASSAGES]
    return join_passages(best or texts[:MAX_PASSAGES])


MAX_LATEST = 20
"""Maximum number of observations, newest first, that are read for each later item if there is no question."""
_MAX_BARE = 10
"""Maximum number of items whose observations are read although only their names matched."""
_TEXT = "text"
"""The place of an observation's passages."""


@dataclass(frozen=True, slots=True)
class ObservationPage:
    """A page of a node's observations, best first, and the number of observations not on the page."""

    passages: Sequence[Passage] = ()
    unread: int = 0

    def without(self, changed: Collection[str]) -> ObservationPage:
        """Return the page without observations that changed since they were indexed."""
        return replace(self, passages=[passage for passage in self.passages if passage.owner not in changed])


async def observations_of(
    scope: Scope, seeds: Seeds, titles: Mapping[str, str], most: int
) -> Mapping[str, ObservationPage]:
    """Return the observations of each node, at most `most` of them. `titles` is ordered, best node first."""
    found_by_name = [
        node
        for node in titles
        if node in seeds.values and all(passage.place == NAME for passage in seeds.passages.get(node, ()))
    ]
    first_nodes = [*titles][:FIRST_ITEMS]
    first_nodes += [
        node for node in [*titles][FIRST_ITEMS:] if node in seeds.named or node in found_by_name[:_MAX_BARE]
    ]
    others = [node for node in titles if node not in first_nodes]
    latest_by_node: dict[str, list[Passage]] = {}
    counts: dict[str, int] = {}

    async def read_observations(nodes: Sequence[str], most: int) -> None:
        latest_by_node.update(await latest_observations(scope, nodes, seeds.vector, most))

    async def count() -> None:
        counts.update(await count_observations(scope, list(titles)))

    async with task_group() as tasks:
        tasks.start_soon(read_observations, first_nodes, most)
        if not seeds.passages:  # without hits, only this read finds them
            tasks.start_soon(read_observations, others, min(MAX_LATEST, most))
        if seeds.result_period is None:
            tasks.start_soon(count)
    return {
        node: _observation_page(seeds, title, node, latest_by_node.get(node, ()), counts.get(node, 0))
        for node, title in titles.items()
    }


def _observation_page(seeds: Seeds, title: str, node: str, latest: Sequence[Passage], count: int) -> ObservationPage:
    passages = [
        passage
        for passage in seeds.passages.get(node, ())
        if passage.owner != passage.unit and passage.place.split("/")[0] == _TEXT
    ]
    latest_in_period = [
        passage for passage in latest if seeds.result_period is None or is_dated(passage, seeds.result_period)
    ]
    page = list({passage.key: passage for passage in (*latest_in_period, *passages)}.values())
    if len(page) > 1 and (seeds.question.terms or seeds.vector is not None):
        page = sort_by_relevance(seeds.question, title, page, seeds.points)
    return ObservationPage(page, max(count - len({passage.owner for passage in page}), 0))

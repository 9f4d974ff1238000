"""From what a recall begins with to what it may tell: connections followed, and all of it read at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.background import task_group
from graph_memory.memory.recall.questions.period_filter import is_dated
from graph_memory.memory.recall.questions.seeds import Seeds
from graph_memory.memory.recall.recall_queries import (
    PASSAGES,
    TIES,
    ToldRow,
    called,
    contents_of,
    outdated,
    stitched,
    ties_of,
    told_of,
)
from graph_memory.memory.recall.rendering.prose import NEAR
from graph_memory.memory.recall.rendering.recall_input import Brief, Material, Observed, Thing, Tie
from graph_memory.memory.recall.rendering.spreading_activation import in_order, reached
from graph_memory.memory.recall.rendering.wording import age
from graph_memory.memory.recall.selection.earlier_values import with_earlier_values
from graph_memory.memory.search.index.index_filters import EARLIEST, LATEST, moment
from graph_memory.memory.search.ranking.scoring import Passage
from graph_memory.memory.search.ranking.shown_passages import is_bare, sort_by_fit
from graph_memory.memory.search.results import Superseded
from graph_memory.memory.search.retrieval.retrieval import Scope, count_observations, latest_observations
from graph_memory.memory.search.retrieval.superseded import (
    find_superseded_among,
    find_superseded_then,
    newest_first,
    observation_notes,
)
from graph_memory.memory.traversal.walks.edges import MAX_EDGES, instant
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.subjects.subjects import SUMMARY, SUMMARY_KEY, is_of_pattern
from graph_memory.model.text.wording import day, last_day
from graph_memory.storage.log.writing import utc_now

FOLLOWED = 40
"""Nodes whose connections are read in one step, the most valuable."""
_TOKENS_OF_A_THING = 20
"""Tokens that short things take: more are not read than could be told."""
_MOST_ENDS = 400
OF_SUMMARY = 0.5
"""What the summary of a session counts of its value."""
_SHARE = 0.5
_CONTENT = "content/"


@dataclass(slots=True)
class Web:
    """What connects nodes, as far as it was read."""

    ties: dict[str, Tie] = field(default_factory=dict[str, Tie])
    edges: dict[str, int] = field(default_factory=dict[str, int])
    values: dict[str, float] = field(default_factory=dict[str, float])
    beyond: dict[str, int] = field(default_factory=dict[str, int])
    """About how many connections of a node were not read."""


def most_things(tokens: int) -> int:
    """Return how many things are read for a reply of so many tokens: about as many as could be told."""
    return tokens // _TOKENS_OF_A_THING + 10


async def grown(scope: Scope, seeds: Seeds, steps: int, most: int = 0) -> Web:
    """Return what is worth telling, so many connections away from the seeds: one statement for each step.

    Of the first nodes, where they are few, so many connections are read in all.
    """
    scale = await scope.scale()
    web = Web(values=dict(seeds.values))
    for step in range(1, steps + 1):
        new = [each for each in in_order(web.values)[: FOLLOWED * step] if each not in web.edges]
        if not new:
            break
        read = min(max(TIES, most // len(new)), MAX_EDGES) if step == 1 else TIES
        ties, edges = await ties_of(scope, scale, new, read)
        web.ties |= {tie.id: tie for tie in ties}
        web.beyond |= {each: edges[each] - read for each in new if edges.get(each, 0) > read}
        web.edges |= dict.fromkeys(new, 0) | edges
        web.values = reached(seeds.values, list(web.ties.values()), web.edges, steps=step)
    return web


async def material_of(
    scope: Scope, seeds: Seeds, web: Web, most: int, now: datetime, *, has_texts: bool = True
) -> Material:
    """Return what may be told of so many nodes and connections, the most valuable first."""
    chosen = [each for each in in_order(web.values) if each not in seeds.told][:most]
    ends = {end for tie in web.ties.values() for end in (tie.from_id, tie.to_id)}
    named = sorted(ends.difference(chosen), key=lambda each: (-web.values.get(each, 0.0), each))[:_MOST_ENDS]
    rows = {each: seeds.rows[each] for each in chosen if each in seeds.rows}
    links = [each for each in chosen if each not in rows and _is_connection(seeds, each)]
    nodes = [each for each in chosen if each not in rows and each not in links]
    known: dict[str, Brief] = {}
    texts: dict[str, list[str]] = {}

    async def describe(kind: Kind, ids: Sequence[str]) -> None:
        rows.update(await told_of(scope, kind, ids))

    async def call() -> None:
        known.update(await called(scope, named))

    async def read() -> None:
        texts.update(await contents_of(scope, chosen))

    async with task_group() as tasks:
        tasks.start_soon(describe, Kind.NODE, nodes)
        tasks.start_soon(call)
        if has_texts:
            tasks.start_soon(read)
        if links:
            tasks.start_soon(describe, Kind.CONNECTION, links)
    present = [rows[each] for each in chosen if each in rows and seeds.tells(rows[each])]
    chosen = _best_first(scope, web.values, present, seeds)
    titles = {each: rows[each].named for each in chosen if not rows[each].ends}
    heard = await observations_of(scope, seeds, titles, 2 * most) if has_texts else dict[str, Heard]()
    changed = await outdated(scope, [*texts, *(one.owner for each in heard.values() for one in each.passages)])
    texts = {each: found for each, found in texts.items() if each not in changed}
    things = [
        _thing(rows[each], texts.get(each, ()), seeds.passages.get(each, ()), now, is_past=scope.at is not None)
        for each in chosen
    ]
    known_already = changed | seeds.told
    told = await _with_observed(scope, seeds, things, {each: one.without(known_already) for each, one in heard.items()})
    if has_texts:
        told = await with_earlier_values(scope, told, seeds.question, seeds.narrowed)
    known |= {each: Brief(row.named, row.type) for each, row in rows.items() if not row.ends}
    ties = [tie for tie in web.ties.values() if tie.from_id in known and tie.to_id in known]
    return Material(told, ties, known)


def _best_first(scope: Scope, values: Mapping[str, float], rows: Sequence[ToldRow], seeds: Seeds) -> list[str]:
    """Return things in their order: those that have ended come last, unless the past or nothing but names is asked for.

    A summary that is not asked about counts less: its facts are told themselves.
    """
    has_past = seeds.is_by_name or scope.filters.ended or scope.filters.valid_at is not None
    at = scope.then or utc_now()

    def value(row: ToldRow) -> tuple[bool, float]:
        holds = has_past or row.valid_to is None or instant(row.valid_to) > at
        return holds, values[row.id] * (OF_SUMMARY if row.type == SUMMARY and row.id not in seeds.asked else 1.0)

    return [row.id for row in sorted(rows, key=value, reverse=True)]


async def _with_observed(
    scope: Scope, seeds: Seeds, things: Sequence[Thing], heard: Mapping[str, Heard]
) -> list[Thing]:
    """Return things with what was observed of them."""
    passages = [passage for heard_of in heard.values() for passage in heard_of.passages]
    over = await (find_superseded_among if scope.at is None else find_superseded_then)(scope, passages)
    notes = await observation_notes(scope, passages)
    asks = {note.id: note.asks for note in notes}
    times = {note.id: note.time for note in notes if note.time is not None}
    shares = _shares(seeds, things)

    def told(thing: Thing) -> Thing:
        known = heard.get(thing.id, Heard())
        observed = tuple(
            _observed(one, over.get(one.owner), times.get(one.owner), scope.then or utc_now())
            for one in newest_first(known.passages, asks)
        )
        return replace(thing, observed=observed, unread=known.unread, share=shares.get(thing.id, 0.0))

    return [told(each) for each in things]


def _observed(passage: Passage, over: Superseded | None, time: datetime | None, now: datetime) -> Observed:
    """Return an observation with its dates: those of its validity, else the time it happened, else its first day."""
    is_ending = over is None and passage.valid_to < LATEST
    until = last_day(moment(passage.valid_to)) if is_ending else ""
    if passage.valid_from != EARLIEST:
        since = "since" if moment(passage.valid_from) <= now else "from"
        return Observed(passage.text, passage.date, over, since, until)
    if time is not None:
        return Observed(passage.text, day(time), over, "on", until)
    return Observed(passage.text, passage.date, over, until=until)


def _shares(seeds: Seeds, things: Sequence[Thing]) -> dict[str, float]:
    """Return which part of the tokens left the observations of each thing that is asked about take at once.

    That is what the question or the request names, with a question also the best of what it finds, and without either
    what is used most. Where nothing but names are given, what has them comes before all else.
    """
    asked = [each.id for each in things if each.id in seeds.asked]
    if seeds.is_by_name:
        return {each: 1 / (len(asked) - place) for place, each in enumerate(asked)}
    return dict.fromkeys([*asked, *(each.id for each in things[:1] if seeds.passages)], _SHARE)


def _is_connection(seeds: Seeds, each: str) -> bool:
    return any(passage.owner_kind == Kind.CONNECTION for passage in seeds.passages.get(each, ())[:1])


def _thing(row: ToldRow, texts: Sequence[str], found: Sequence[Passage], now: datetime, *, is_past: bool) -> Thing:
    """Return what may be told of a node or connection."""
    is_long = len(texts) > PASSAGES
    known = sorted(row.facts, key=lambda fact: str(fact[0]))
    facts = [(str(key), value) for key, value in known if value != row.named and not is_of_pattern(str(key), value)]
    if row.type == SUMMARY:  # the title says it, or it says nothing to a reader
        facts = [each for each in facts if each[0] != SUMMARY_KEY]
    if row.tags:
        facts.append(("tags", ", ".join(row.tags)))
    is_link = row.from_id is not None and row.to_id is not None
    return Thing(
        id=row.id,
        type=row.type,
        title="" if is_link else row.named,
        text=_best_of(texts, found) if is_long else stitched(texts),
        is_part=is_long,
        summary=row.summary,
        facts=tuple(facts),
        when=_when(row, now, is_past=is_past),
        path=row.path,
        order=f"{row.created or 0:015} {row.id}",
        ends=(row.from_id or "", row.from_title, row.to_id or "", row.to_title) if is_link else None,
    )


def _when(row: ToldRow, now: datetime, *, is_past: bool) -> str:
    """Return since when and until when something holds, or else how old it is; in the past, the day of its last change.

    What holds no more says when it ended. A summary has its date, since summaries are not updated.
    """
    ends = None if row.valid_to is None else instant(row.valid_to)
    begins = None if row.valid_from is None else instant(row.valid_from)
    until = "" if ends is None else f"until {last_day(ends)}"
    if begins is not None:
        return f"{'since' if begins <= now else 'from'} {day(begins)}{until and f' {until}'}"
    if ends is not None:
        return f"ended {last_day(ends)}" if ends <= now else until
    if row.modified is None:
        return ""
    if row.type == SUMMARY:
        return f"as of {day(instant(row.modified))}"
    return day(instant(row.modified)) if is_past else age(instant(row.modified), now)


def _best_of(texts: Sequence[str], found: Sequence[Passage]) -> str:
    """Return the passages of a long content that were found, in the order in which they were; else the first ones."""
    best = [each.text for each in found if each.place.startswith(_CONTENT)][:PASSAGES]
    return stitched(best or texts[:PASSAGES])


LAST = 20
"""The last observations that are read of what is not near, where no question finds any."""
_MOST_BARE = 10
"""Things of which only names were found that are looked into too."""
_TEXT = "text"


@dataclass(frozen=True, slots=True)
class Heard:
    """What was observed of a thing, what fits the question best first, and how many more observations there are."""

    passages: Sequence[Passage] = ()
    unread: int = 0

    def without(self, changed: Collection[str]) -> Heard:
        """Return it without observations that changed since they were indexed."""
        return replace(self, passages=[each for each in self.passages if each.owner not in changed])


async def observations_of(scope: Scope, seeds: Seeds, titles: Mapping[str, str], most: int) -> Mapping[str, Heard]:
    """Return what was observed of things, given their titles, the most valuable first; of each so many at most."""
    bare = [each for each in titles if each in seeds.values and is_bare(seeds.passages.get(each, ()))][:_MOST_BARE]
    near = [each for place, each in enumerate(titles) if place < NEAR or each in seeds.asked or each in bare]
    others = [each for each in titles if each not in near]
    read: dict[str, list[Passage]] = {}
    counts: dict[str, int] = {}

    async def look(nodes: Sequence[str], most: int) -> None:
        read.update(await latest_observations(scope, nodes, seeds.vector, most))

    async def count() -> None:
        counts.update(await count_observations(scope, list(titles)))

    async with task_group() as tasks:
        tasks.start_soon(look, near, most)
        if not seeds.passages:  # nothing was asked that would find them
            tasks.start_soon(look, others, min(LAST, most))
        if seeds.narrowed is None:
            tasks.start_soon(count)
    return {each: _heard(seeds, title, each, read.get(each, ()), counts.get(each, 0)) for each, title in titles.items()}


def _heard(seeds: Seeds, title: str, node: str, read: Sequence[Passage], count: int) -> Heard:
    found = [each for each in seeds.passages.get(node, ()) if _is_observation(each)]
    dated = [each for each in read if seeds.narrowed is None or is_dated(each, seeds.narrowed)]
    every = list({each.key: each for each in (*dated, *found)}.values())
    if seeds.question.terms or seeds.vector is not None:
        every = sort_by_fit(seeds.question, title, every, seeds.points)
    return Heard(every, max(count - len({each.owner for each in every}), 0))


def _is_observation(passage: Passage) -> bool:
    return passage.owner != passage.unit and passage.place.split("/")[0] == _TEXT

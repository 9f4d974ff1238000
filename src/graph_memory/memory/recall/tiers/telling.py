"""From what a recall begins with to what it may tell: connections followed, and all of it read at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graph_memory.memory.background import task_group
from graph_memory.memory.recall.over import over_in
from graph_memory.memory.recall.retrieval import COMPARED, Scope, observed_of
from graph_memory.memory.recall.scoring import Passage
from graph_memory.memory.recall.shown import beyond_name, is_bare
from graph_memory.memory.recall.tiers.growth import in_order, reached
from graph_memory.memory.recall.tiers.material import Brief, Material, Observed, Thing, Tie
from graph_memory.memory.recall.tiers.reading import (
    PASSAGES,
    TIES,
    ToldRow,
    called,
    contents_of,
    instant,
    outdated,
    stitched,
    ties_of,
    told_of,
)
from graph_memory.memory.recall.tiers.seeds import Seeds
from graph_memory.memory.recall.tiers.wording import age, day
from graph_memory.memory.recall.traversal.edges import MOST
from graph_memory.model.kinds import Kind

FOLLOWED = 40
"""Nodes whose connections are read in one step, the most valuable."""
_TOKENS_OF_A_THING = 20
"""Tokens that short things take: more are not read than could be told."""
_MOST_ENDS = 400
_MOST_BARE = 10
_OBSERVED = 5
_MOST_OBSERVED = 3
_CONTENT, _OBSERVATION = "content/", "text"


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
        read = min(max(TIES, most // len(new)), MOST) if step == 1 else TIES
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
    chosen = in_order(web.values)[:most]
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

    read_of: dict[str, list[Passage]] = {}

    async def read() -> None:
        texts.update(await contents_of(scope, chosen))
        read_of.update(await _unfound(scope, seeds, chosen))

    async with task_group() as tasks:
        tasks.start_soon(describe, Kind.NODE, nodes)
        tasks.start_soon(call)
        if has_texts:
            tasks.start_soon(read)
        if links:
            tasks.start_soon(describe, Kind.CONNECTION, links)
    chosen = [each for each in chosen if each in rows and seeds.tells(rows[each])]
    said = {each: _said(seeds, rows[each], read_of.get(each, ())) for each in chosen}
    changed = await outdated(scope, [*texts, *(one.owner for several in said.values() for one in several)])
    texts = {each: found for each, found in texts.items() if each not in changed}
    said = {each: [one for one in several if one.owner not in changed] for each, several in said.items()}
    most_observed = _MOST_OBSERVED if seeds.passages else _OBSERVED
    observed = {each: _observed(said[each])[:most_observed] for each in chosen}
    over = await over_in(scope, [each for several in observed.values() for each in several])
    told = [
        replace(
            _thing(rows[each], texts.get(each, ()), seeds.passages.get(each, ()), now, is_past=scope.at is not None),
            observed=tuple(Observed(one.text, one.date, over.get(one.owner)) for one in several),
        )
        for each, several in observed.items()
    ]
    known |= {each: Brief(row.named, row.type) for each, row in rows.items() if not row.ends}
    ties = [tie for tie in web.ties.values() if tie.from_id in known and tie.to_id in known]
    return Material(told, ties, known)


async def _unfound(scope: Scope, seeds: Seeds, chosen: Sequence[str]) -> dict[str, list[Passage]]:
    """Return the last observations of what is told where none could be found: nothing was asked, or only names fit."""
    if not seeds.passages:
        return await observed_of(scope, chosen, None, _OBSERVED)
    if seeds.narrowed is not None:
        return {}
    bare = [each for each in chosen if each in seeds.values and is_bare(seeds.passages.get(each, ()))]
    return await observed_of(scope, bare[:_MOST_BARE], seeds.vector, COMPARED)


def _said(seeds: Seeds, row: ToldRow, read: Sequence[Passage]) -> Sequence[Passage]:
    """Return what was found of something, or else what was read of it, the best first."""
    if not read:
        return seeds.passages.get(row.id, ())
    return beyond_name(seeds.question, row.named, read) if seeds.passages else read


def _is_connection(seeds: Seeds, each: str) -> bool:
    return any(passage.owner_kind == Kind.CONNECTION for passage in seeds.passages.get(each, ())[:1])


def _thing(row: ToldRow, texts: Sequence[str], found: Sequence[Passage], now: datetime, *, is_past: bool) -> Thing:
    """Return what may be told of a node or connection."""
    is_long = len(texts) > PASSAGES
    facts = [(str(key), value) for key, value in sorted(row.facts, key=lambda fact: str(fact[0])) if value != row.named]
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


def _observed(found: Sequence[Passage]) -> list[Passage]:
    """Return the passages of what was observed of a thing, of those that were found."""
    return [each for each in found if each.owner != each.unit and each.place.split("/")[0] == _OBSERVATION]


def _when(row: ToldRow, now: datetime, *, is_past: bool) -> str:
    """Return from when something holds, or else how old it is; in the past, the day of its last change.

    What holds no more says until when it did.
    """
    ends = None if row.valid_to is None else instant(row.valid_to)
    until = f"until {day(ends)}" if ends is not None and ends <= now else ""
    if row.valid_from is not None:
        return f"{day(instant(row.valid_from))} {until}".rstrip()
    if until:
        return until
    if row.modified is None:
        return ""
    return day(instant(row.modified)) if is_past else age(instant(row.modified), now)


def _best_of(texts: Sequence[str], found: Sequence[Passage]) -> str:
    """Return the passages of a long content that were found, in the order in which they were; else the first ones."""
    best = [each.text for each in found if each.place.startswith(_CONTENT)][:PASSAGES]
    return stitched(best or texts[:PASSAGES])

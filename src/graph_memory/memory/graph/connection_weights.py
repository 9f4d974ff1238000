"""Connections by their weight: the strongest of a node, the weak ones of a domain, those of at least some weight.

Neo4j weighs what it finds, by the expression in `graph/weighed.cypher`; what changed while it looked is weighed here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import cast

from graph_memory.memory.changes.plan import node_not_found
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.consistent_read import Look, OvertakenRow, look, overtaken, page_of
from graph_memory.memory.graph.describe import connection_briefs, node_briefs
from graph_memory.memory.graph.neighbours import Around, LinkRow, Only
from graph_memory.memory.graph.queries import Page, given_to
from graph_memory.model.matching import Wanted
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import ConnectionIds, Direction, WeighedConnection, WeighedConnections
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED, check_limit, fault
from graph_memory.model.values.strength import IMPORTANCE, Strength, fraction
from graph_memory.model.values.weight import co_access_of, weight
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import marked, query

MOST_SHOWN = 1_000
WEAK = 0.3
"""Below this a connection counts as weak."""
_ABOVE_ALL = 2.0


@dataclass(frozen=True, slots=True)
class Weighed(LinkRow):
    """A connection and its weight."""

    weight: float

    @property
    def rank(self) -> tuple[float, str]:
        """What orders connections, the heaviest first."""
        return -self.weight, self.id


@dataclass(frozen=True, slots=True)
class _Weighable:
    strength: Strength
    importance: float | None
    modified: datetime


@dataclass(frozen=True, slots=True)
class CoAccessRow:
    """A connection, and the number of replies that contained both its ends."""

    id: str
    count: int


WEIGHED = marked(query("graph/weighed", Weighed))
CO_ACCESSES = query("graph/co_accesses", CoAccessRow)
MAX_CO_ACCESSED = 1_000
"""Maximum number of connections per domain that get a co-access bonus (the most used ones)."""


async def _nothing() -> None:
    """Check nothing: what is read now is there."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Weighs the connections of a domain, as they are after a number of its log, at a time."""

    core: Core
    domain: str
    ontology: Ontology | None
    now: datetime
    at: int = END
    check: Callable[[], Awaitable[None]] = _nothing
    """Raises HISTORY_COMPACTED for what was read of a past that is no longer kept."""
    co_access: Mapping[str, float] = field(default_factory=dict[str, float])
    """How often the ends of connections are recalled together, by their ids. Of a past nothing is known of it."""

    async def page(
        self, page: Page, wanted: Wanted, *, least: float = 0.0, below: float = _ABOVE_ALL
    ) -> tuple[list[Weighed], str | None]:
        """Return the wanted connections whose weight is between bounds, in id order, and the next page's cursor."""
        seen: dict[str, Weighed] = {}

        async def read(after: str, limit: int) -> Look[str | None]:
            found = await self._look(wanted, after=after, limit=limit, least=least, below=below, heaviest=False)
            seen.update((row.id, row) for row in found.rows)
            return found.of([row.id for row in found.rows])

        async def is_meant(row: OvertakenRow) -> bool:
            if (weighed := self._judged(wanted, row)) is None:
                return False
            seen[weighed.id] = weighed
            return least <= weighed.weight < below

        results = await page_of(self.core, self.domain, page.after, page.size, read, is_meant, at=self.at)
        await self.check()
        ids, cursor = page.cut(results)
        return [seen[id_] for id_ in ids], cursor

    async def heaviest(self, wanted: Wanted, most: int) -> list[Weighed]:
        """Return so many of the wanted connections, those that weigh most."""
        size = most
        while True:
            found = await self._look(wanted, after="", limit=size, least=0.0, below=_ABOVE_ALL, heaviest=True)
            kept = {row.id: row for row in found.rows}
            horizon = found.rows[-1].rank if len(found.rows) == size else None
            for row in await overtaken(self.core, self.domain, found, self.at):
                kept.pop(row.subject, None)
                if weighed := self._judged(wanted, row):
                    kept[weighed.id] = weighed
            ranked = sorted(kept.values(), key=lambda weighed: weighed.rank)
            known = [weighed for weighed in ranked if horizon is None or weighed.rank <= horizon]
            if horizon is None or len(known) >= most:
                return known[:most]
            size *= 2

    async def _look(self, wanted: Wanted, **given: object) -> Look[Weighed]:
        """Return what Neo4j finds and weighs."""
        matched = given_to(WEIGHED, wanted)
        times = {"now": self.now_ms, "half_lives": self.half_lives}
        used = {"co_access": dict(self.co_access)}
        return await look(self.core, WEIGHED, self.domain, at=self.at, **times, **used, **matched, **given)

    def _judged(self, wanted: Wanted, row: OvertakenRow) -> Weighed | None:
        """Return what changed while Neo4j looked, weighed by its last event; None for what is not wanted."""
        event = cast("Mapping[str, str]", row.event)
        if not wanted.takes(row.event):
            return None
        counts = self.weight_of(event)
        return Weighed(row.subject, event["_type"], event["_from"], event["_to"], counts)

    def weight_of(self, event: Mapping[str, object]) -> float:
        """Return how much a connection counts, by the event that says what it is."""
        declared = self.ontology.find_connection_type(str(event["_type"])) if self.ontology else None
        weighable = _Weighable(
            Strength.from_state(event),
            cast("float | None", event.get(IMPORTANCE)),
            cast("datetime", event["_modified"]),
        )
        co_access = self.co_access.get(str(event["_subject"]), 0.0)
        return weight(weighable, self.now, half_life=declared.half_life if declared else None, co_access=co_access)

    def age_days(self, event: Mapping[str, object]) -> float:
        """Return for how many days a connection has not been changed, by its last event."""
        return max(0.0, (self.now - cast("datetime", event["_modified"])) / timedelta(days=1))

    @property
    def half_lives(self) -> dict[str, float]:
        """The half-lives of the types that set one, in days."""
        types = self.ontology.connection_types if self.ontology else ()
        return {type_.name: type_.half_life for type_ in types if type_.half_life is not None}

    @property
    def now_ms(self) -> int:
        """The time at which connections are weighed, in milliseconds."""
        return round(self.now.timestamp() * 1000)

    def named(self, wanted: Wanted) -> Wanted:
        """Return what is wanted with what its type is stored as."""
        if self.ontology is None or wanted.type is None:
            return wanted
        return replace(wanted, names=self.ontology.names_of(wanted.type))

    async def shown(self, found: Sequence[Weighed], wanted: Wanted) -> tuple[WeighedConnection, ...]:
        """Return what is told of connections, with their weights, each as it is seen under the name that is wanted."""
        briefs = await connection_briefs(self.core, self.domain, [weighed.id for weighed in found], wanted, self.at)
        weights = {weighed.id: round(weighed.weight, 4) for weighed in found}
        await self.check()
        return tuple(WeighedConnection(**brief.model_dump(), weight=weights[brief.id]) for brief in briefs)

    def at_least(self, least: float) -> Only:
        """Return what keeps connections of at least a weight."""

        async def only(context: Around, node_id: str) -> list[Weighed]:
            everything = Page("", UNLIMITED, context.valid_at)
            results = [(await self.page(everything, wanted, least=least))[0] for wanted in context.ends(node_id)]
            return list({weighed.id: weighed for some in results for weighed in some}.values())

        return only

    def require(self) -> None:
        """Raise ONTOLOGY_NOT_FOUND for a domain that is not there."""
        if self.ontology is None:
            raise no_ontology(self.domain)


async def scale(core: Core, domain: str) -> Scale:
    """Return what weighs the connections of a domain as they are now. A domain that is not there has none."""
    rows = await core.store.read(CO_ACCESSES, domain=domain, limit=MAX_CO_ACCESSED)
    co_access = {row.id: co_access_of(row.count) for row in rows}
    return Scale(core, domain, await core.log.ontology(domain), utc_now(), co_access=co_access)


async def at_least(core: Core, domain: str, least: float | None, *, transitive: bool) -> Only | None:
    """Return what keeps connections of at least a weight, None where none is asked for. Raises INVALID_ARGUMENT."""
    check_steps(least, transitive=transitive)
    return None if least is None else (await scale(core, domain)).at_least(least)


def check_steps(least: float | None, *, transitive: bool) -> None:
    """Raise INVALID_ARGUMENT for a least weight that is none, or where connections are followed all the way."""
    if least is None:
        return
    fraction("min_strength", least)
    if transitive:
        message = "min_strength is not taken with transitive"
        raise fault("min_strength", message, "Leave one of them out: a chain has no weight.")


async def strong(scale: Scale, page: Page, wanted: Wanted, least: float, *, detail: bool) -> ConnectionIds:
    """Return the connections that match and are of at least a weight. `Memory.query_connections` tells the rest."""
    named = scale.named(wanted)
    results, cursor = await scale.page(page, named, least=least)
    ids = tuple(weighed.id for weighed in results)
    connections = await connection_briefs(scale.core, scale.domain, ids, named, scale.at) if detail else None
    warnings = None if cursor else await page.warnings(scale.core, scale.domain, named, ids)
    await scale.check()
    return ConnectionIds(connection_ids=ids, connections=connections, next_cursor=cursor, warnings=warnings)


async def strongest(
    scale: Scale, node_id: str, direction: Direction, connection_type: str | None, limit: int
) -> WeighedConnections:
    """Return the connections of a node that weigh most. `Memory.get_strongest_connections` tells the rest."""
    most = checked_limit(limit)
    context = Around(direction, connection_type)
    scale.require()
    context = replace(context, names=scale.named(context.wanted).names)
    if not await node_briefs(scale.core, scale.domain, [node_id], scale.at):
        raise node_not_found(scale.domain, node_id)
    results = [await scale.heaviest(wanted, most) for wanted in context.ends(node_id)]
    ranked = sorted(
        {weighed.id: weighed for some in results for weighed in some}.values(), key=lambda weighed: weighed.rank
    )[:most]
    warnings = None
    if not ranked:
        warnings = await Page("", most).warnings(scale.core, scale.domain, context.wanted, ())
    return WeighedConnections(connections=await scale.shown(ranked, context.wanted), warnings=warnings)


async def weak(scale: Scale, page: Page, below: float, connection_type: str | None) -> WeighedConnections:
    """Return connections that weigh less than something. `Memory.get_weak_relations` tells the rest."""
    scale.require()
    wanted = scale.named(Wanted(kind=Kind.CONNECTION, type=connection_type, properties={}))
    results, cursor = await scale.page(page, wanted, below=below)
    ids = [weighed.id for weighed in results]
    warnings = None if cursor else await page.warnings(scale.core, scale.domain, wanted, ids)
    ranked = sorted(results, key=lambda weighed: (weighed.weight, weighed.id))
    return WeighedConnections(connections=await scale.shown(ranked, wanted), next_cursor=cursor, warnings=warnings)


def checked_limit(limit: int) -> int:
    """Return how many connections may be shown with their weights. Raises INVALID_ARGUMENT."""
    if check_limit(limit) > MOST_SHOWN:
        raise fault("limit", f"limit is {limit:,}", f"Give at most {MOST_SHOWN:,}.")
    return limit

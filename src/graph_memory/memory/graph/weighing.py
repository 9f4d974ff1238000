"""Connections by their weight: the strongest of a node, the weak ones of a domain, those of at least some weight."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from graph_memory.memory.changes.plan import node_not_found
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.describe import connection_briefs, node_briefs
from graph_memory.memory.graph.neighbours import Around, LinkRow, Matching, Only, ids_around
from graph_memory.memory.graph.queries import Page, matching_connections
from graph_memory.model.arguments import UNLIMITED, check_limit, cursor_after, fault
from graph_memory.model.kinds import Kind
from graph_memory.model.matching import Wanted
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import ConnectionIds, Direction, WeighedConnection, WeighedConnections
from graph_memory.model.strength import Strength, fraction
from graph_memory.model.weight import weight
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query

AT_ONCE = 5_000
"""Connections that one statement weighs."""
MOST_WEIGHED = 20_000
"""Connections that are weighed for one page; what is left comes with the next."""
MOST_AROUND = 100_000
"""Connections of a node that are weighed for its strongest."""
MOST_SHOWN = 1_000
WEAK = 0.3
"""Below this a connection counts as weak."""


@dataclass(frozen=True, slots=True)
class WeightRow:
    """What the weight of a connection is made of; the time is in milliseconds."""

    id: str
    type: str
    from_id: str
    to_id: str
    semantic: float | None
    structural: float | None
    temporal: float | None
    confidence: float | None
    importance: float | None
    modified: int


@dataclass(frozen=True, slots=True)
class _Weighable:
    strength: Strength
    importance: float | None
    modified: datetime


WEIGHTS = query("graph/weights", WeightRow)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A connection and its weight."""

    id: str
    type: str
    from_id: str
    to_id: str
    weight: float


async def _nothing() -> None:
    """Check nothing: what is read now is there."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Weighs the connections of a domain, as they are after a number of its log, at a time."""

    core: Core
    domain: str
    ontology: Ontology | None
    matching: Matching
    now: datetime
    at: int = END
    check: Callable[[], Awaitable[None]] = _nothing
    """Raises HISTORY_COMPACTED for what was read of a past that is no longer kept."""
    half_lives: dict[str, float | None] = field(default_factory=dict[str, "float | None"])

    async def weigh(self, ids: Sequence[str]) -> list[Weighed]:
        """Return connections with their weights, in the order of the ids; what is not there is left out."""
        found: dict[str, Weighed] = {}
        for start in range(0, len(ids), AT_ONCE):
            some = list(ids[start : start + AT_ONCE])
            for row in await self.core.store.read(WEIGHTS, domain=self.domain, ids=some, at=self.at):
                found[row.id] = Weighed(row.id, row.type, row.from_id, row.to_id, self._weight(row))
        return [found[one] for one in ids if one in found]

    def _weight(self, row: WeightRow) -> float:
        strength = Strength(
            semantic=row.semantic, structural=row.structural, temporal=row.temporal, confidence=row.confidence
        )
        modified = datetime.fromtimestamp(row.modified / 1000, UTC)
        return weight(_Weighable(strength, row.importance, modified), self.now, half_life=self._half_life(row.type))

    def _half_life(self, type_name: str) -> float | None:
        if type_name not in self.half_lives:
            declared = self.ontology.find_connection_type(type_name) if self.ontology else None
            self.half_lives[type_name] = declared.half_life if declared else None
        return self.half_lives[type_name]

    async def page(
        self, page: Page, wanted: Wanted, is_meant: Callable[[Weighed], bool]
    ) -> tuple[list[Weighed], str | None]:
        """Return the wanted connections whose weight is meant, in the order of their ids, and the next page's cursor.

        With a limit, at most `MOST_WEIGHED` are weighed, so that a page may have fewer than it could.
        """
        found: list[Weighed] = []
        after, size = page.after, min(max(page.limit + 1, AT_ONCE), MOST_WEIGHED)
        is_bounded = page.limit < UNLIMITED
        left = MOST_WEIGHED
        while True:
            ids = await self.matching(Page(after, size, page.valid_at), wanted)
            is_last, some = len(ids) <= size, ids[:size]
            found += [one for one in await self.weigh(some) if is_meant(one)]
            if is_bounded and len(found) > page.limit:
                return found[: page.limit], cursor_after(found[page.limit - 1].id)
            if is_last:
                return found, None
            after, left = some[-1], left - len(some)
            if is_bounded and left <= 0:
                return found, cursor_after(after)

    def named(self, wanted: Wanted) -> Wanted:
        """Return what is wanted with what its type is stored as."""
        if self.ontology is None or wanted.type is None:
            return wanted
        return replace(wanted, names=self.ontology.names_of(wanted.type))

    async def shown(self, found: Sequence[Weighed], wanted: Wanted) -> tuple[WeighedConnection, ...]:
        """Return what is told of connections, with their weights, each as it is seen under the name that is wanted."""
        briefs = await connection_briefs(self.core, self.domain, [one.id for one in found], wanted, self.at)
        weights = {one.id: round(one.weight, 4) for one in found}
        await self.check()
        return tuple(WeighedConnection(**brief.model_dump(), weight=weights[brief.id]) for brief in briefs)

    def at_least(self, least: float) -> Only:
        """Return what keeps connections of at least a weight."""

        async def only(around: Around, node_id: str) -> list[LinkRow]:
            found = await self.weigh(await ids_around(around, node_id, self.matching))
            return [LinkRow(one.id, one.type, one.from_id, one.to_id) for one in found if one.weight >= least]

        return only

    def require(self) -> None:
        """Raise ONTOLOGY_NOT_FOUND for a domain that is not there."""
        if self.ontology is None:
            raise no_ontology(self.domain)


async def scale(core: Core, domain: str) -> Scale:
    """Return what weighs the connections of a domain as they are now. A domain that is not there has none."""

    async def matching(page: Page, wanted: Wanted) -> list[str]:
        return await matching_connections(core, domain, page, wanted)

    return Scale(core, domain, await core.log.ontology(domain), matching, utc_now())


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
    found, cursor = await scale.page(page, named, lambda one: one.weight >= least)
    ids = tuple(one.id for one in found)
    connections = await connection_briefs(scale.core, scale.domain, ids, named, scale.at) if detail else None
    warnings = None if cursor else await page.warnings(scale.core, scale.domain, named, ids)
    await scale.check()
    return ConnectionIds(connection_ids=ids, connections=connections, next_cursor=cursor, warnings=warnings)


async def strongest(
    scale: Scale, node_id: str, direction: Direction, connection_type: str | None, limit: int
) -> WeighedConnections:
    """Return the connections of a node that weigh most. `Memory.get_strongest_connections` tells the rest."""
    most = checked_limit(limit)
    around = Around(direction, connection_type)
    scale.require()
    around = replace(around, names=scale.named(around.wanted).names)
    if not await node_briefs(scale.core, scale.domain, [node_id], scale.at):
        raise node_not_found(scale.domain, node_id)
    ids = await ids_around(around, node_id, scale.matching, MOST_AROUND)
    found = await scale.weigh(ids[:MOST_AROUND])
    ranked = sorted(found, key=lambda one: (-one.weight, one.id))[:most]
    told = f"The node has more than {MOST_AROUND:,} connections; these are the strongest of the first {MOST_AROUND:,}."
    warnings = (told,) if len(ids) > MOST_AROUND else None
    if not ids:
        warnings = await Page("", most).warnings(scale.core, scale.domain, around.wanted, ())
    return WeighedConnections(connections=await scale.shown(ranked, around.wanted), warnings=warnings)


async def weak(scale: Scale, page: Page, below: float, connection_type: str | None) -> WeighedConnections:
    """Return connections that weigh less than something. `Memory.get_weak_relations` tells the rest."""
    scale.require()
    wanted = scale.named(Wanted(kind=Kind.CONNECTION, type=connection_type, properties={}))
    found, cursor = await scale.page(page, wanted, lambda one: one.weight < below)
    ids = [one.id for one in found]
    warnings = None if cursor else await page.warnings(scale.core, scale.domain, wanted, ids)
    ranked = sorted(found, key=lambda one: (one.weight, one.id))
    return WeighedConnections(connections=await scale.shown(ranked, wanted), next_cursor=cursor, warnings=warnings)


def checked_limit(limit: int) -> int:
    """Return how many connections may be shown with their weights. Raises INVALID_ARGUMENT."""
    if check_limit(limit) > MOST_SHOWN:
        raise fault("limit", f"limit is {limit:,}", f"Give at most {MOST_SHOWN:,}.")
    return limit

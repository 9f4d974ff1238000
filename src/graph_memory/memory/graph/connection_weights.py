"""Queries of connections by weight: the strongest of a node, the weak ones of a domain, or all above a minimum.

Neo4j computes the weights, with the expression in `graph/weighed.cypher`. The weights of connections that changed
during the read are computed here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import cast

from graph_memory.memory.changes.plan import node_not_found
from graph_memory.memory.core import Core
from graph_memory.memory.domains.lineage import END
from graph_memory.memory.graph.consistent_read import (
    ConcurrentChange,
    MarkedRows,
    fetch_concurrent_changes,
    read_id_page,
    read_marked,
)
from graph_memory.memory.graph.describe import connection_briefs, node_briefs
from graph_memory.memory.graph.neighbours import ConnectionSelector, LinkRow, ReadLinks
from graph_memory.memory.graph.queries import Page, statement_params
from graph_memory.model.matching import Criteria
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.results import ConnectionIds, Direction, WeighedConnection, WeighedConnections
from graph_memory.model.subjects.kinds import Kind
from graph_memory.model.values.arguments import UNLIMITED, check_limit, invalid_argument
from graph_memory.model.values.strength import IMPORTANCE, Strength, check_fraction
from graph_memory.model.values.weight import co_access_of, weight
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query, with_mark

MAX_SHOWN = 1_000
WEAK = 0.3
"""A connection whose weight is lower is weak."""
_ABOVE_ALL = 2.0


@dataclass(frozen=True, slots=True)
class WeighedLink(LinkRow):
    """A connection and its weight."""

    weight: float

    @property
    def rank(self) -> tuple[float, str]:
        """The sort key that orders connections by weight, heaviest first, and then by id."""
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


WEIGHED = with_mark(query("graph/weighed", WeighedLink))
CO_ACCESSES = query("graph/co_accesses", CoAccessRow)
MAX_CO_ACCESSED = 1_000
"""Maximum number of connections per domain that get a co-access bonus (the most used ones)."""


async def _check_nothing() -> None:
    """Do nothing, since the current state is always stored."""


@dataclass(frozen=True, slots=True)
class ConnectionWeigher:
    """Computes the weights of a domain's connections, as of an event of its log and a time."""

    core: Core
    domain: str
    ontology: Ontology | None
    now: datetime
    at: int = END
    check: Callable[[], Awaitable[None]] = _check_nothing
    """Raises HISTORY_COMPACTED if the log no longer has the events that were read."""
    co_access: Mapping[str, float] = field(default_factory=dict[str, float])
    """The co-access bonus of connections, by connection id. Empty for a past state."""

    async def read_page(
        self, page: Page, wanted: Criteria, *, least: float = 0.0, below: float = _ABOVE_ALL
    ) -> tuple[list[WeighedLink], str | None]:
        """Return the matching connections with a weight within the bounds, in id order, and the next page's cursor."""
        links: dict[str, WeighedLink] = {}

        async def read(after: str, limit: int) -> MarkedRows[str | None]:
            marked_rows = await self._read_marked(
                wanted, after=after, limit=limit, least=least, below=below, heaviest=False
            )
            links.update((row.id, row) for row in marked_rows.rows)
            return marked_rows.with_rows([row.id for row in marked_rows.rows])

        async def matches(row: ConcurrentChange) -> bool:
            if (weighed := self._weigh_change(wanted, row)) is None:
                return False
            links[weighed.id] = weighed
            return least <= weighed.weight < below

        results = await read_id_page(self.core, self.domain, page.after, page.size, read, matches, at=self.at)
        await self.check()
        ids, cursor = page.cut(results)
        return [links[subject_id] for subject_id in ids], cursor

    async def find_heaviest(self, wanted: Criteria, limit: int) -> list[WeighedLink]:
        """Return the heaviest of the matching connections."""
        size = limit
        while True:
            marked_rows = await self._read_marked(
                wanted, after="", limit=size, least=0.0, below=_ABOVE_ALL, heaviest=True
            )
            links = {row.id: row for row in marked_rows.rows}
            horizon = marked_rows.rows[-1].rank if len(marked_rows.rows) == size else None
            for row in await fetch_concurrent_changes(self.core, self.domain, marked_rows, self.at):
                links.pop(row.subject, None)
                if weighed := self._weigh_change(wanted, row):
                    links[weighed.id] = weighed
            ranked = sorted(links.values(), key=lambda weighed: weighed.rank)
            certain = [weighed for weighed in ranked if horizon is None or weighed.rank <= horizon]
            if horizon is None or len(certain) >= limit:
                return certain[:limit]
            size *= 2

    async def _read_marked(self, wanted: Criteria, **params: object) -> MarkedRows[WeighedLink]:
        filter_params = statement_params(WEIGHED, wanted)
        times = {"now": self.now_ms, "half_lives": self.half_lives}
        used = {"co_access": dict(self.co_access)}
        return await read_marked(
            self.core, WEIGHED, self.domain, at=self.at, **times, **used, **filter_params, **params
        )

    def _weigh_change(self, wanted: Criteria, row: ConcurrentChange) -> WeighedLink | None:
        """Return a concurrently changed connection with its weight, or None if its last state does not match."""
        event = cast("Mapping[str, str]", row.event)
        if not wanted.matches(row.event):
            return None
        value = self.weight_of(event)
        return WeighedLink(row.subject, event["_type"], event["_from"], event["_to"], value)

    def weight_of(self, event: Mapping[str, object]) -> float:
        """Return the weight of a connection, given its last event."""
        declared = self.ontology.find_connection_type(str(event["_type"])) if self.ontology else None
        weighable = _Weighable(
            Strength.from_state(event),
            cast("float | None", event.get(IMPORTANCE)),
            cast("datetime", event["_modified"]),
        )
        co_access = self.co_access.get(str(event["_subject"]), 0.0)
        return weight(weighable, self.now, half_life=declared.half_life if declared else None, co_access=co_access)

    def age_days(self, event: Mapping[str, object]) -> float:
        """Return the number of days since a connection was changed, given its last event."""
        return max(0.0, (self.now - cast("datetime", event["_modified"])) / timedelta(days=1))

    @property
    def half_lives(self) -> dict[str, float]:
        """The half-lives, in days, of the connection types that declare one."""
        types = self.ontology.connection_types if self.ontology else ()
        return {declared.name: declared.half_life for declared in types if declared.half_life is not None}

    @property
    def now_ms(self) -> int:
        """The time for which weights are computed, in milliseconds since 1970."""
        return round(self.now.timestamp() * 1000)

    def with_stored_names(self, wanted: Criteria) -> Criteria:
        """Return the filter with the stored names of its connection type."""
        if self.ontology is None or wanted.type is None:
            return wanted
        return replace(wanted, names=self.ontology.names_of(wanted.type))

    async def describe(self, links: Sequence[WeighedLink], wanted: Criteria) -> tuple[WeighedConnection, ...]:
        """Return the connections as results, each under the type name that the filter uses."""
        briefs = await connection_briefs(self.core, self.domain, [weighed.id for weighed in links], wanted, self.at)
        weights = {weighed.id: round(weighed.weight, 4) for weighed in links}
        await self.check()
        return tuple(WeighedConnection(**brief.model_dump(), weight=weights[brief.id]) for brief in briefs)

    def minimum_weight_reader(self, least: float) -> ReadLinks:
        """Return a function that reads a node's connections with a weight of at least `least`."""

        async def read_links(selector: ConnectionSelector, node_id: str) -> list[WeighedLink]:
            whole_page = Page("", UNLIMITED, selector.valid_at)
            results = [
                (await self.read_page(whole_page, wanted, least=least))[0] for wanted in selector.end_filters(node_id)
            ]
            return list({weighed.id: weighed for links in results for weighed in links}.values())

        return read_links

    def require(self) -> None:
        """Raise ONTOLOGY_NOT_FOUND if the domain does not exist."""
        if self.ontology is None:
            raise no_ontology(self.domain)


async def create_weigher(core: Core, domain: str) -> ConnectionWeigher:
    """Return a weigher of a domain's present connections. For a domain that does not exist, it finds none."""
    rows = await core.store.read(CO_ACCESSES, domain=domain, limit=MAX_CO_ACCESSED)
    co_access = {row.id: co_access_of(row.count) for row in rows}
    return ConnectionWeigher(core, domain, await core.log.ontology(domain), utc_now(), co_access=co_access)


async def minimum_weight_reader(core: Core, domain: str, least: float | None, *, transitive: bool) -> ReadLinks | None:
    """Return a function that reads a node's connections with a minimum weight, or None. Raises INVALID_ARGUMENT."""
    check_min_strength(least, transitive=transitive)
    return None if least is None else (await create_weigher(core, domain)).minimum_weight_reader(least)


def check_min_strength(least: float | None, *, transitive: bool) -> None:
    """Raise INVALID_ARGUMENT if a minimum weight is not from 0 to 1, or is combined with `transitive`."""
    if least is None:
        return
    check_fraction("min_strength", least)
    if transitive:
        message = "min_strength cannot be combined with transitive"
        raise invalid_argument("min_strength", message, "Omit one of them: a chain of connections has no weight.")


async def query_strong_connections(
    weigher: ConnectionWeigher, page: Page, wanted: Criteria, least: float, *, detail: bool
) -> ConnectionIds:
    """Return the matching connections with a weight of at least `least`. See `Memory.query_connections`."""
    named = weigher.with_stored_names(wanted)
    results, cursor = await weigher.read_page(page, named, least=least)
    ids = tuple(weighed.id for weighed in results)
    connections = await connection_briefs(weigher.core, weigher.domain, ids, named, weigher.at) if detail else None
    warnings = None if cursor else await page.warnings(weigher.core, weigher.domain, named, ids)
    await weigher.check()
    return ConnectionIds(connection_ids=ids, connections=connections, next_cursor=cursor, warnings=warnings)


async def find_strongest(
    weigher: ConnectionWeigher, node_id: str, direction: Direction, connection_type: str | None, limit: int
) -> WeighedConnections:
    """Return the heaviest connections of a node. See `Memory.get_strongest_connections`."""
    maximum = checked_limit(limit)
    selector = ConnectionSelector(direction, connection_type)
    weigher.require()
    selector = replace(selector, names=weigher.with_stored_names(selector.wanted).names)
    if not await node_briefs(weigher.core, weigher.domain, [node_id], weigher.at):
        raise node_not_found(weigher.domain, node_id)
    results = [await weigher.find_heaviest(wanted, maximum) for wanted in selector.end_filters(node_id)]
    ranked = sorted(
        {weighed.id: weighed for links in results for weighed in links}.values(), key=lambda weighed: weighed.rank
    )[:maximum]
    warnings = None
    if not ranked:
        warnings = await Page("", maximum).warnings(weigher.core, weigher.domain, selector.wanted, ())
    return WeighedConnections(connections=await weigher.describe(ranked, selector.wanted), warnings=warnings)


async def find_weak(
    weigher: ConnectionWeigher, page: Page, below: float, connection_type: str | None
) -> WeighedConnections:
    """Return the connections with a weight below `below`. See `Memory.get_weak_relations`."""
    weigher.require()
    wanted = weigher.with_stored_names(Criteria(kind=Kind.CONNECTION, type=connection_type, properties={}))
    results, cursor = await weigher.read_page(page, wanted, below=below)
    ids = [weighed.id for weighed in results]
    warnings = None if cursor else await page.warnings(weigher.core, weigher.domain, wanted, ids)
    ranked = sorted(results, key=lambda weighed: (weighed.weight, weighed.id))
    return WeighedConnections(connections=await weigher.describe(ranked, wanted), next_cursor=cursor, warnings=warnings)


def checked_limit(limit: int) -> int:
    """Check and return the maximum number of connections in a result with weights. Raises INVALID_ARGUMENT."""
    if check_limit(limit) > MAX_SHOWN:
        raise invalid_argument("limit", f"limit is {limit:,}", f"Pass at most {MAX_SHOWN:,}.")
    return limit

"""Queries of connections by weight: the strongest of a node, the weak ones of a domain, or all above a minimum weight.

Neo4j computes the weights with the expression in `graph/weighed.cypher`. This module computes the weights of
connections that changed during the read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import cast

from graph_memory.memory.changes.plan import node_not_found_error
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
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query, with_mark

_MAX_RESULTS = 1_000
WEAK = 0.3
"""The weight below which a connection is weak."""
_ABOVE_ALL_WEIGHTS = 2.0


@dataclass(frozen=True, slots=True)
class WeighedLink(LinkRow):
    """A connection with its weight, from 0 to 1."""

    weight: float

    @property
    def rank(self) -> tuple[float, str]:
        """The sort key that orders connections by weight, strongest first, and then by id."""
        return -self.weight, self.id


@dataclass(frozen=True, slots=True)
class _Weighable:
    strength: Strength
    importance: float | None
    modified: datetime


@dataclass(frozen=True, slots=True)
class CoAccessRow:
    """A connection, and the number of replies that contained both its start node and its end node."""

    id: str
    count: int


WEIGHED = with_mark(query("graph/weighed", WeighedLink))
CO_ACCESSES = query("graph/co_accesses", CoAccessRow)
MAX_CO_ACCESSED = 1_000
"""Maximum number of connections per domain that receive a co-access bonus. The most used connections receive it."""


async def _check_nothing() -> None:
    """Do nothing, because the log always contains the current state."""


@dataclass(frozen=True, slots=True)
class ConnectionWeigher:
    """Computes the weights of a domain's connections at the time `now`, from their states at the log position `at`."""

    core: Core
    domain: str
    ontology: Ontology | None
    now: datetime
    at: int = END
    check: Callable[[], Awaitable[None]] = _check_nothing
    """Raises HISTORY_COMPACTED if the log no longer contains the events that were read."""
    co_access: Mapping[str, float] = field(default_factory=dict[str, float])
    """The co-access bonus of connections, keyed by connection id. Empty for a past state."""

    async def read_page(
        self, page: Page, criteria: Criteria, *, least: float = 0.0, below: float = _ABOVE_ALL_WEIGHTS
    ) -> tuple[list[WeighedLink], str | None]:
        """Return the matching connections in a range of weights, sorted by id, and the cursor of the next page.

        The weights are at least `least` and lower than `below`.
        """
        links: dict[str, WeighedLink] = {}

        async def read(after: str, limit: int) -> MarkedRows[str | None]:
            marked_rows = await self._read_marked(
                criteria, after=after, limit=limit, least=least, below=below, heaviest=False
            )
            links.update((row.id, row) for row in marked_rows.rows)
            return marked_rows.with_rows([row.id for row in marked_rows.rows])

        async def matches(row: ConcurrentChange) -> bool:
            if (weighed := self._weigh_change(criteria, row)) is None:
                return False
            links[weighed.id] = weighed
            return least <= weighed.weight < below

        results = await read_id_page(self.core, self.domain, page.after, page.size, read, matches, at=self.at)
        await self.check()
        ids, cursor = page.cut(results)
        return [links[subject_id] for subject_id in ids], cursor

    async def find_heaviest(self, criteria: Criteria, limit: int) -> list[WeighedLink]:
        """Return up to `limit` matching connections with the highest weights, strongest first."""
        size = limit
        while True:
            marked_rows = await self._read_marked(
                criteria, after="", limit=size, least=0.0, below=_ABOVE_ALL_WEIGHTS, heaviest=True
            )
            links = {row.id: row for row in marked_rows.rows}
            horizon = marked_rows.rows[-1].rank if len(marked_rows.rows) == size else None
            for row in await fetch_concurrent_changes(self.core, self.domain, marked_rows, self.at):
                links.pop(row.subject, None)
                if weighed := self._weigh_change(criteria, row):
                    links[weighed.id] = weighed
            ranked = sorted(links.values(), key=lambda weighed: weighed.rank)
            certain = [weighed for weighed in ranked if horizon is None or weighed.rank <= horizon]
            if horizon is None or len(certain) >= limit:
                return certain[:limit]
            size *= 2

    async def _read_marked(self, criteria: Criteria, **params: object) -> MarkedRows[WeighedLink]:
        weighing = {"now": self.now_ms, "half_lives": self.half_lives, "co_access": dict(self.co_access)}
        filter_params = statement_params(WEIGHED, criteria)
        return await read_marked(self.core, WEIGHED, self.domain, at=self.at, **weighing, **filter_params, **params)

    def _weigh_change(self, criteria: Criteria, row: ConcurrentChange) -> WeighedLink | None:
        """Return a concurrently changed connection with its weight, or None if its last state does not match."""
        event = cast("Mapping[str, str]", row.event)
        if not criteria.matches(row.event):
            return None
        value = self.weight_of(event)
        return WeighedLink(row.subject, event["_type"], event["_from"], event["_to"], value)

    def weight_of(self, event: Mapping[str, object]) -> float:
        """Return the weight of a connection, computed from its latest event."""
        connection_type = self.ontology.find_connection_type(str(event["_type"])) if self.ontology else None
        weighable = _Weighable(
            Strength.from_state(event),
            cast("float | None", event.get(IMPORTANCE)),
            cast("datetime", event["_modified"]),
        )
        co_access = self.co_access.get(str(event["_subject"]), 0.0)
        return weight(
            weighable, self.now, half_life=connection_type.half_life if connection_type else None, co_access=co_access
        )

    def age_days(self, event: Mapping[str, object]) -> float:
        """Return the number of days since the connection's last change, given its last event."""
        return max(0.0, (self.now - cast("datetime", event["_modified"])) / timedelta(days=1))

    @property
    def half_lives(self) -> dict[str, float]:
        """The half-lives of connection types in days. Types without a half-life are omitted."""
        types = self.ontology.connection_types if self.ontology else ()
        return {
            connection_type.name: connection_type.half_life
            for connection_type in types
            if connection_type.half_life is not None
        }

    @property
    def now_ms(self) -> int:
        """The time for which weights are computed, in milliseconds since 1970."""
        return round(self.now.timestamp() * 1000)

    def with_stored_names(self, criteria: Criteria) -> Criteria:
        """Return the filter with the stored names of its connection type."""
        if self.ontology is None or criteria.type is None:
            return criteria
        return replace(criteria, names=self.ontology.names_of(criteria.type))

    async def describe(self, links: Sequence[WeighedLink], criteria: Criteria) -> tuple[WeighedConnection, ...]:
        """Return the connections as results. If the filter has an inverse type name, the results use that name."""
        briefs = await connection_briefs(self.core, self.domain, [weighed.id for weighed in links], criteria, self.at)
        weights = {weighed.id: round(weighed.weight, 4) for weighed in links}
        await self.check()
        return tuple(WeighedConnection(**brief.model_dump(), weight=weights[brief.id]) for brief in briefs)

    def minimum_weight_reader(self, least: float) -> ReadLinks:
        """Return a function that reads a node's connections with a weight of at least `least`."""

        async def read_links(selector: ConnectionSelector, node_id: str) -> list[WeighedLink]:
            whole_page = Page("", UNLIMITED, selector.valid_at)
            results = [
                (await self.read_page(whole_page, criteria, least=least))[0]
                for criteria in selector.end_filters(node_id)
            ]
            return list({weighed.id: weighed for links in results for weighed in links}.values())

        return read_links

    def require(self) -> None:
        """Raise ONTOLOGY_NOT_FOUND if the domain does not exist."""
        if self.ontology is None:
            raise no_ontology_error(self.domain)


async def create_weigher(core: Core, domain: str) -> ConnectionWeigher:
    """Return a weigher for the current connections of a domain. If the domain does not exist, it finds none."""
    rows = await core.store.read(CO_ACCESSES, domain=domain, limit=MAX_CO_ACCESSED)
    co_access = {row.id: co_access_of(row.count) for row in rows}
    return ConnectionWeigher(core, domain, await core.log.ontology(domain), utc_now(), co_access=co_access)


async def minimum_weight_reader(core: Core, domain: str, least: float | None, *, transitive: bool) -> ReadLinks | None:
    """Return a function that reads a node's connections with a minimum weight. Returns None if `least` is None.

    Raises the errors of `check_min_strength`.
    """
    check_min_strength(least, transitive=transitive)
    return None if least is None else (await create_weigher(core, domain)).minimum_weight_reader(least)


def check_min_strength(least: float | None, *, transitive: bool) -> None:
    """Raise INVALID_ARGUMENT if a minimum weight is not from 0 to 1, or is combined with `transitive`."""
    if least is None:
        return
    check_fraction("min_strength", least)
    if transitive:
        message = "min_strength cannot be combined with transitive, because a chain of connections has no weight"
        raise invalid_argument("min_strength", message, "Omit min_strength, or omit transitive.")


async def query_strong_connections(
    weigher: ConnectionWeigher, page: Page, criteria: Criteria, least: float, *, detail: bool
) -> ConnectionIds:
    """Return the matching connections with a weight of at least `least`. See `Memory.query_connections`."""
    named_criteria = weigher.with_stored_names(criteria)
    results, cursor = await weigher.read_page(page, named_criteria, least=least)
    ids = tuple(weighed.id for weighed in results)
    connections = (
        await connection_briefs(weigher.core, weigher.domain, ids, named_criteria, weigher.at) if detail else None
    )
    warnings = None if cursor else await page.warnings(weigher.core, weigher.domain, named_criteria, ids)
    await weigher.check()
    return ConnectionIds(connection_ids=ids, connections=connections, next_cursor=cursor, warnings=warnings)


async def find_strongest(
    weigher: ConnectionWeigher, node_id: str, direction: Direction, connection_type: str | None, limit: int
) -> WeighedConnections:
    """Return the strongest connections of a node. See `Memory.get_strongest_connections`."""
    maximum = checked_limit(limit)
    selector = ConnectionSelector(direction, connection_type)
    weigher.require()
    selector = replace(selector, names=weigher.with_stored_names(selector.criteria).names)
    if not await node_briefs(weigher.core, weigher.domain, [node_id], weigher.at):
        raise node_not_found_error(weigher.domain, node_id)
    results = [await weigher.find_heaviest(criteria, maximum) for criteria in selector.end_filters(node_id)]
    ranked = sorted(
        {weighed.id: weighed for links in results for weighed in links}.values(), key=lambda weighed: weighed.rank
    )[:maximum]
    warnings = None
    if not ranked:
        warnings = await Page("", maximum).warnings(weigher.core, weigher.domain, selector.criteria, ())
    return WeighedConnections(connections=await weigher.describe(ranked, selector.criteria), warnings=warnings)


async def find_weak(
    weigher: ConnectionWeigher, page: Page, below: float, connection_type: str | None
) -> WeighedConnections:
    """Return the connections with a weight below `below`. See `Memory.get_weak_relations`."""
    weigher.require()
    criteria = weigher.with_stored_names(Criteria(kind=Kind.CONNECTION, type=connection_type, properties={}))
    results, cursor = await weigher.read_page(page, criteria, below=below)
    ids = [weighed.id for weighed in results]
    warnings = None if cursor else await page.warnings(weigher.core, weigher.domain, criteria, ids)
    ranked = sorted(results, key=lambda weighed: (weighed.weight, weighed.id))
    return WeighedConnections(
        connections=await weigher.describe(ranked, criteria), next_cursor=cursor, warnings=warnings
    )


def checked_limit(limit: int) -> int:
    """Return `limit`, the maximum number of connections in a result with weights.

    Raises INVALID_ARGUMENT if it is not from 1 to `_MAX_RESULTS`.
    """
    if check_limit(limit) > _MAX_RESULTS:
        raise invalid_argument("limit", f"limit {limit:,} is above the maximum", f"Pass at most {_MAX_RESULTS:,}.")
    return limit

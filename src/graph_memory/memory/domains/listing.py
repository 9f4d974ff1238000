"""Lists domains and describes them with counts."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from time import monotonic
from typing import Any

from graph_memory.memory.background import IdleBackground
from graph_memory.memory.core import Core
from graph_memory.model.domain_results import DomainInfo, DomainProtection, Domains, DomainSummary
from graph_memory.model.ontology.inheritance import redefined_types
from graph_memory.model.ontology.ontology import Ontology
from graph_memory.model.ontology.types import subject_of_type
from graph_memory.model.rights import CALLER, can_read, readable
from graph_memory.model.subjects.protection import parse_protection
from graph_memory.model.subjects.subjects import DomainState
from graph_memory.model.text.analysers import analyser_of
from graph_memory.model.time.clock import AHEAD
from graph_memory.model.values.arguments import UNLIMITED, check_cursor, check_limit, cursor_after
from graph_memory.storage.log.ontologies import no_ontology_error
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class DomainRow:
    """A domain with the properties of its node, and the numbers of its events and types."""

    name: str
    created: datetime
    modified: datetime
    events: int
    forked_from: str | None
    forked_at: int | None
    busy: str | None
    node_types: int
    connection_types: int
    description: str | None
    parent: str | None
    children: list[str]


@dataclass(frozen=True, slots=True)
class InfoRow(DomainRow):
    """A domain with the position of its log, and the state of its index."""

    seq: int
    epoch: str
    protection: str | None
    not_indexed: int
    without_vectors: int
    analyser: str | None
    metadata: str | None
    ontology_version: int
    branches: list[str]
    last_access: datetime | None


@dataclass(frozen=True, slots=True)
class CountsRow:
    """The node and connection counts of a domain's current graph, and the total size of its contents in bytes."""

    nodes: int
    connections: int
    content_bytes: int


@dataclass(frozen=True, slots=True)
class CachedCounts:
    """Counts with their log position, epoch and expiry time."""

    counts: CountsRow
    position: tuple[int, str]
    until: float


LIST = query("domains/list", DomainRow)
INFO = query("domains/info", InfoRow)
COUNTS = query("domains/counts", CountsRow)
COUNTS_SECONDS = 60
"""Maximum age of cached counts in seconds. Older counts could hide changes that are not in the log."""


async def list_domains(core: Core, limit: int | None = None, cursor: str | None = None) -> Domains:
    """Return the domains, sorted by name. If `limit` is not given, returns all domains."""
    page_size, after = check_limit(limit), check_cursor(cursor)
    maximum = page_size + 1 if CALLER.get() is None else UNLIMITED
    rows = await core.store.read(LIST, after=after, limit=maximum)
    rows = [row for row in rows if can_read(row.name)]
    page = rows[:page_size]
    return Domains(
        domains=tuple(DomainSummary(**_shared_fields(row)) for row in page),
        next_cursor=cursor_after(page[-1].name) if len(rows) > page_size else None,
        unavailable_databases=tuple(core.store.unavailable) or None,
    )


def _shared_fields(row: DomainRow) -> dict[str, Any]:
    """Return the fields that a summary and a full description share. Omits domains that the caller may not read."""
    sources = {name: value for name in ("parent", "forked_from") if (value := getattr(row, name)) and can_read(value)}
    return (
        asdict(row)
        | {"parent": None, "forked_from": None}
        | sources
        | {"children": tuple(readable(row.children)) or None}
    )


async def domains_with_clock_skew(reader: Reader) -> list[DomainRow]:
    """Return the domains whose last change has a time far in the future, according to this machine's clock."""
    now = utc_now()
    return [row for row in await reader.read(LIST, after="", limit=UNLIMITED) if row.modified - now > AHEAD]


async def domain_info(core: Core, domain: str) -> DomainInfo:
    """Return a domain with its node and connection counts. Raises ONTOLOGY_NOT_FOUND."""
    row = await core.store.first_row(INFO, domain=domain)
    if row is None:
        raise no_ontology_error(domain)
    ontology = await core.log.require_ontology(domain)
    last_access = core.accesses.last_access(domain)
    values: dict[str, Any] = _shared_fields(row)
    values |= asdict(await _count(core, domain, (row.seq, row.epoch)))
    values |= {
        "analyser": None if row.analyser is None else analyser_of(row.analyser),
        "protection": _protection(row, utc_now()),
        "metadata": None if row.metadata is None else json.loads(row.metadata),
        "branches": tuple(readable(row.branches)) or None,
        "last_access": max(filter(None, (row.last_access, last_access)), default=None),
        "inherited_types": _inherited_types(ontology),
        "differing_types": tuple(redefined_type.title for redefined_type in redefined_types(ontology)) or None,
    }
    del values["seq"], values["epoch"]
    return DomainInfo(**values)


async def _count(core: Core, domain: str, position: tuple[int, str]) -> CountsRow:
    """Return the counts of a domain at a position of its log. They are cached, because they read the whole domain."""
    cached = core.layer_cache.get((domain, "counts"))
    if isinstance(cached, CachedCounts) and cached.position == position and monotonic() < cached.until:
        return cached.counts
    [counts] = await core.store.read(COUNTS, domain=domain)
    if not isinstance(core.background, IdleBackground):  # the data that a transaction reads may be rolled back
        core.layer_cache[domain, "counts"] = CachedCounts(counts, position, monotonic() + COUNTS_SECONDS)
    return counts


def _inherited_types(ontology: Ontology) -> dict[str, tuple[str, ...]] | None:
    """Return the names of the inherited types, grouped by the domain that defines them, or None."""
    names: dict[str, tuple[str, ...]] = {}
    own_subjects = {*map(subject_of_type, (*ontology.node_types, *ontology.connection_types))}
    for subject, inherited in ontology.above.items():
        if subject in own_subjects and can_read(inherited.domain):
            names[inherited.domain] = (*names.get(inherited.domain, ()), inherited.type.name)
    return names or None


async def domain_state(reader: Reader, domain: str) -> tuple[DomainState, int | None]:
    """Return the state of a domain, and the number of the event that set it, if any. Raises ONTOLOGY_NOT_FOUND."""
    event = await last_event(reader, domain, "domain")
    if event is not None:
        return DomainState.from_state(event.draft.state or {}), event.seq
    row = await reader.first_row(INFO, domain=domain)
    if row is None:
        raise no_ontology_error(domain)
    return DomainState(created=row.created), None


def _protection(row: InfoRow, now: datetime) -> DomainProtection | None:
    if row.protection is None:
        return None
    protection = parse_protection(row.protection)
    return DomainProtection(
        is_read_only=protection.is_active(now),
        last_modified_by=protection.locked_by,
        last_modified_at=protection.locked_at,
        protection_reason=protection.reason,
        expires_at=protection.expires_at,
        can_be_unprotected_by=protection.can_be_unprotected_by or None,
    )

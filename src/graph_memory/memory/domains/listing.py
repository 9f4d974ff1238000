"""Lists and counts of domains."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

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
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class DomainRow:
    """A domain with its ontology and the properties of its node."""

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
class CountedRow(DomainRow):
    """A domain with the node and connection counts of its live graph."""

    nodes: int
    connections: int
    content_bytes: int
    protection: str | None
    not_indexed: int
    without_vectors: int
    analyser: str | None
    metadata: str | None
    ontology_version: int
    branches: list[str]
    last_access: datetime | None


LIST = query("domains/list", DomainRow)
INFO = query("domains/info", CountedRow)


async def list_domains(core: Core, limit: int | None = None, cursor: str | None = None) -> Domains:
    """Return domains sorted by name, by default all."""
    page_size, after = check_limit(limit), check_cursor(cursor)
    maximum = page_size + 1 if CALLER.get() is None else UNLIMITED
    rows = await core.store.read(LIST, after=after, limit=maximum)
    rows = [row for row in rows if can_read(row.name)]
    page = rows[:page_size]
    return Domains(
        domains=tuple(map(_summary, page)),
        next_cursor=cursor_after(page[-1].name) if len(rows) > page_size else None,
    )


def _summary(row: DomainRow) -> DomainSummary:
    return DomainSummary(**_values(row))


def _values(row: DomainRow) -> dict[str, Any]:
    """Return the fields of a domain. Omits the names of domains that the caller may not read."""
    sources = {name: value for name in ("parent", "forked_from") if (value := getattr(row, name)) and can_read(value)}
    return (
        asdict(row)
        | {"parent": None, "forked_from": None}
        | sources
        | {"children": tuple(readable(row.children)) or None}
    )


async def domains_ahead(reader: Reader) -> list[DomainRow]:
    """Return the domains whose last change was stamped by a clock far ahead of this machine's."""
    now = utc_now()
    return [row for row in await reader.read(LIST, after="", limit=UNLIMITED) if row.modified - now > AHEAD]


async def domain_info(core: Core, domain: str) -> DomainInfo:
    """Return a domain with its node and connection counts. Raises ONTOLOGY_NOT_FOUND."""
    row = await core.store.first_row(INFO, domain=domain)
    if row is None:
        raise no_ontology(domain)
    ontology = await core.log.require_ontology(domain)
    last_access = core.accesses.last(domain)
    values: dict[str, Any] = _values(row)
    values |= {
        "analyser": None if row.analyser is None else analyser_of(row.analyser),
        "protection": _protection(row, utc_now()),
        "metadata": None if row.metadata is None else json.loads(row.metadata),
        "branches": tuple(readable(row.branches)) or None,
        "last_access": max(filter(None, (row.last_access, last_access)), default=None),
        "inherited_types": _inherited_types(ontology),
        "differing_types": tuple(declared.title for declared in redefined_types(ontology)) or None,
    }
    return DomainInfo(**values)


def _inherited_types(ontology: Ontology) -> dict[str, tuple[str, ...]] | None:
    """Return the inherited types by the parent domain that defines them."""
    names: dict[str, tuple[str, ...]] = {}
    own = {*map(subject_of_type, (*ontology.node_types, *ontology.connection_types))}
    for subject, inherited in ontology.above.items():
        if subject in own and can_read(inherited.domain):
            names[inherited.domain] = (*names.get(inherited.domain, ()), inherited.type.name)
    return names or None


async def domain_state(reader: Reader, domain: str) -> tuple[DomainState, int | None]:
    """Return the domain's state from the log, and the number of the event that set it. Raises ONTOLOGY_NOT_FOUND."""
    event = await last_event(reader, domain, "domain")
    if event is not None:
        return DomainState.from_state(event.draft.state or {}), event.seq
    row = await reader.first_row(INFO, domain=domain)
    if row is None:
        raise no_ontology(domain)
    return DomainState(created=row.created), None


def _protection(row: CountedRow, now: datetime) -> DomainProtection | None:
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

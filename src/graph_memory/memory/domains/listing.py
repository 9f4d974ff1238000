"""Domains: which there are, and how much is in them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.model.analysers import labelled
from graph_memory.model.clock import AHEAD
from graph_memory.model.protection import protection_from
from graph_memory.model.results import DomainInfo, DomainProtection, Domains, DomainSummary
from graph_memory.model.subjects import DomainState
from graph_memory.storage.log.ontologies import no_ontology
from graph_memory.storage.log.reads import last_event
from graph_memory.storage.log.writing import utc_now
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader


@dataclass(frozen=True, slots=True)
class DomainRow:
    """One domain, as its own node and its ontology tell."""

    name: str
    created: datetime
    modified: datetime
    events: int
    forked_from: str | None
    forked_at: int | None
    busy: str | None
    node_types: int
    connection_types: int


@dataclass(frozen=True, slots=True)
class CountedRow(DomainRow):
    """One domain with its live graph counted."""

    nodes: int
    connections: int
    protection: str | None
    not_indexed: int
    without_vectors: int
    analyser: str | None


LIST = query("domains/list", DomainRow)
INFO = query("domains/info", CountedRow)


async def list_domains(core: Core) -> Domains:
    """Return all domains, in the order of their names."""
    rows = await core.store.read(LIST)
    return Domains(domains=tuple(DomainSummary(**asdict(row)) for row in rows))


async def ahead(reader: Reader) -> list[DomainRow]:
    """Return the domains whose last change was stamped by a clock far ahead of this machine's."""
    now = utc_now()
    return [row for row in await reader.read(LIST) if row.modified - now > AHEAD]


async def domain_info(core: Core, domain: str) -> DomainInfo:
    """Return one domain with its nodes and connections counted. Raises ONTOLOGY_NOT_FOUND."""
    row = await core.store.one(INFO, domain=domain)
    if row is None:
        raise no_ontology(domain)
    counted = {name: value for name, value in asdict(row).items() if name != "protection"}
    counted["analyser"] = None if row.analyser is None else labelled(row.analyser)
    return DomainInfo(**counted, protection=_protection(row, utc_now()))


async def domain_state(reader: Reader, domain: str) -> tuple[DomainState, int | None]:
    """Return what the log says of the domain, and the number of the event that says so. Raises ONTOLOGY_NOT_FOUND."""
    event = await last_event(reader, domain, "domain")
    if event is not None:
        return DomainState.from_state(event.draft.state or {}), event.seq
    row = await reader.one(INFO, domain=domain)
    if row is None:
        raise no_ontology(domain)
    return DomainState(created=row.created), None


def _protection(row: CountedRow, now: datetime) -> DomainProtection | None:
    if row.protection is None:
        return None
    found = protection_from(row.protection)
    return DomainProtection(
        is_read_only=found.holds(now),
        last_modified_by=found.locked_by,
        last_modified_at=found.locked_at,
        protection_reason=found.reason,
        expires_at=found.expires_at,
        can_be_unprotected_by=found.can_be_unprotected_by or None,
    )

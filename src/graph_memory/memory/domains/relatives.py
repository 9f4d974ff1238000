"""Related domains: all domains that share a past, because one was branched from another."""

from __future__ import annotations

import json
from dataclasses import dataclass

from graph_memory.storage.log.jobs import READY, JobState, busy_error
from graph_memory.storage.queries import query
from graph_memory.storage.store import Reader

ERASING = "erasing"
COMPACTING = "compacting"
STATE = query("domains/state", JobState)


async def related_domains(reader: Reader, domain: str) -> list[str]:
    """Return the domain, all its direct and indirect sources, and all their branches, sorted by name."""
    branch_pairs = [{row.name, source_of(row)} for row in await reader.of(domain).read(BRANCHES)]
    related_names = {domain}
    while (
        new_names := {name for branch_pair in branch_pairs if branch_pair & related_names for name in branch_pair}
        - related_names
        - {None}
    ):
        related_names |= {name for name in new_names if name is not None}
    return sorted(related_names)


async def unfinished_branches(reader: Reader, domains: set[str]) -> list[str]:
    """Return the unfinished branches of these domains."""
    if not domains:
        return []
    rows = await reader.of(min(domains)).read(BRANCHES)  # relatives are in one database
    return [row.name for row in rows if row.forked_from is None and source_of(row) in domains]


async def check_is_ready(reader: Reader, domain: str) -> None:
    """Raise DOMAIN_BUSY while a job runs in a domain, or after it was interrupted."""
    row = await reader.first_row(STATE, domain=domain)
    if row is not None and row.state != READY:
        raise busy_error(domain, row.state, row.job)


async def check_past_is_kept(reader: Reader, domain: str) -> None:
    """Raise DOMAIN_BUSY while an erasure or compaction changes events of a domain."""
    row = await reader.first_row(STATE, domain=domain)
    if row is not None and row.state in (ERASING, COMPACTING):
        raise busy_error(domain, row.state, row.job)


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A finished or unfinished branch."""

    name: str
    forked_from: str | None
    job: str | None


BRANCHES = query("domains/branches", BranchRow)


async def branches_of(reader: Reader, domain: str) -> list[str]:
    """Return the names of a domain's finished and unfinished branches."""
    rows = await reader.of(domain).read(BRANCHES)
    return [row.name for row in rows if source_of(row) == domain]


def source_of(row: BranchRow) -> str | None:
    """Return the domain that a finished or unfinished branch was created from, or None if the row is not a branch."""
    return row.forked_from or (json.loads(row.job)["params"].get("source") if row.job else None)

"""Deletes a domain and everything in it, page by page."""

from __future__ import annotations

from datetime import UTC, datetime

from graph_memory.memory.core import Core
from graph_memory.memory.domains.relatives import branches_of
from graph_memory.model.domain_results import DomainDeletionResult
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.rights import Right, names_for_caller, require
from graph_memory.model.text.wording import join_names
from graph_memory.storage.log import jobs
from graph_memory.storage.log.jobs import DELETE_DOMAIN, Job
from graph_memory.storage.log.protection import DomainScope
from graph_memory.storage.log.tree import BELOW
from graph_memory.storage.queries import Query, query
from graph_memory.storage.store import Transaction

PAGE = 2_000
"""Maximum number of rows deleted in one transaction."""
DELETING = "deleting"

STAGES: dict[str, Query[int]] = {
    stage: query(f"domains/delete_{stage}", int)
    for stage in (
        "nodes",
        "observations",
        "links",
        "windows",
        "keys",
        "index",
        "passages",
        "names",
        "accesses",
        "events",
        "contents",
        "node_types",
        "connection_types",
    )
}


async def delete_domain(core: Core, domain: str) -> DomainDeletionResult:
    """Delete a domain and everything in it. See `Memory.delete_domain`."""
    with core.audit.act("delete_domain", domain, origin=core.origin):
        return await _delete_domain(core, domain)


async def _delete_domain(core: Core, domain: str) -> DomainDeletionResult:
    require(domain, Right.ADMIN)
    await _check_has_no_dependents(core, domain)
    job = await jobs.begin(
        core.store, domain, DELETING, {}, {}, origin=core.origin, reach=DomainScope.ALL, takes_over=True
    )
    if not job.is_resumed:
        try:
            await _check_has_no_dependents(core, domain)
        except GraphError:
            await job.withdraw()
            raise
    counts = dict.fromkeys(STAGES, 0)
    for stage, statement in STAGES.items():
        while deleted := await _delete_page(job, statement):
            counts[stage] += deleted
    blobs = await _delete_blobs(core, domain)

    async def end(transaction: Transaction) -> None:
        await transaction.run(DELETE_DOMAIN, domain=domain)

    await job.end(end)
    core.log.forget(domain)
    return DomainDeletionResult(
        domain=domain,
        nodes=counts["nodes"],
        events=counts["events"],
        blobs=blobs,
        resumed=job.is_resumed or None,
    )


async def _check_has_no_dependents(core: Core, domain: str) -> None:
    """Raise DOMAIN_HAS_BRANCHES or DOMAIN_HAS_CHILDREN if the domain has branches or child domains."""
    if names := names_for_caller(await branches_of(core.store, domain)):
        hint = f"Delete {join_names(names)} first, because their earlier history is in this domain."
        details = {"domain": domain, "branches": names, "hint": hint}
        raise GraphError(Code.DOMAIN_HAS_BRANCHES, f"Domain {domain} has branches: {join_names(names)}", details)
    rows = await core.store.read(BELOW, domains=[domain])
    if names := names_for_caller([name for row in rows for name in row.children]):
        hint = Hint("Delete {names} first", ", or move them with {update_domain}", ".", names=join_names(names))
        details = {"domain": domain, "children": names, "hint": hint}
        raise GraphError(Code.DOMAIN_HAS_CHILDREN, f"Domain {domain} has child domains: {join_names(names)}", details)


async def _delete_page(job: Job, statement: Query[int]) -> int:
    deleted = 0

    async def delete(transaction: Transaction) -> None:
        nonlocal deleted
        [deleted] = await transaction.run(statement, domain=job.domain, limit=PAGE)

    await job.step(job.with_progress(done=job.progress.done + PAGE), delete)
    return deleted


async def _delete_blobs(core: Core, domain: str) -> int | None:
    """Delete a domain's blobs and return their number, or None if another database may use them."""
    blobs = core.contents.blobs
    names = [blob.name for blob in await blobs.find_garbage(domain, frozenset(), datetime.max.replace(tzinfo=UTC))]
    if names and not await core.contents.owns_all_blobs():
        return None
    return sum([await blobs.delete(domain, name) for name in names])

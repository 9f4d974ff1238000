"""Deletes unreferenced blobs, which failed writes and crashes leave behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graph_memory.memory.core import Core
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import BlobCollectionResult, CollectedBlob
from graph_memory.storage.queries import query

HASHES = query("verify/content_hashes", str)


async def collect(core: Core, *, dry_run: bool, grace: float, now: datetime | None = None) -> BlobCollectionResult:
    """Delete blobs that are older than `grace` seconds and unreferenced. With `dry_run`, only list them.

    A blob is unreferenced if no event of its domain refers to it. The grace period protects concurrent writes, since a
    blob is stored before the event that refers to it. Raises STORE_CONFLICT if another database stores blobs at the
    same location, since it may need blobs that seem unreferenced.
    """
    await core.store.require_all()  # the blobs of a domain in a lost database would seem unreferenced
    before = (now or datetime.now(UTC)) - timedelta(seconds=grace)
    collected_blobs: list[CollectedBlob] = []
    domains = await core.contents.blobs.domains()
    if domains and not await core.contents.owns_all_blobs():
        message = f"The blobs at {core.contents.blobs.location} are also used by another database"
        hint = (
            "Connect to the database that stores its blobs here, or set GRAPH_MEMORY_BLOB_URL to a separate location "
            "for each database."
        )
        raise GraphError(Code.STORE_CONFLICT, message, {"hint": hint})
    for domain in domains:
        collected_blobs += await _collect_domain(core, domain, before, dry_run=dry_run)
    return BlobCollectionResult(dry_run=dry_run, blobs=tuple(collected_blobs))


async def _collect_domain(core: Core, domain: str, before: datetime, *, dry_run: bool) -> list[CollectedBlob]:
    blobs = core.contents.blobs
    referenced_hashes = set(await core.store.read(HASHES, domain=domain))
    return [
        CollectedBlob(domain=domain, name=blob.name, bytes=blob.size)
        for blob in await blobs.find_garbage(domain, referenced_hashes, before)
        if dry_run or await blobs.delete(domain, blob.name, before)
    ]

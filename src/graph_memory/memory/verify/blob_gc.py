"""Deletes unreferenced blobs, which failed writes and crashes leave behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graph_memory.memory.core import Core
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import BlobsCollected, CollectedBlob
from graph_memory.storage.queries import query

HASHES = query("verify/content_hashes", str)


async def collect(core: Core, *, dry_run: bool, grace: float, now: datetime | None = None) -> BlobsCollected:
    """Delete blobs older than `grace` seconds that no event of their domain refers to. With `dry_run`, only list them.

    The grace period protects concurrent writes, since a blob is stored before the event that refers to it. Raises
    STORE_CONFLICT if another database stores blobs there too, since it is then unknown which blobs are needed.
    """
    before = (now or datetime.now(UTC)) - timedelta(seconds=grace)
    collected: list[CollectedBlob] = []
    domains = await core.contents.blobs.domains()
    if domains and not await core.contents.blobs.is_claimed_by(core.contents.store):
        raise _not_ours(core.contents.blobs.location)
    for domain in domains:
        collected += await _collect_domain(core, domain, before, dry_run=dry_run)
    return BlobsCollected(dry_run=dry_run, blobs=tuple(collected))


async def _collect_domain(core: Core, domain: str, before: datetime, *, dry_run: bool) -> list[CollectedBlob]:
    blobs = core.contents.blobs
    referenced = set(await core.store.read(HASHES, domain=domain))
    return [
        CollectedBlob(domain=domain, name=blob.name, bytes=blob.size)
        for blob in await blobs.garbage(domain, referenced, before)
        if dry_run or await blobs.delete(domain, blob.name, before)
    ]


def _not_ours(location: str) -> GraphError:
    message = f"The blobs at {location} are also used by another database"
    hint = (
        "Connect to the database that stores its blobs here, or set GRAPH_MEMORY_BLOB_URL to a separate location for "
        "each database."
    )
    return GraphError(Code.STORE_CONFLICT, message, {"hint": hint})

"""`Upkeep`: keeping the graph, the log and the blobs in agreement. The work is done in the modules beside it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from graph_memory.memory.core import Core
from graph_memory.memory.drift import reconcile
from graph_memory.memory.drift.results import Reconciliation, Which
from graph_memory.memory.verify import blob_gc, verify
from graph_memory.model.results import BlobsCollected, Verification


class Upkeep:
    """Checks and repairs of a domain, and what is left over of contents. It is `Memory.upkeep`.

    The methods for a domain raise ONTOLOGY_NOT_FOUND for one that there is not, and DOMAIN_BUSY.
    """

    def __init__(self, core: Core, domain_of: Callable[[str | None], str]) -> None:
        self._core = core
        self._domain = domain_of

    async def verify(self, *, domain: str | None = None) -> Verification:
        """Replay a domain's log and name every point at which the live graph or its derived rows differ from it."""
        return await verify.verify(self._core, self._domain(domain))

    async def rebuild(self, *, domain: str | None = None) -> Verification:
        """Mend every difference that `verify` finds, and return those that were found."""
        return await verify.rebuild(self._core, self._domain(domain))

    async def reconcile(self, *, adopt: Which = (), restore: Which = (), domain: str | None = None) -> Reconciliation:
        """Tell what somebody changed in the live graph by hand; make that changes of the log, or put its state back.

        Give ids, or `all` for all that is not named for the other; twice, what cannot be adopted is restored. Adopting
        is one write with the checks of every other: what they refuse stays as it is, and is told with the reason. A
        node that is gone is adopted with its connections. Raises INVALID_ARGUMENT.
        """
        return await reconcile.reconcile(self._core, self._domain(domain), adopt, restore)

    async def collect_blobs(self, *, dry_run: bool, grace: float, now: datetime | None = None) -> BlobsCollected:
        """Delete blobs that nothing in any log refers to and that are older than `grace` seconds, or only list them.

        Raises CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return await blob_gc.collect(self._core, dry_run=dry_run, grace=grace, now=now)

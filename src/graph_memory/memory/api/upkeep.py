"""`Upkeep`: checks and repairs the graph, the log and the blobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory.memory.api.facade import Facade
from graph_memory.memory.drift import reconcile
from graph_memory.memory.drift.results import Reconciliation, Which
from graph_memory.memory.search.index import following, reindexing
from graph_memory.memory.search.index.backlog import Backlog, read_backlogs
from graph_memory.memory.search.index.coverage import Coverage, read_coverage
from graph_memory.memory.verify import blob_gc, verify
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.results import BlobCollectionResult, Verification
from graph_memory.progress import Progress, log_progress
from graph_memory.storage.schema import pending_steps


@dataclass(frozen=True, slots=True)
class Activity:
    """The number of open Neo4j sessions of a process, and the age of its last indexing round."""

    sessions: int
    """Number of open Neo4j sessions of this process."""
    follower_seconds: float | None
    """Seconds since background indexing last checked the logs for new events, or None before its first check."""


class Upkeep(Facade):
    """Checks and repairs of a domain, and removal of unused blobs. Use it as `Memory.upkeep`.

    The methods for a domain raise ONTOLOGY_NOT_FOUND if it does not exist, and DOMAIN_BUSY during a long operation.
    """

    def activity(self) -> Activity:
        """Return the current activity of this process, without querying Neo4j."""
        return Activity(self._core.store.sessions, self._core.background.seconds_since_round(following.NAME))

    async def check_ready(self) -> Sequence[Backlog]:
        """Check that Neo4j answers and its schema is current. Return the backlog of the search index for each domain.

        Raises STORE_UNAVAILABLE, TIMEOUT and STORE_INCOMPATIBLE.
        """
        if pending := await pending_steps(self._core.store):
            message = f"The database lacks schema version {pending[-1].version}"
            raise GraphError(Code.STORE_INCOMPATIBLE, message, {"hint": "Restart this server to add it."})
        return await read_backlogs(self._core.store)

    @property
    def unavailable_databases(self) -> Sequence[str]:
        """The names of the databases that could not be reached at the last attempt."""
        return self._core.store.unavailable

    async def announce_server(self, server: str) -> None:
        """Record that the server with this id runs on the database. Repeat it at least every 30 seconds.

        Raises STORE_CONFLICT if other servers store blobs in another location, CONTENT_READ_FAILED and
        FILE_CREATION_FAILED.
        """
        await self._core.servers.announce(self._core.store, self._core.contents.blobs, server)

    @property
    def has_other_servers(self) -> bool:
        """Whether other servers ran on the database when this server was last announced."""
        return self._core.servers.others > 0

    async def verify(self, *, domain: str | None = None) -> Verification:
        """Replay a domain's log, and return every difference from the live graph and its derived rows."""
        return await verify.verify(self._core, self._domain(domain))

    async def rebuild(self, *, domain: str | None = None) -> Verification:
        """Repair every difference that `verify` finds, and return the repaired differences."""
        return await verify.rebuild(self._core, self._domain(domain))

    async def reindex(
        self,
        *,
        anew: bool = True,
        model: bool = False,
        analyser: str | None = None,
        progress: Progress = log_progress,
        domain: str | None = None,
    ) -> Coverage:
        """Rebuild the search index and its vectors from the log, and return its coverage.

        By default, the call rebuilds all entries; otherwise, it only adds missing entries. `model` rebuilds only the
        vectors, with the model in the settings. `analyser` is the name of a Neo4j analyser: it rebuilds only the word
        index, which then uses this analyser to parse text. Repeat the call to resume an interrupted rebuild. Until the
        rebuild ends, searches use the existing entries. Raises INVALID_ARGUMENT if `analyser` is unknown.
        """
        domain_name = self._domain(domain)
        return await reindexing.reindex(
            self._core, domain_name, rebuild=anew, model=model, analyser=analyser, progress=progress
        )

    async def index_status(self, *, domain: str | None = None) -> Coverage:
        """Return the progress of the search index, and the number of missing entries."""
        return await read_coverage(self._core, self._domain(domain))

    async def reconcile(self, *, adopt: Which = (), restore: Which = (), domain: str | None = None) -> Reconciliation:
        """Return the changes that other programs made to the live graph, and adopt them into the log or undo them.

        Pass ids, or `"all"` for every change that is not in the other argument. If both are `"all"`, changes that
        cannot be adopted are undone. All adopted changes are one write with the usual checks. A change that fails the
        checks stays in the graph, and is returned with the reason. A deleted node is adopted with its connections.
        Raises INVALID_ARGUMENT if an id is unknown, or is in both arguments.
        """
        return await reconcile.reconcile(self._core, self._domain(domain), adopt, restore)

    async def collect_blobs(self, *, dry_run: bool, grace: float, now: datetime | None = None) -> BlobCollectionResult:
        """Delete blobs that are older than `grace` seconds and not referenced by any log.

        With `dry_run`, only list them. Raises CONTENT_READ_FAILED and FILE_CREATION_FAILED.
        """
        return await blob_gc.collect(self._core, dry_run=dry_run, grace=grace, now=now)

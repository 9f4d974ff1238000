"""Answers health checks. They need no key, and the answers contain nothing about domains."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from graph_memory.mcp_server.errors import mask_internal_errors
from graph_memory.mcp_server.startup import Startup
from graph_memory.model.errors import Code, GraphError

if TYPE_CHECKING:
    from graph_memory.memory.api.upkeep import Activity, Upkeep

CHECK_SECONDS = 5.0
"""Maximum time in seconds for a readiness check."""
TRUSTED_SECONDS = 1.0
"""Time in seconds for which a readiness check's result is reused, so that frequent checks do not load Neo4j."""
ANNOUNCE_SECONDS = 10.0
"""Time in seconds between two checks by the server itself. Each check announces to other servers that this server is
running."""
OPENING_SECONDS = 0.5
"""Time in seconds between two checks by the server itself while the memory is being opened."""

_BLOB_ERRORS = (Code.STORE_CONFLICT, Code.FILE_CREATION_FAILED, Code.CONTENT_READ_FAILED)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Readiness:
    """The result of a readiness check."""

    reason: Code | None = None
    """The error code that explains why the server is not ready. The message is omitted, because it may contain hosts or
    paths."""
    events_not_indexed: int = 0
    passages_without_vectors: int = 0
    events_skipped: int = 0
    """Number of events that search could not index."""
    databases_unavailable: int = 0
    """Number of databases, other than the home database, that cannot be reached. The other domains can be used."""

    @property
    def is_ready(self) -> bool:
        """Whether the server can serve calls."""
        return self.reason is None

    def to_response(self) -> JSONResponse:
        """Return the response to a check: 200 if the server is ready, otherwise 503 with the reason."""
        if self.is_ready:
            lost = {"databases_unavailable": self.databases_unavailable} if self.databases_unavailable else {}
            return JSONResponse({"status": "ready", "events_not_indexed": self.events_not_indexed, **lost})
        return JSONResponse({"status": "not ready", "reason": self.reason}, 503)


class Health:
    """The liveness and readiness checks of a server."""

    def __init__(self, server: str | None = None) -> None:
        """Create the checks. `server` is the id under which other servers on the database see this server, or None."""
        self._server = server
        self._startup: Startup | None = None
        self._check_lock = anyio.Lock()
        self._last_check = float("-inf")
        self._readiness = Readiness(Code.STARTING)

    def attach(self, startup: Startup) -> None:
        """Start checking the memory of this server, at regular intervals if the server has an id."""
        self._startup = startup
        if self._server is not None:
            startup.start_task(self._check_regularly)

    async def _check_regularly(self) -> None:
        while True:
            is_opening = (await self.readiness()).reason is Code.STARTING
            await anyio.sleep(OPENING_SECONDS if is_opening else ANNOUNCE_SECONDS)

    def routes(self) -> list[Route]:
        """Return the routes of the checks."""
        endpoints = {
            "/health": _answer_ok,
            "/health/live": _answer_ok,
            "/health/ready": self._answer_readiness,
            "/version": _answer_version,
        }
        return [Route(path, endpoint, methods=["GET"]) for path, endpoint in endpoints.items()]

    async def _answer_readiness(self, _request: Request) -> JSONResponse:
        return (await self.readiness()).to_response()

    async def readiness(self) -> Readiness:
        """Return whether Neo4j answers, its schema is current, and all servers use the same blob folder.

        The result may be up to a second old.
        """
        async with self._check_lock:
            if monotonic() >= self._last_check + TRUSTED_SECONDS:
                self._readiness = await self._check()
                self._last_check = monotonic()
        return self._readiness

    def activity(self) -> Activity | None:
        """Return the activity of this process, or None if its memory is not open."""
        try:
            return None if self._startup is None else self._startup.present_memory().upkeep.activity()
        except GraphError:
            return None

    async def _check(self) -> Readiness:
        if self._startup is None:
            return Readiness(Code.STARTING)
        try:
            with anyio.fail_after(CHECK_SECONDS), mask_internal_errors():
                upkeep = self._startup.present_memory().upkeep
                domains = await upkeep.check_ready()
                if self._server is not None:
                    await self._announce(upkeep, self._server)
                return Readiness(
                    events_not_indexed=sum(domain.not_indexed for domain in domains),
                    passages_without_vectors=sum(domain.without_vectors for domain in domains),
                    events_skipped=sum(len(domain.skipped) for domain in domains),
                    databases_unavailable=len(upkeep.unavailable_databases),
                )
        except TimeoutError:
            return Readiness(Code.TIMEOUT)
        except GraphError as error:
            _log.info("Not ready: %s", error)
            return Readiness(error.code)

    async def _announce(self, upkeep: Upkeep, server: str) -> None:
        """Announce this server. If Neo4j can temporarily read but not write, the server stays ready."""
        try:
            await upkeep.announce_server(server)
        except GraphError as error:
            if error.code in _BLOB_ERRORS:
                raise
            _log.info("Not announced: %s", error)


async def _answer_ok(_request: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


async def _answer_version(_request: Request) -> JSONResponse:
    schema = await anyio.to_thread.run_sync(_schema_version)
    return JSONResponse({"name": "graph-memory", "version": version("graph-memory"), "schema_version": schema})


def _schema_version() -> int:
    from graph_memory.app import schema_version  # imports the driver, which is slow

    return schema_version()

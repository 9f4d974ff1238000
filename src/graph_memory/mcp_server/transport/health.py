"""Answers health checks. No check needs a key, and no answer says anything about domains."""

from __future__ import annotations

import logging
from importlib.metadata import version
from time import monotonic

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from graph_memory.mcp_server.errors import masking
from graph_memory.mcp_server.startup import Startup
from graph_memory.model.errors import Code, GraphError

CHECK_SECONDS = 5.0
"""Time limit of a readiness check."""
TRUSTED_SECONDS = 1.0
"""Time for which the result of a readiness check is reused, so that frequent checks do not load Neo4j."""

_log = logging.getLogger(__name__)


class Health:
    """The health checks of a server."""

    def __init__(self) -> None:
        self._startup: Startup | None = None
        self._checking = anyio.Lock()
        self._checked_at = float("-inf")
        self._ready = 0, dict[str, object]()

    def attach(self, startup: Startup) -> None:
        """Use the memory of the running server."""
        self._startup = startup

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
        """Answer with 200 if Neo4j answers and its schema is current, otherwise with 503 and the reason."""
        async with self._checking:
            if monotonic() >= self._checked_at + TRUSTED_SECONDS:
                self._ready = await self._check()
                self._checked_at = monotonic()
        status, content = self._ready
        return JSONResponse(content, status)

    async def _check(self) -> tuple[int, dict[str, object]]:
        if self._startup is None:
            return _not_ready(Code.STARTING)
        try:
            with anyio.fail_after(CHECK_SECONDS), masking():
                events_behind = await self._startup.opened().upkeep.check_ready()
        except TimeoutError:
            return _not_ready(Code.TIMEOUT)
        except GraphError as error:
            _log.info("Not ready: %s", error)
            return _not_ready(error.code)
        return 200, {"status": "ready", "events_not_indexed": events_behind}


def _not_ready(code: Code) -> tuple[int, dict[str, object]]:
    """Return a response without the message of the error, which may name hosts or paths of the machine."""
    return 503, {"status": "not ready", "reason": str(code)}


async def _answer_ok(_request: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"})


async def _answer_version(_request: Request) -> JSONResponse:
    schema = await anyio.to_thread.run_sync(_schema_version)
    return JSONResponse({"name": "graph-memory", "version": version("graph-memory"), "schema_version": schema})


def _schema_version() -> int:
    from graph_memory.app import schema_version  # imports the driver, which takes long

    return schema_version()

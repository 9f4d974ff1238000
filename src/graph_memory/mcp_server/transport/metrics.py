"""Serves metrics in the text format of Prometheus. Labels never contain the name of a domain, key or client."""

from __future__ import annotations

import math
from collections.abc import Collection

import anyio.to_thread
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from graph_memory.hooks.spool import Spool
from graph_memory.mcp_server.access import KeyToken
from graph_memory.mcp_server.control import CallControl, FinishedCall
from graph_memory.mcp_server.transport.health import Health
from graph_memory.model.rights import Right

PATH = "/metrics"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds in seconds of the buckets for durations."""


class Metrics:
    """The metrics of a server's calls, connections, readiness, search index and spool."""

    def __init__(self, control: CallControl, health: Health, spool: Spool) -> None:
        self._health = health
        self._registry = CollectorRegistry()
        self._calls = Counter(
            "graph_memory_calls", "Finished calls.", ["operation", "outcome"], registry=self._registry
        )
        self._seconds = Histogram(
            "graph_memory_call_duration_seconds", "Durations of calls.", ["operation"], buckets=BUCKETS,
            registry=self._registry,
        )  # fmt: skip
        self._gauge("calls_in_progress", "Calls that have begun, including the ones that wait.").set_function(
            lambda: control.in_progress
        )
        self._gauge("calls_waiting", "Calls that wait for their turn.").set_function(lambda: control.waiting)
        self._connections = self._gauge("connections", "Open connections of clients.")
        self._spool = spool
        self._spooled = self._gauge("spooled_events", "Captured events that wait to be stored.")
        self._spooled_bytes = self._gauge("spooled_bytes", "Bytes of the captured events that wait to be stored.")
        self._sessions = self._gauge("neo4j_sessions", "Open sessions with Neo4j, each with up to one connection.")
        self._follower = self._gauge(
            "log_follower_seconds", "Seconds since the search index last checked the logs. NaN: not yet."
        )
        self._ready = self._gauge("ready", "Whether the server is ready: 1 or 0.")
        self._not_indexed = self._gauge("events_not_indexed", "Events that search has not indexed yet.")
        self._without_vectors = self._gauge("passages_without_vectors", "Passages that have no vectors yet.")
        self._skipped = self._gauge("events_skipped", "Events that search could not index.")
        ProcessCollector(registry=self._registry)
        control.observers.append(self._observe)

    def count_connections(self, connections: Collection[object]) -> None:
        """Report the collection's size as the number of connections."""
        self._connections.set_function(lambda: len(connections))

    def route(self) -> Route:
        """Return the route of the metrics."""
        return Route(PATH, self._answer, methods=["GET"])

    def _gauge(self, name: str, description: str) -> Gauge:
        return Gauge(f"graph_memory_{name}", description, registry=self._registry)

    def _observe(self, call: FinishedCall) -> None:
        self._calls.labels(call.operation, call.outcome).inc()
        self._seconds.labels(call.operation).observe(call.seconds)

    def _render(self) -> bytes:
        """Return all metrics as text, with the spool's current size."""
        events, size = self._spool.size()
        self._spooled.set(events)
        self._spooled_bytes.set(size)
        return generate_latest(self._registry)

    async def _answer(self, request: Request) -> Response:
        """Answer with the metrics, or with 403 if the caller may not read any domain."""
        token = getattr(request.scope.get("user"), "access_token", None)
        if isinstance(token, KeyToken) and not token.principal.allows_somewhere(Right.READ):
            return PlainTextResponse("This key has no right to read a domain", 403)
        readiness = await self._health.readiness()
        self._ready.set(readiness.is_ready)
        self._not_indexed.set(readiness.events_not_indexed)
        self._without_vectors.set(readiness.passages_without_vectors)
        self._skipped.set(readiness.events_skipped)
        activity = self._health.activity()
        self._sessions.set(0 if activity is None else activity.sessions)
        follower_seconds = None if activity is None else activity.follower_seconds
        self._follower.set(math.nan if follower_seconds is None else follower_seconds)
        text = await anyio.to_thread.run_sync(self._render)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

"""Health checks without a database."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, cast

import anyio
import pytest
from starlette.requests import Request

from graph_memory.mcp_server.startup import Startup
from graph_memory.mcp_server.transport import health
from graph_memory.mcp_server.transport.authentication import OPEN_PATHS
from graph_memory.mcp_server.transport.health import Health
from graph_memory.memory.api.upkeep import Activity
from graph_memory.memory.search.index.backlog import Backlog
from graph_memory.model.errors import Code, GraphError

pytestmark = pytest.mark.anyio
BACKLOG = [Backlog("kitchen", 1, 5, [7]), Backlog("garden", 2, 0, [])]
WRONG_PASSWORD = GraphError(Code.STORE_UNAVAILABLE, "bolt://10.0.0.7 refused the password of domain kitchen")


class FakeStartup:
    """A memory that is open, and whose check returns or raises."""

    def __init__(self, outcome: Sequence[Backlog] | GraphError | None) -> None:
        self.outcome = outcome
        self.checks = 0
        self.announced: list[str] = []
        self.unavailable_databases: Sequence[str] = ()
        self.announce_error: GraphError | None = None
        self.tasks: list[Callable[[], Coroutine[None, None, None]]] = []

    def present_memory(self) -> FakeStartup:
        return self

    @property
    def upkeep(self) -> FakeStartup:
        return self

    def start_task(self, work: Callable[[], Coroutine[None, None, None]]) -> None:
        self.tasks.append(work)

    async def announce_server(self, server: str) -> None:
        self.announced.append(server)
        if self.announce_error is not None:
            raise self.announce_error

    async def check_ready(self) -> Sequence[Backlog]:
        self.checks += 1
        if isinstance(self.outcome, GraphError):
            raise self.outcome
        if self.outcome is None:
            await anyio.sleep_forever()
        return self.outcome

    def activity(self) -> Activity:
        return Activity(sessions=2, follower_seconds=1.5)


async def answer(checks: Health, path: str = "/health/ready") -> tuple[int, Any]:
    [route] = [route for route in checks.routes() if route.path == path]
    endpoint = cast("Callable[[Request], Awaitable[Any]]", route.endpoint)
    response = await endpoint(Request({"type": "http"}))
    return response.status_code, json.loads(response.body)


def checks_of(startup: FakeStartup, server: str | None = None) -> Health:
    checks = Health(server)
    checks.attach(cast("Startup", startup))
    return checks


async def test_a_server_is_ready_if_its_memory_is():
    assert await answer(checks_of(FakeStartup(BACKLOG))) == (200, {"status": "ready", "events_not_indexed": 3})


async def test_a_server_that_is_not_ready_says_why_without_details(monkeypatch: pytest.MonkeyPatch):
    assert await answer(Health()) == (503, {"status": "not ready", "reason": "STARTING"})
    failed = await answer(checks_of(FakeStartup(WRONG_PASSWORD)))
    assert failed == (503, {"status": "not ready", "reason": "STORE_UNAVAILABLE"})
    monkeypatch.setattr(health, "CHECK_SECONDS", 0.01)
    assert await answer(checks_of(FakeStartup(None))) == (503, {"status": "not ready", "reason": "TIMEOUT"})


async def test_a_server_whose_blobs_are_elsewhere_is_not_ready():
    startup = FakeStartup(())
    startup.announce_error = GraphError(Code.STORE_CONFLICT, "Other servers do not store their blobs at /memory/blobs")
    checks = checks_of(startup, "here:8848")
    assert await answer(checks) == (503, {"status": "not ready", "reason": "STORE_CONFLICT"})
    assert startup.announced == ["here:8848"]


async def test_a_server_whose_database_cannot_write_stays_ready():
    startup = FakeStartup(())
    startup.announce_error = GraphError(Code.STORE_UNAVAILABLE, "The disk of Neo4j is full")
    assert (await answer(checks_of(startup, "here:8848")))[0] == 200


async def test_a_server_announces_itself_again_and_again_without_being_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(health, "TRUSTED_SECONDS", 0.0)
    monkeypatch.setattr(health, "ANNOUNCE_SECONDS", 0.01)
    startup = FakeStartup(())
    checks_of(startup, "here:8848")
    [announce] = startup.tasks
    with anyio.move_on_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(announce)
            while len(startup.announced) < 3:  # noqa: ASYNC110 - another task does it
                await anyio.sleep(0.01)
            tasks.cancel_scope.cancel()
    assert startup.announced[:3] == ["here:8848"] * 3


async def test_a_server_on_a_database_of_its_own_announces_nothing():
    startup = FakeStartup(())
    assert (await answer(checks_of(startup)))[0] == 200
    assert (startup.announced, startup.tasks) == ([], [])


async def test_many_checks_at_once_ask_the_database_once():
    startup = FakeStartup([])
    checks = checks_of(startup)
    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(answer, checks)
    assert startup.checks == 1


async def test_no_health_check_needs_a_key():
    assert {route.path for route in Health().routes()} == OPEN_PATHS

"""Replicas behind a balancer, killed again and again: nothing acknowledged is lost, and nothing is made twice.

`REPLICA_CALLS=1000 pytest -s` on this file is the long run, and prints what it counted.
"""

from __future__ import annotations

import base64
import json
import os
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import anyio.to_thread
import httpx2
import pytest
from neo4j import Driver

from acceptance.agents import ToolError, over_http
from graph_memory import Memory, Settings, ontology_from
from graph_memory.memory.search.index.following import LEASE_MILLISECONDS
from graph_memory.model.errors import Code
from lifecycle.concurrency.replicas import Replica, RoundRobin, run_replicas

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(600)]

CALLS = int(os.environ.get("REPLICA_CALLS") or 300)
CLIENTS = 4
REPLICAS = 3
CALLS_PER_KILL = 75
KILLS = CALLS // CALLS_PER_KILL
IGNORED = 0.2
"""Share of the acknowledged writes that are repeated at the next replica."""
SEED = int(os.environ.get("SEED") or 0) or random.SystemRandom().randrange(10**6)
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def replicas(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Replica]]:
    folder = tmp_path_factory.mktemp("replicas")
    with run_replicas(settings, folder, [str(folder / "blobs")] * REPLICAS) as replicas:
        yield replicas


@pytest.fixture
async def key(memory: Memory, domain: str) -> AsyncIterator[str]:
    await memory.create_ontology(ontology_from({"node_types": ["Note", "Counter"]}))
    name = f"replicas-{uuid4().hex[:12]}"
    yield (await memory.keys.create(name, domains=[f"{domain}=admin"])).key
    await memory.keys.revoke(name)


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=60) as client:
        yield client


class Worker:
    """A client that writes notes and counts, and reads what it wrote at the next replica."""

    def __init__(self, client: RoundRobin, name: str, counter: str) -> None:
        self.client = client
        self.name = name
        self.counter = counter
        self.rng = random.Random(f"{SEED} {name}")
        self.notes: dict[str, str] = {}
        """The ids of acknowledged notes, by their words."""
        self.counted = 0
        self.calls = 0
        self.repeated = 0
        """Number of writes that were repeated at another replica after they were acknowledged."""

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call(tool, **arguments)
        self.calls += 1
        return result

    async def write(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Make an operation once, however often its answer is lost. Some answers are ignored, as if they were lost."""
        batch = {"operations": [operation], "idempotency_key": uuid4().hex}
        result = await self.call("execute_batch", **batch)
        if self.rng.random() < IGNORED:
            again = await self.call("execute_batch", **batch)
            assert again == {**result, "repeated": True}
            self.repeated += 1
        return result["results"][0]

    async def create(self) -> None:
        word = f"{self.name}n{len(self.notes)}zq"
        written = await self.write({"op": "create_node", "type": "Note", "content": word})
        self.notes[word] = written["id"]
        await self.read(word)

    async def read(self, word: str) -> None:
        before = self.client.last
        node = await self.call("get_node_content", node_id=self.notes[word])
        assert node["content"] == word
        assert self.client.last is not before or self.client.lost

    async def search(self) -> None:
        word = self.rng.choice(list(self.notes))
        assert (await self.call("search_content", query=word))["node_ids"] == [self.notes[word]]

    async def count(self) -> None:
        """Add one to the common counter, once. Start again whenever another client was faster."""
        while True:
            node = await self.call("get_node", node_id=self.counter)
            count = {"properties": {"count": node["properties"]["count"] + 1}, "expected_version": node["version"]}
            try:
                await self.write({"op": "update_node", "node_id": self.counter, **count})
            except ToolError as error:
                if [fault["code"] for fault in error.details["faults"]] != [Code.VERSION_CONFLICT]:
                    raise
                continue
            self.counted += 1
            return

    async def work(self, are_killed: anyio.Event) -> None:
        while self.calls < CALLS // CLIENTS or not are_killed.is_set():
            acts = [self.create, self.create, self.count, self.search] if self.notes else [self.create]
            await self.rng.choice(acts)()


async def kill_often(replicas: list[Replica], workers: list[Worker]) -> None:
    """Kill a replica after some calls, and start it again, until each number of calls had its kill."""
    rng = random.Random(SEED)
    for number in range(KILLS):
        while sum(worker.calls for worker in workers) < number * CALLS_PER_KILL + 10:  # noqa: ASYNC110 - others count
            await anyio.sleep(0.01)
        replica = rng.choice(replicas)
        await anyio.to_thread.run_sync(replica.kill)
        await anyio.sleep(0.3)
        await anyio.to_thread.run_sync(replica.start)


class Leases:
    """The leases of the log follower during a run: by number, the holders and the first and last end of the lease."""

    def __init__(self, driver: Driver, domain: str) -> None:
        self._driver = driver
        self._domain = domain
        self.holders: dict[int, set[str]] = {}
        self.ends: dict[int, tuple[int, int]] = {}

    async def watch(self) -> None:
        while True:
            await anyio.to_thread.run_sync(self._note)
            await anyio.sleep(0.1)

    def _note(self) -> None:
        statement = (
            "MATCH (i:_Index {_domain: $domain}) WHERE i._lease > 0 RETURN i._lease, i._leased_by, i._leased_until"
        )
        for lease, holder, end in self._driver.execute_query(statement, domain=self._domain).records:
            self.holders.setdefault(lease, set()).add(holder)
            self.ends[lease] = (self.ends.get(lease, (end, end))[0], end)

    def check(self) -> None:
        """Assert that each lease had one holder, and that none began before the one before had ended."""
        assert self.holders
        assert all(len(holders) == 1 for holders in self.holders.values())
        for lease, (first, _) in self.ends.items():
            if lease - 1 in self.ends:
                assert first - LEASE_MILLISECONDS >= self.ends[lease - 1][1]


async def test_replicas_that_are_killed_lose_nothing_and_make_nothing_twice(
    replicas: list[Replica], key: str, memory: Memory, domain: str, http: httpx2.AsyncClient, driver: Driver
):
    leases = Leases(driver, domain)
    counter = (await memory.create_node("Counter", "", properties={"count": 0})).node_id
    workers = [
        Worker(RoundRobin(http, replicas[number % 2 :] + replicas[: number % 2], key, domain), f"w{number}", counter)
        for number in range(CLIENTS)
    ]
    are_killed = anyio.Event()
    async with anyio.create_task_group() as watching:
        watching.start_soon(leases.watch)
        async with anyio.create_task_group() as tasks:
            for worker in workers:
                tasks.start_soon(worker.work, are_killed)
            await kill_often(replicas, workers)
            are_killed.set()
        watching.cancel_scope.cancel()
    leases.check()
    counts = Counter[str]()
    for worker in workers:
        counts.update(calls=worker.calls, lost=worker.client.lost, repeated=worker.repeated, counted=worker.counted)
    print(f"seed {SEED}: {KILLS} kills, {dict(counts)}, {len(leases.holders)} leases")  # noqa: T201
    notes = [note for worker in workers for note in worker.notes.values()]
    assert sorted((await memory.query_nodes(type="Note", limit=1_000)).node_ids) == sorted(notes)
    assert (await memory.get_node(counter)).properties["count"] == counts["counted"]
    assert (await memory.upkeep.verify()).differences == ()


async def test_content_that_one_replica_wrote_is_read_by_another(
    replicas: list[Replica], key: str, domain: str, http: httpx2.AsyncClient
):
    first, second, *_ = replicas
    client = RoundRobin(http, replicas, key, domain)
    content = base64.b64encode(random.Random(SEED).randbytes(5 * MIB)).decode()
    node = await client.call_at(first, "create_node", type="Note", content=content, encoding="base64", format="bin")
    read = await client.call_at(second, "get_node_content", node_id=node["node_id"])
    assert read["content"] == content


async def test_state_of_a_session_is_refused_where_its_next_call_may_reach_another_replica(
    replicas: list[Replica], key: str, domain: str, http: httpx2.AsyncClient
):
    for replica in replicas:
        replica.wait_until(200)
    for session in ("kitchen", None):
        client = RoundRobin(http, replicas, key, domain, session)
        for call in (
            ("working_memory", {"action": "set", "key": "goal", "value": "tea"}),
            ("select_domain", {"name": domain}),
        ):
            with pytest.raises(ToolError, match="several servers share this memory") as caught:
                await client.call_at(replicas[0], call[0], **call[1])
            assert caught.value.code is Code.INVALID_ARGUMENT
            assert "Pass the domain in each call" in caught.value.details["hint"]


async def test_a_session_of_the_protocol_stays_with_its_replica(replicas: list[Replica], key: str, domain: str):
    first, second, *_ = replicas
    ids: list[str] = []

    async def note(response: httpx2.Response) -> None:
        ids.extend(response.headers.get_list("Mcp-Session-Id"))

    headers = {"Authorization": f"Bearer {key}"}
    async with over_http(f"{first.url}/mcp", domain, "legacy", headers, note) as agent:
        await agent.call("working_memory", action="set", key="goal", value="tea")
        assert (await agent.call("working_memory", action="get"))["goal"] == "tea"
        accept = {"Accept": "application/json, text/event-stream", "Mcp-Session-Id": ids[0]}
        async with httpx2.AsyncClient(headers=headers | accept) as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            moved = await http.post(f"{second.url}/mcp", json=body)
    assert (moved.status_code, "Session not found" in moved.text) == (404, True)


def test_a_replica_whose_blobs_are_elsewhere_is_not_ready(replicas: list[Replica], settings: Settings, tmp_path: Path):
    for replica in replicas:
        replica.wait_until(200)
    with run_replicas(settings, tmp_path, [str(tmp_path / "elsewhere")]) as [other]:
        assert json.loads(other.wait_until(503, b"STORE_CONFLICT")) == {
            "status": "not ready",
            "reason": "STORE_CONFLICT",
        }
        assert [replica.readiness()[0] for replica in replicas] == [200] * REPLICAS

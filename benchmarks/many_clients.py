"""Many clients of one server over HTTP, most of them with one key: what is answered, how soon, and how fairly."""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass, field
from statistics import median, quantiles

import anyio
import httpx2
import psutil

from benchmarks.graph import ONTOLOGY, fresh, say, text_of
from benchmarks.report import table
from benchmarks.servers import listening
from graph_memory import Memory, Settings

CLIENTS = int(os.environ.get("CLIENTS", "500"))
CALLS = 20
"""Calls of each client, one after the other: in turn a search, a read, and every fifth call a write."""
BIG, SMALL = "big", "small"
SHARE = 0.9
"""The share of the clients that have the key `big`."""
_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class Outcome:
    """The answers of all clients."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {BIG: [], SMALL: []})
    """Durations of answered calls, with their repetitions, by key."""
    overloaded: Counter[str] = field(default_factory=Counter[str])
    """Answers that asked for a repetition, by key."""
    written: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Client:
    """A client without a session."""

    http: httpx2.AsyncClient
    url: str
    secret: str
    domain: str

    async def call(self, tool: str, arguments: dict[str, object]) -> dict[str, object]:
        """Return the result of a call."""
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
            "Authorization": f"Bearer {self.secret}",
        }
        params = {"name": tool, "arguments": {**arguments, "domain": self.domain}, "_meta": _META}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        response = await self.http.post(self.url, json=body, headers=headers)
        response.raise_for_status()
        return response.json()["result"]


async def many_clients(memory: Memory, settings: Settings) -> str:
    """Return a table of the durations by key, and lines on what was lost and on the memory of the server."""
    say(f"{CLIENTS} clients over HTTP")
    domain = fresh("clients-")
    home = memory.in_domain(domain)
    await home.create_ontology(ONTOLOGY)
    node = (await home.create_node("Thing", text_of(1))).node_id
    names = {key: fresh(f"{key}-") for key in (BIG, SMALL)}
    secrets = {key: (await memory.keys.create(name, domains=[f"{domain}=write"])).key for key, name in names.items()}
    outcome = Outcome()
    try:
        with listening(settings, "--auth", "keys") as (process, url):
            server = psutil.Process(process.pid)
            await _call_all(1, url, secrets, domain, node, Outcome())  # imports, and plans of the statements
            before, start = _mebibytes(server), time.perf_counter()
            await _call_all(CLIENTS, url, secrets, domain, node, outcome)
            elapsed, after = time.perf_counter() - start, _mebibytes(server)
    finally:
        for name in names.values():
            await memory.keys.revoke(name)
    stored = await home.query_nodes(type="Thing", limit=10_000)
    lost = set(outcome.written).difference(stored.node_ids)
    return _report(outcome, elapsed, len(lost), len(stored.node_ids) - 1 - CALLS // 5, (before, after))


async def _call_all(clients: int, url: str, secrets: dict[str, str], domain: str, node: str, outcome: Outcome) -> None:
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=clients)
    async with httpx2.AsyncClient(timeout=300, limits=limits) as http, anyio.create_task_group() as tasks:
        for number in range(clients):
            key = BIG if number < SHARE * clients else SMALL
            tasks.start_soon(_client, Client(http, url, secrets[key], domain), key, node, number, outcome)


async def _client(client: Client, key: str, node: str, number: int, outcome: Outcome) -> None:
    for place in range(CALLS):
        tool, arguments = _call(node, number, place)
        start = time.perf_counter()
        while True:
            try:
                result = await client.call(tool, arguments)
            except httpx2.HTTPError as error:
                outcome.failed.append(type(error).__name__)
                break
            content = result["structuredContent"]
            assert isinstance(content, dict)
            if not result.get("isError"):
                outcome.seconds[key].append(time.perf_counter() - start)
                if tool == "create_node":
                    outcome.written.append(str(content["node_id"]))
                break
            if content["code"] != "OVERLOADED":
                outcome.failed.append(str(content["code"]))
                break
            outcome.overloaded[key] += 1
            await anyio.sleep(float(content["details"]["retry_after"]))


def _call(node: str, number: int, place: int) -> tuple[str, dict[str, object]]:
    if place % 5 == 0:
        return "create_node", {"type": "Thing", "content": f"Written by client {number} in its call {place}."}
    if place % 2:
        return "get_node", {"node_id": node}
    return "search_content", {"query": f"client {number}", "limit": 5}


def _report(outcome: Outcome, elapsed: float, lost: int, stored: int, memory: tuple[float, float]) -> str:
    rows: list[tuple[object, ...]] = []
    for key, seconds in outcome.seconds.items():
        p50, p99 = 1_000 * median(seconds), 1_000 * quantiles(seconds, n=100)[-1]
        rows.append((key, len(seconds), f"{p50:,.0f}", f"{p99:,.0f}", outcome.overloaded[key]))
    heading = ("key", "answered calls", "p50", "p99", "OVERLOADED")
    lines = [
        f"{CLIENTS} clients, {CALLS} calls each, {SHARE:.0%} of the clients with one key: {elapsed:.0f} s",
        f"failed: {dict(Counter(outcome.failed)) or 0}",
        f"writes acknowledged: {len(outcome.written):,}; lost: {lost}; stored: {stored:,}",
        f"memory of the server before and after: {memory[0]:.0f} MiB, {memory[1]:.0f} MiB",
    ]
    return f"## Many clients\n\n{table(heading, rows)}\n" + "".join(f"- {line}\n" for line in lines)


def _mebibytes(process: psutil.Process) -> float:
    return process.memory_info().rss / 2**20

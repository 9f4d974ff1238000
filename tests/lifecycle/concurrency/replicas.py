"""Replicas of the server on one Neo4j, and a client whose requests go to them in turn."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import anyio
import httpx2

from acceptance.agents import COMMAND, ToolError, environment_of
from container.images import address_of
from graph_memory import Settings
from graph_memory.mcp_server.callers import SESSION
from graph_memory.model.errors import Code

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
TRY_AGAIN = (Code.STARTING, Code.STORE_UNAVAILABLE, Code.OVERLOADED)
"""Codes of calls that changed nothing, because the replica was not ready."""


class Replica:
    """A server process with a home of its own, which can be killed and started again at the same port."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        self._environment = environment
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def start(self) -> None:
        """Start the process, and return once it listens."""
        begun = self._log.stat().st_size if self._log.exists() else 0
        with self._log.open("ab") as log:
            command = [COMMAND, "serve", "--auth", "keys", "--port", str(self.port), "--toolsets", "all"]
            self._process = subprocess.Popen(command, env=os.environ | dict(self._environment), stderr=log)
        while b"Serving MCP at" not in (text := self._log.read_bytes()[begun:]):
            assert self._process.poll() is None, text
            time.sleep(0.05)
        self.port = int(text.partition(b"/mcp")[0].rpartition(b":")[2])

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        assert self._process
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the process, and wait for its end."""
        assert self._process
        self._process.kill()
        self._process.wait()

    @property
    def url(self) -> str:
        """The URL of the server."""
        return f"http://127.0.0.1:{self.port}"

    def readiness(self) -> tuple[int, bytes]:
        """Return the status and the body of a readiness check; status 0 if it does not answer."""
        try:
            with urlopen(f"{self.url}/health/ready", timeout=5) as response:
                return response.status, response.read()
        except URLError as error:
            return getattr(error, "code", 0), error.read() if hasattr(error, "read") else b""

    def wait_until(self, status: int, text: bytes = b"") -> bytes:
        """Wait until a readiness check answers with the status and a body with the text, and return the body."""
        until = time.monotonic() + 60
        while (answer := self.readiness())[0] != status or text not in answer[1]:
            assert time.monotonic() < until, (answer, self._log.read_text()[-3000:])
            time.sleep(0.1)
        return answer[1]


@contextmanager
def run_replicas(settings: Settings, folder: Path, blobs: Sequence[str]) -> Iterator[list[Replica]]:
    """Run a replica for each place of blobs, all on the Neo4j of the settings, and kill them at the end."""
    address = address_of(settings)
    replicas: list[Replica] = []
    try:
        for number, place in enumerate(blobs):
            home = Settings(home=folder / f"home-{number}", cache=settings.cache)
            environment = environment_of(
                home,
                NEO4J_URI=address.uri,
                NEO4J_USERNAME=address.username,
                NEO4J_PASSWORD=address.password,
                GRAPH_MEMORY_BLOB_URL=place,
                GRAPH_MEMORY_BACKGROUND_INDEX="true",
                GRAPH_MEMORY_EMBEDDINGS="off",
            )
            replicas.append(Replica(environment, folder / f"log-{number}"))
            replicas[-1].start()
        yield replicas
    finally:
        for replica in replicas:
            replica.kill()


class RoundRobin:
    """A client without a session of the protocol: each request goes to the next replica, as behind a balancer."""

    def __init__(
        self, http: httpx2.AsyncClient, replicas: Sequence[Replica], key: str, domain: str, session: str | None = None
    ) -> None:
        self._http = http
        self._turns = itertools.cycle(replicas)
        self._key = key
        self._domain = domain
        self._session = {} if session is None else {SESSION: session}
        self.lost = 0
        """Number of requests without an answer, because their replica had been killed."""
        self.last: Replica | None = None
        """The replica that answered last."""

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a call, which is repeated at the next replica until one acknowledges or refuses it."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                return await self.call_at(next(self._turns), tool, **arguments)
            except httpx2.TransportError:
                self.lost += 1
            except ToolError as error:
                if error.code not in TRY_AGAIN:
                    raise
            await anyio.sleep(0.02)
        raise TimeoutError(tool)

    async def call_at(self, replica: Replica, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a call of one replica. Raises ToolError."""
        headers = {
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {self._key}",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
            **self._session,
        }
        where = {} if tool == "select_domain" else {"domain": self._domain}
        params = {"name": tool, "arguments": {**where, **arguments}, "_meta": META}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        response = await self._http.post(f"{replica.url}/mcp", json=body, headers=headers)
        if response.status_code == 503:
            raise httpx2.ReadError("the replica is not there yet")
        assert response.status_code == 200, response.text
        self.last = replica
        result = response.json()["result"]
        if result.get("isError"):
            raise ToolError(tool, result["structuredContent"])
        return result["structuredContent"]

"""The viewer's API on a real memory: what a browser does, from `graph-memory view` to the undo of its changes."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from acceptance.agents import COMMAND, http_server
from graph_memory import Memory, ontology_from

pytestmark = pytest.mark.anyio

PAGE = {"X-Graph-Memory": "viewer"}


class Browser:
    """A browser at the address that `graph-memory view` printed."""

    def __init__(self, address: str) -> None:
        self.base, _, self.token = address.strip().partition("/view/#token=")
        self.http = httpx2.AsyncClient(base_url=f"{self.base}/api/v1/", headers=PAGE, timeout=60)

    async def log_in(self, token: str | None = None) -> int:
        return (await self.http.post("login", json={"token": token or self.token})).status_code

    async def call(self, operation: str, status: int = 200, /, **arguments: Any) -> dict[str, Any]:
        response = await self.http.post(operation, json=arguments)
        assert response.status_code == status, response.text
        return response.json()


@pytest.fixture(scope="module")
def viewer(own_home: dict[str, str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process of `graph-memory view`, and the address that it printed. Ctrl-C must end it well."""
    pipe = subprocess.PIPE
    command = [COMMAND, "view", "--no-open", "--port", "0"]
    with subprocess.Popen(command, env=own_home, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline()
            yield process, address
            process.send_signal(signal.SIGINT)
            _, logged = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 0, logged
    assert Browser(address).token not in logged


@pytest.fixture(scope="module")
async def browser(viewer: tuple[subprocess.Popen[str], str], anyio_backend: str) -> AsyncIterator[Browser]:
    browser = Browser(viewer[1])
    async with browser.http:
        assert await browser.log_in() == 204
        yield browser


async def test_view_finds_the_running_server_and_gets_another_token(browser: Browser, own_home: dict[str, str]):
    sockets = Path(own_home["GRAPH_MEMORY_HOME"]) / "sockets"
    with anyio.fail_after(60):
        while not [*sockets.glob("*.sock")]:  # noqa: ASYNC110 - another process makes it
            await anyio.sleep(0.1)
        # If it found no server, it would start one, and not end.
        done = await anyio.run_process([COMMAND, "view", "--no-open"], env=own_home)
    other = Browser(done.stdout.decode())
    assert other.base == browser.base
    assert other.token not in ("", browser.token)
    async with other.http:
        assert [await other.log_in(), await other.log_in(), await other.log_in(browser.token)] == [204, 401, 401]
        assert (await other.http.get("session")).json()["authenticated"]
        assert await other.call("list_domains")


async def test_changes_of_a_browser_are_those_of_a_person_and_can_be_undone(
    browser: Browser, domain: str, memory: Memory
):
    await memory.create_ontology(ontology_from({"node_types": ["Note"], "connection_types": []}))
    node = (await browser.call("create_node", domain=domain, type="Note", content="x"))["node_id"]
    assert (await browser.call("get_node", domain=domain, node_id=node))["type"] == "Note"
    [entry] = (await browser.call("memory_log", domain=domain, limit=1, full=True))["entries"]
    assert (entry["source"], entry["actor"], entry["subject"]) == ("user", "viewer", node)
    kept = (await memory.create_node("Note", "y")).node_id
    await memory.protect(node_id=kept)
    assert (await browser.call("delete_node", 409, domain=domain, node_id=kept))["code"] == "PROTECTED"
    await browser.call("get_node", 404, domain=domain, node_id="mem_none")
    await browser.call("create_node", 409, domain=domain, type="Nothing", content="x")
    await browser.call("memory_revert_session", domain=domain, session_id=entry["session"])
    await browser.call("get_node", 404, domain=domain, node_id=node)
    await browser.call("get_node", domain=domain, node_id=kept)


async def test_a_stream_tells_of_changes_of_other_processes(browser: Browser, domain: str, memory: Memory):
    await memory.create_domain(domain)
    await browser.call("create_ontology", domain=domain, node_types=["Note"], connection_types=[])
    async with browser.http.stream("GET", "events", params={"domain": domain}) as response:
        lines = response.aiter_lines()
        assert response.headers["content-type"].startswith("text/event-stream")
        assert await anext(lines) == "retry: 2000"
        await memory.create_node("Note", "x")
        began = time.monotonic()
        with anyio.fail_after(10):
            data = next_data = ""
            while not next_data:
                data = await anext(lines)
                next_data = data.removeprefix("data: ") if data.startswith("data: ") else ""
    assert json.loads(next_data) == {"domain": domain, "position": (await memory.domain_info()).events}
    assert time.monotonic() - began < 5


async def test_a_browser_with_a_key_has_its_rights_until_it_is_revoked(
    environment: dict[str, str], domain: str, memory: Memory
):
    await memory.create_domain(domain)
    key = await memory.keys.create(f"ann-{domain}", domains=[domain], right="write")
    with http_server(environment, auth="keys") as url:
        browser = Browser(url.replace("/mcp", "/view/#token=") + key.key)
        async with browser.http:
            await browser.call("list_domains", 401)
            assert await browser.log_in("gm_" + "x" * 43) == 401
            assert await browser.log_in() == 204
            await browser.call("create_ontology", domain=domain, node_types=["Note"], connection_types=[])
            [entry] = (await browser.call("memory_log", domain=domain, limit=1, full=True))["entries"]
            assert (entry["source"], entry["actor"]) == ("user", key.name)
            await browser.call("memory_log", 403, domain=f"{domain}-2")
            await browser.call("delete_domain", 403, name=domain, confirm=domain)
            async with browser.http.stream("GET", "events", params={"domain": domain}) as response:
                await memory.keys.revoke(key.name)
                with anyio.fail_after(5):
                    assert "change" not in "".join([line async for line in response.aiter_lines()])
            await browser.call("list_domains", 401)

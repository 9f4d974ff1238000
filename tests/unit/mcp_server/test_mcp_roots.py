"""Whose memory a call is about when that is left to the project of the client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types

from graph_memory.mcp_server.server import build_server
from graph_memory.project import domain_for
from graph_memory.settings import Settings
from unit.mcp_server.mcp_fakes import RecordingMemory, opens

pytestmark = pytest.mark.anyio

Names = Callable[[Any], Awaitable[types.ListRootsResult | types.ErrorData]]


def client(memory: RecordingMemory, mode: str, names: Names | None, domain: str = "auto") -> Client:
    settings = Settings(home=Path("/nowhere"), cache=Path("/nowhere"), domain=domain)
    return Client(build_server(opens(memory), settings, ["graph"]), mode=mode, list_roots_callback=names)


async def domains_of(memory: RecordingMemory, mode: str, names: Names | None, domain: str = "auto") -> list[Any]:
    """Return the domains of two calls of a client, None where it is left to the memory."""
    async with client(memory, mode, names, domain) as caller:
        for _ in range(2):
            assert not (await caller.call_tool("get_node", {"node_id": "mem_1"})).is_error
    return [named.get("domain") for name, _, named in memory.calls if name == "get_node"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_it_is_the_project_of_the_clients_first_root_which_is_asked_for_once(tmp_path: Path, mode: str) -> None:
    (tmp_path / "my kitchen" / ".git").mkdir(parents=True)
    (tmp_path / "my kitchen" / "src").mkdir()
    requests: list[str] = []

    async def names(_: Any) -> types.ListRootsResult:
        requests.append(mode)
        uris = [(tmp_path / name).as_uri() for name in ("my kitchen/src", "other")]
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in uris])

    results = await domains_of(RecordingMemory(), mode, names)
    assert results == [domain_for("auto", tmp_path / "my kitchen")] * 2
    assert results[0].startswith("my-kitchen-")
    assert requests == [mode]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_without_roots_the_memory_chooses_by_the_folder_of_the_server(mode: str) -> None:
    async def none(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[])

    async def fails(_: Any) -> types.ErrorData:
        return types.ErrorData(code=types.INTERNAL_ERROR, message="no")

    for names in (None, none, *([fails] if mode == "legacy" else [])):
        assert await domains_of(RecordingMemory(), mode, names) == [None, None]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_nobody_is_asked_when_a_domain_is_set(mode: str) -> None:
    async def names(_: Any) -> types.ListRootsResult:
        raise AssertionError

    assert await domains_of(RecordingMemory(), mode, names, "work") == [None, None]

"""The MCP App: which clients are offered the page, and which tools it may call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import ClientCapabilities, ReadResourceRequestParams

from graph_memory.mcp_server.access import Access, KeyToken, KeyVerifier
from graph_memory.mcp_server.server import build_server
from graph_memory.mcp_server.table import tools_of
from graph_memory.mcp_server.viewer import mcp_app
from graph_memory.mcp_server.viewer.mcp_app import PAGE, TOOLS_FIELD, URI, McpApp
from graph_memory.model.rights import Grant, Principal, Right
from graph_memory.settings import Settings
from unit.mcp_server.mcp_fakes import RecordingMemory, opens

pytestmark = pytest.mark.anyio

MODES = ("legacy", "auto")
APPS = [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]


@pytest.fixture(autouse=True)
def build_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a page into the folder of the built files."""
    monkeypatch.setattr(mcp_app, "FOLDER", tmp_path)
    (tmp_path / PAGE).write_text(f"<title>T</title>{TOOLS_FIELD}<p>{TOOLS_FIELD}", "utf-8")


def client_of(toolsets: Sequence[str], mode: str, *, apps: bool) -> Client:
    settings = Settings(home=Path("/nowhere"), cache=Path("/nowhere"))
    server = build_server(opens(RecordingMemory()), settings, toolsets)
    return Client(server, mode=mode, extensions=APPS if apps else None)


async def shown_tools(client: Client) -> dict[str, object]:
    """Return the `_meta` of each tool that has one."""
    return {tool.name: tool.meta for tool in (await client.list_tools()).tools if tool.meta}


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_with_apps_gets_the_page_and_its_address_on_the_tools_that_it_shows(mode: str) -> None:
    async with client_of(["agent", "cleanup", "history", "recall"], mode, apps=True) as client:
        if mode == "auto":  # the handshake of earlier versions has no field for extensions of a server
            assert client.server_capabilities.extensions == {EXTENSION_ID: {}}
        expected = {"ui": {"resourceUri": URI}}
        names = ("recall", "find_path", "memory_diff", "graph_health")
        assert await shown_tools(client) == dict.fromkeys(names, expected)
        [_, resource] = (await client.list_resources()).resources
        assert (resource.uri, resource.mime_type) == (URI, APP_MIME_TYPE)
        [content] = (await client.read_resource(URI)).contents
        assert content.mime_type == APP_MIME_TYPE
        assert content.meta == resource.meta == {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}}}
        assert content.model_dump()["text"].count('content="recall remember forget"') == 1


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_without_apps_sees_neither_the_page_nor_its_address(mode: str) -> None:
    async with client_of(["remember", "cleanup", "recall"], mode, apps=False) as client:
        assert await shown_tools(client) == {}
        assert (await client.list_resources()).resources == []
        with pytest.raises(MCPError, match="does not exist"):
            await client.read_resource(URI)


async def test_a_client_that_shows_other_pages_is_offered_none() -> None:
    settings = Settings(home=Path("/nowhere"), cache=Path("/nowhere"))
    server = build_server(opens(RecordingMemory()), settings, ["recall"])
    async with Client(server, extensions=[advertise(EXTENSION_ID, {"mimeTypes": ["text/plain"]})]) as client:
        assert await shown_tools(client) == {}
        assert (await client.list_resources()).resources == []


async def test_the_page_names_only_the_tools_that_the_server_has() -> None:
    async with client_of(["recall"], "auto", apps=True) as client:
        [content] = (await client.read_resource(URI)).contents
        assert '<meta name="tools" content="recall">' in content.model_dump()["text"]


@pytest.mark.parametrize(("toolsets", "uris"), [(["entities"], ["memory://knowledge-graph"]), (["graph"], None)])
async def test_a_server_without_tools_to_show_has_no_page(toolsets: list[str], uris: list[str] | None) -> None:
    async with client_of(toolsets, "auto", apps=True) as client:
        assert not client.server_capabilities.extensions
        assert (client.server_capabilities.resources is None) is (uris is None)
        assert uris is None or [item.uri for item in (await client.list_resources()).resources] == uris


async def test_the_page_is_listed_beside_the_knowledge_graph() -> None:
    async with client_of(["entities", "recall"], "auto", apps=True) as client:
        uris = [item.uri for item in (await client.list_resources()).resources]
        assert uris == ["memory://knowledge-graph", URI]
        assert (await client.list_resource_templates()).resource_templates == []


async def test_a_server_whose_page_is_not_built_does_not_offer_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_app, "FOLDER", tmp_path / "none")
    async with client_of(["recall"], "auto", apps=True) as client:
        assert await shown_tools(client) == {}
        assert client.server_capabilities.resources is None


def context_of(principal: Principal) -> Any:
    """Return the context of a call with a key, from a client that supports MCP Apps."""
    token = KeyToken(token="", client_id="ann", scopes=[], principal=principal, hash="h")
    capabilities = ClientCapabilities(extensions={EXTENSION_ID: {"mimeTypes": [APP_MIME_TYPE]}})
    return SimpleNamespace(
        request=SimpleNamespace(scope={"user": SimpleNamespace(access_token=token)}),
        session=SimpleNamespace(client_capabilities=capabilities),
    )


async def test_the_page_may_call_only_what_the_callers_key_may_call() -> None:
    ctx = context_of(Principal("ann", (Grant("mine", Right.READ),)))
    app = McpApp(tools_of(["recall", "remember"]), Access(KeyVerifier()))
    read = app.handlers({})["on_read_resource"]
    [content] = (await read(ctx, ReadResourceRequestParams(uri=URI))).contents
    assert '<meta name="tools" content="recall">' in content.text


async def test_a_caller_who_may_call_none_of_the_shown_tools_gets_no_page() -> None:
    ctx = context_of(Principal("ann", (Grant("mine", Right.READ),), toolsets=("entities",)))
    handlers = McpApp(tools_of(["recall", "entities"]), Access(KeyVerifier())).handlers({})
    assert (await handlers["on_list_resources"](ctx, None)).resources == []
    with pytest.raises(MCPError, match="does not exist"):
        await handlers["on_read_resource"](ctx, ReadResourceRequestParams(uri=URI))

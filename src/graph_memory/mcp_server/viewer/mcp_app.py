"""The MCP App: a page that clients show next to some tools' results. `make web` builds it into the package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mcp import MCPError, types
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, ResourceCsp, client_supports_apps

from graph_memory.mcp_server.access import Access
from graph_memory.mcp_server.callers import McpContext
from graph_memory.mcp_server.tools import AnyTool
from graph_memory.mcp_server.viewer.front_end import FOLDER

URI = "ui://graph-memory/view"
PAGE = "mcp_app.html"
"""The page in the folder of the built files. The page contains its scripts and styles."""
SHOWN = frozenset({"recall", "find_path", "memory_diff", "graph_health"})
"""The tools whose results the page shows."""
CALLED = ("recall", "remember", "forget")
"""The tools that the page calls through the client."""
TOOLS_FIELD = '<meta name="tools" content="">'
"""The element of the page that lists those tools in `CALLED` that the caller may use."""
_UI = {"ui": {"csp": ResourceCsp(connect_domains=[], resource_domains=[]).model_dump(by_alias=True, exclude_none=True)}}


class McpApp:
    """Offers the page to clients that support MCP Apps. Other clients see neither the page nor references to it."""

    def __init__(self, tools: Mapping[str, AnyTool], access: Access) -> None:
        self._tools = tools
        self._access = access
        page = FOLDER / PAGE
        is_shown = not SHOWN.isdisjoint(tools)
        self._page = page.read_text(encoding="utf-8") if is_shown and page.is_file() else ""
        self.is_available = bool(self._page)
        """Whether the page is built, and the server has a tool whose results it shows."""
        self.extensions: dict[str, dict[str, Any]] = {EXTENSION_ID: {}} if self.is_available else {}
        """The extensions that the server announces."""

    def is_shown(self, ctx: McpContext) -> bool:
        """Return whether this client can show the page, and its caller may call a tool whose results the page shows."""
        return self.is_available and client_supports_apps(ctx) and bool(self._callable_tools(SHOWN, ctx))

    def list_entry(self, entry: types.Tool, ctx: McpContext) -> types.Tool:
        """Return a tool's entry in `tools/list`, with the address of the page that shows its results."""
        if entry.name not in SHOWN or not self.is_shown(ctx):
            return entry
        return entry.model_copy(update={"meta": {"ui": {"resourceUri": URI}}})

    def handlers(self, others: Mapping[str, Any]) -> dict[str, Any]:
        """Return the resource handlers for the page and the server's other resources."""
        if not self.is_available:
            return dict(others)
        list_others, read_other = others.get("on_list_resources"), others.get("on_read_resource")

        async def list_resources(
            ctx: McpContext, params: types.PaginatedRequestParams | None
        ) -> types.ListResourcesResult:
            listed: types.ListResourcesResult = (
                types.ListResourcesResult(resources=[]) if list_others is None else await list_others(ctx, params)
            )
            own = [_RESOURCE] if self.is_shown(ctx) else []
            return listed.model_copy(update={"resources": [*listed.resources, *own]})

        async def list_templates(
            _ctx: McpContext, _params: types.PaginatedRequestParams | None
        ) -> types.ListResourceTemplatesResult:
            return types.ListResourceTemplatesResult(resource_templates=[])

        async def read(ctx: McpContext, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
            if str(params.uri) == URI and self.is_shown(ctx):
                return self._read(ctx)
            if read_other is None:
                raise MCPError(types.INVALID_PARAMS, f"Resource {params.uri} does not exist")
            return await read_other(ctx, params)

        own = {"on_list_resources": list_resources, "on_read_resource": read}
        return {"on_list_resource_templates": list_templates, **others, **own}

    def _read(self, ctx: McpContext) -> types.ReadResourceResult:
        """Return the page with the names of the tools that it may call, because it cannot request the names."""
        names = " ".join(self._callable_tools(CALLED, ctx))
        text = self._page.replace(TOOLS_FIELD, TOOLS_FIELD.replace('""', f'"{names}"'), 1)
        content = types.TextResourceContents(uri=URI, mime_type=APP_MIME_TYPE, text=text, _meta=_UI)
        return types.ReadResourceResult(contents=[content])

    def _callable_tools(self, names: Iterable[str], ctx: McpContext) -> Sequence[str]:
        """Return the tools with these names that the server has and the caller may call."""
        principal = self._access.principal_of(ctx)
        served = (self._tools[name] for name in names if name in self._tools)
        return [tool.name for tool in served if self._access.offers(principal, tool.operation)]


_RESOURCE = types.Resource(
    uri=URI,
    name="view",
    title="Graph Memory",
    description="Shows recalls, paths, differences and health, and corrects or forgets facts",
    mime_type=APP_MIME_TYPE,
    _meta=_UI,
)

"""The resource `memory://knowledge-graph`: all entities and relations, and whoever wants to hear of changes."""

from __future__ import annotations

import weakref
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from mcp import MCPError, types

from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.errors import masked
from graph_memory.mcp_server.official import REFUSED, written

if TYPE_CHECKING:
    from graph_memory.memory.api.memory import Memory

URI = "memory://knowledge-graph"
_JSON = "application/json"


class KnowledgeGraphResource:
    """What a server answers about the resource. A client that subscribed is told of each writing call of its own."""

    def __init__(self, memory_of: Callable[[Context], Awaitable[Memory]]) -> None:
        self._memory_of = memory_of
        self._subscribed: dict[int, weakref.ref[types.InitializeRequestParams]] = {}

    @property
    def subscribers(self) -> int:
        """How many clients are subscribed. One whose session ended is forgotten."""
        return len(self._subscribed)

    def handlers(self) -> dict[str, Any]:
        """Return the handlers of a server."""
        return {
            "on_list_resources": self.listed,
            "on_list_resource_templates": self.templates,
            "on_read_resource": self.read,
            "on_subscribe_resource": self.subscribe,
            "on_unsubscribe_resource": self.unsubscribe,
        }

    async def listed(self, _ctx: Context, _params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """Answer `resources/list`."""
        resource = types.Resource(
            uri=URI,
            name="knowledge-graph",
            title="Knowledge Graph",
            description="The full knowledge graph with all entities and relations",
            mime_type=_JSON,
        )
        return types.ListResourcesResult(resources=[resource])

    async def templates(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answer `resources/templates/list`: there are none."""
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Answer `resources/read`."""
        if str(params.uri) != URI:
            raise MCPError(types.INVALID_PARAMS, f"{REFUSED}Resource {params.uri} not found")
        try:
            graph = await (await self._memory_of(ctx)).entities.read_graph()
        except Exception as error:  # the edge of resources: what nobody expected is logged, and told by an id
            known = masked(error)
            raise MCPError(types.INTERNAL_ERROR, f"{known.code}: {known.message}") from error
        text = types.TextResourceContents(uri=URI, mime_type=_JSON, text=written(graph.to_dict()))
        return types.ReadResourceResult(contents=[text])

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/subscribe`."""
        if str(params.uri) == URI:
            self._remember(ctx.session.client_params)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/unsubscribe`."""
        if str(params.uri) == URI:
            self._subscribed.pop(id(ctx.session.client_params), None)
        return types.EmptyResult()

    def _remember(self, client: types.InitializeRequestParams | None) -> None:
        """Note a client, told by what it said as its session began: a session keeps that as long as it lasts."""
        if client is None:
            return
        subscribed, key = self._subscribed, id(client)

        def forget(_: weakref.ref[types.InitializeRequestParams]) -> None:
            subscribed.pop(key, None)

        subscribed[key] = weakref.ref(client, forget)

    async def changed(self, ctx: Context) -> None:
        """Tell the caller of a change, if it subscribed."""
        if id(ctx.session.client_params) in self._subscribed:
            await ctx.session.send_resource_updated(URI)

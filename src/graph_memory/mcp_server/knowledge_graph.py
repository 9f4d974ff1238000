"""The resource `memory://knowledge-graph`: all entities and relations, and whoever wants to hear of changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp import MCPError, types
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated

from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.errors import masking
from graph_memory.mcp_server.official import REFUSED, written
from graph_memory.model.errors import GraphError

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

    from graph_memory.memory.api.memory import Memory

URI = "memory://knowledge-graph"
_JSON = "application/json"


@dataclass(slots=True)
class Subscriber:
    """A client that wants to hear of changes, until its session ends."""

    session: ServerSession
    _is_owed: bool = False
    _is_told: bool = False

    async def tell(self) -> None:
        """Tell it that the graph changed; of what changes while it is being told, it is told once."""
        self._is_owed = True
        if self._is_told:
            return
        self._is_told = True
        try:
            while self._is_owed:
                self._is_owed = False
                await self.session.send_resource_updated(URI)
        finally:
            self._is_told = False


class KnowledgeGraphResource:
    """What a server answers about the resource. All its clients that subscribed are told of writing calls."""

    def __init__(self, memory_of: Callable[[Context], Awaitable[Memory]]) -> None:
        self._memory_of = memory_of
        self._subscribed: dict[int, Subscriber] = {}
        self._listening = InMemorySubscriptionBus()
        """Clients of the protocol without sessions, each with a stream that it keeps open."""

    def handlers(self) -> dict[str, Any]:
        """Return the handlers of a server."""
        return {
            "on_list_resources": self.listed,
            "on_list_resource_templates": self.templates,
            "on_read_resource": self.read,
            "on_subscribe_resource": self.subscribe,
            "on_unsubscribe_resource": self.unsubscribe,
            "on_subscriptions_listen": ListenHandler(self._listening),
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
            with masking():
                graph = await (await self._memory_of(ctx)).entities.read_graph()
        except GraphError as error:
            raise MCPError(types.INTERNAL_ERROR, f"{error.code}: {error.message}") from error
        text = types.TextResourceContents(uri=URI, mime_type=_JSON, text=written(graph.to_dict()))
        return types.ReadResourceResult(contents=[text])

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/subscribe`."""
        if str(params.uri) == URI and (key := id(ctx.session.client_params)) not in self._subscribed:
            self._subscribed[key] = Subscriber(ctx.session)
            at_its_end = ctx.session._connection.exit_stack  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - handlers are given nothing else that lasts as long as a session
            at_its_end.callback(self._subscribed.pop, key, None)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/unsubscribe`."""
        if str(params.uri) == URI:
            self._subscribed.pop(id(ctx.session.client_params), None)
        return types.EmptyResult()

    async def changed(self, ctx: Context) -> None:
        """Tell whoever subscribed of a change: the caller before it is answered, others behind the call."""
        own = id(ctx.session.client_params)
        for key, subscriber in self._subscribed.items():
            if key != own:
                ctx.lifespan_context.behind(subscriber.tell)
        await self._listening.publish(ResourceUpdated(uri=URI))
        if own in self._subscribed:
            await ctx.session.send_resource_updated(URI)

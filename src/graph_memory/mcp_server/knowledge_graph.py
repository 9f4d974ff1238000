"""The resource `memory://knowledge-graph`: all entities and relations, with notifications of changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp import MCPError, types
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated

from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.errors import masking
from graph_memory.mcp_server.official import REFUSED, pretty_json
from graph_memory.model.errors import GraphError

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

    from graph_memory.memory.api.memory import Memory

URI = "memory://knowledge-graph"
_JSON = "application/json"


@dataclass(slots=True)
class Subscriber:
    """A client that is notified of changes until its session ends."""

    session: ServerSession
    _is_pending: bool = False
    _is_notifying: bool = False

    async def notify(self) -> None:
        """Notify the client of a change. Changes during a notification cause one more."""
        self._is_pending = True
        if self._is_notifying:
            return
        self._is_notifying = True
        try:
            while self._is_pending:
                self._is_pending = False
                await self.session.send_resource_updated(URI)
        finally:
            self._is_notifying = False


class KnowledgeGraphResource:
    """The request handlers of the resource. All subscribed clients are notified after each call that writes."""

    def __init__(self, memory_of: Callable[[Context], Awaitable[Memory]]) -> None:
        self._memory_of = memory_of
        self._subscribers: dict[int, Subscriber] = {}
        self._bus = InMemorySubscriptionBus()
        """The open streams of clients whose protocol has no sessions."""

    def handlers(self) -> dict[str, Any]:
        """Return the handlers of a server."""
        return {
            "on_list_resources": self.list_resources,
            "on_list_resource_templates": self.list_templates,
            "on_read_resource": self.read,
            "on_subscribe_resource": self.subscribe,
            "on_unsubscribe_resource": self.unsubscribe,
            "on_subscriptions_listen": ListenHandler(self._bus),
        }

    async def list_resources(
        self, _ctx: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer `resources/list`."""
        resource = types.Resource(
            uri=URI,
            name="knowledge-graph",
            title="Knowledge Graph",
            description="The full knowledge graph with all entities and relations",
            mime_type=_JSON,
        )
        return types.ListResourcesResult(resources=[resource])

    async def list_templates(
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
        text = types.TextResourceContents(uri=URI, mime_type=_JSON, text=pretty_json(graph.to_dict()))
        return types.ReadResourceResult(contents=[text])

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/subscribe`."""
        if str(params.uri) == URI and (key := id(ctx.session.client_params)) not in self._subscribers:
            self._subscribers[key] = Subscriber(ctx.session)
            exit_stack = ctx.session._connection.exit_stack  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - no public object lives as long as a session
            exit_stack.callback(self._subscribers.pop, key, None)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/unsubscribe`."""
        if str(params.uri) == URI:
            self._subscribers.pop(id(ctx.session.client_params), None)
        return types.EmptyResult()

    async def notify_change(self, ctx: Context) -> None:
        """Notify the subscribers of a change: the caller before its call returns, others in the background."""
        caller = id(ctx.session.client_params)
        for key, subscriber in self._subscribers.items():
            if key != caller:
                ctx.lifespan_context.start_task(subscriber.notify)
        await self._bus.publish(ResourceUpdated(uri=URI))
        if caller in self._subscribers:
            await ctx.session.send_resource_updated(URI)

"""The resource `memory://knowledge-graph`: all entities and relations, with notifications of changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio.lowlevel
from mcp import MCPError, types
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent

from graph_memory.mcp_server.access import Access, Watch
from graph_memory.mcp_server.callers import Context
from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.errors import masking
from graph_memory.mcp_server.official import REFUSED, pretty_json
from graph_memory.model.errors import GraphError
from graph_memory.operations.table import OPERATIONS

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

    from graph_memory.memory.api.memory import Memory

URI = "memory://knowledge-graph"
_JSON = "application/json"


@dataclass(slots=True)
class Subscriber:
    """A client that is notified of changes until its session ends."""

    session: ServerSession
    may_know: Watch
    _is_pending: bool = False
    _is_notifying: bool = False

    async def notify(self) -> None:
        """Notify the client of a change. Further changes during the notification cause one more notification."""
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


class CallerBus:
    """The event bus of one stream, which receives the changes that its caller may know of."""

    def __init__(self, streams: dict[object, tuple[Watch, Callable[[ServerEvent], None]]], may_know: Watch) -> None:
        self._streams = streams
        self._may_know = may_know

    async def publish(self, event: ServerEvent) -> None:
        """Deliver an event to all streams."""
        for _, deliver in [*self._streams.values()]:
            deliver(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Add the stream, and return a function that removes it."""
        token = object()
        self._streams[token] = (self._may_know, listener)

        def unsubscribe() -> None:
            self._streams.pop(token, None)

        return unsubscribe


class KnowledgeGraphResource:
    """The request handlers of the resource.

    All subscribed clients are notified after each call that writes. A client with a key is notified only of domains
    that it may read, as long as its key is valid.
    """

    def __init__(self, memory_of: Callable[[Context], Awaitable[Memory]], access: Access, control: CallControl) -> None:
        self._memory_of = memory_of
        self.access = access
        self._control = control
        self._subscribers: dict[int, Subscriber] = {}
        self.streams: dict[object, tuple[Watch, Callable[[ServerEvent], None]]] = {}
        """The open streams of clients whose protocol has no sessions."""

    def handlers(self) -> dict[str, Any]:
        """Return the request handlers by name, for the server."""
        return {
            "on_list_resources": self.list_resources,
            "on_list_resource_templates": self.list_templates,
            "on_read_resource": self.read,
            "on_subscribe_resource": self.subscribe,
            "on_unsubscribe_resource": self.unsubscribe,
            "on_subscriptions_listen": self.listen,
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
        """Answer `resources/templates/list` with an empty list."""
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Answer `resources/read`."""
        if str(params.uri) != URI:
            raise MCPError(types.INVALID_PARAMS, f"{REFUSED}Resource {params.uri} not found")
        try:
            with (
                self._control.observing("read_graph", ctx),
                masking(),
                self.access.acting(ctx, OPERATIONS["read_graph"]),
            ):
                memory = await self._memory_of(ctx)
                async with self._control.admitting(ctx, self.access.principal_of(ctx)):
                    graph = await memory.entities.read_graph()
        except GraphError as error:
            raise MCPError(types.INTERNAL_ERROR, f"{error.code}: {error.message}") from error
        text = types.TextResourceContents(uri=URI, mime_type=_JSON, text=pretty_json(graph.to_dict()))
        return types.ReadResourceResult(contents=[text])

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer `subscriptions/listen` with a stream of changes."""
        return await ListenHandler(CallerBus(self.streams, self.access.watch(ctx)))(ctx, params)

    async def subscribe(self, ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/subscribe`."""
        if str(params.uri) == URI and (key := id(ctx.session.client_params)) not in self._subscribers:
            self._subscribers[key] = Subscriber(ctx.session, self.access.watch(ctx))
            exit_stack = ctx.session._connection.exit_stack  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - no public object lives as long as a session
            exit_stack.callback(self._subscribers.pop, key, None)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/unsubscribe`."""
        if str(params.uri) == URI:
            self._subscribers.pop(id(ctx.session.client_params), None)
        return types.EmptyResult()

    async def notify_change(self, ctx: Context, domains: Collection[str]) -> None:
        """Notify the subscribers of a change. The caller is notified before its call returns, others in the background.

        `domains` are the changed domains. They are needed only if the server has keys.
        """
        caller = id(ctx.session.client_params)
        for key, subscriber in [*self._subscribers.items()]:
            if key != caller and await subscriber.may_know(domains):
                ctx.lifespan_context.start_task(subscriber.notify)
        for may_know, deliver in [*self.streams.values()]:
            if await may_know(domains):
                deliver(ResourceUpdated(uri=URI))
        await anyio.lowlevel.checkpoint()
        if caller in self._subscribers and await self._subscribers[caller].may_know(domains):
            await ctx.session.send_resource_updated(URI)

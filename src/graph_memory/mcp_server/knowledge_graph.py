"""The resource `memory://knowledge-graph`: all entities and relations, with notifications of changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio.lowlevel
from mcp import MCPError, types
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent

from graph_memory.mcp_server.access import Access, NotificationCheck
from graph_memory.mcp_server.callers import Context, McpContext
from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.errors import mask_internal_errors
from graph_memory.mcp_server.official import ERROR_PREFIX, pretty_json
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
    may_notify: NotificationCheck
    _is_pending: bool = False
    _is_notifying: bool = False

    async def notify(self) -> None:
        """Notify the client of a change. Further changes during the notification cause only one more notification."""
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
    """The event bus of one stream. It delivers only the changes that the stream's caller may see."""

    def __init__(
        self,
        streams: dict[object, tuple[NotificationCheck, Callable[[ServerEvent], None]]],
        may_notify: NotificationCheck,
    ) -> None:
        self._streams = streams
        self._may_notify = may_notify

    async def publish(self, event: ServerEvent) -> None:
        """Deliver an event to all streams."""
        for _, deliver in [*self._streams.values()]:
            deliver(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Add the stream, and return a function that removes it."""
        token = object()
        self._streams[token] = (self._may_notify, listener)

        def unsubscribe() -> None:
            self._streams.pop(token, None)

        return unsubscribe


class KnowledgeGraphResource:
    """The request handlers of the resource.

    All subscribed clients are notified after each call that writes. A client with a key is notified only of changes in
    domains that it may read, and only while its key is valid.
    """

    def __init__(
        self, memory_of: Callable[[McpContext], Awaitable[Memory]], access: Access, control: CallControl
    ) -> None:
        self._memory_of = memory_of
        self.access = access
        self._control = control
        control.change_listeners.append(self.notify_change)
        self._subscribers: dict[int, Subscriber] = {}
        self.streams: dict[object, tuple[NotificationCheck, Callable[[ServerEvent], None]]] = {}
        """The open streams of clients whose protocol has no sessions."""

    def handlers(self) -> dict[str, Any]:
        """Return the request handlers, keyed by the argument names of the MCP library's `Server`."""
        return {
            "on_list_resources": self.list_resources,
            "on_list_resource_templates": self.list_templates,
            "on_read_resource": self.read,
            "on_subscribe_resource": self.subscribe,
            "on_unsubscribe_resource": self.unsubscribe,
            "on_subscriptions_listen": self.listen,
        }

    async def list_resources(
        self, _ctx: McpContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer `resources/list` with the knowledge graph's resource."""
        resource = types.Resource(
            uri=URI,
            name="knowledge-graph",
            title="Knowledge Graph",
            description="The full knowledge graph with all entities and relations",
            mime_type=_JSON,
        )
        return types.ListResourcesResult(resources=[resource])

    async def list_templates(
        self, _ctx: McpContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answer `resources/templates/list` with an empty list."""
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read(self, ctx: McpContext, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Answer `resources/read` with all entities and relations as JSON."""
        if str(params.uri) != URI:
            raise MCPError(types.INVALID_PARAMS, f"{ERROR_PREFIX}Resource {params.uri} not found")
        try:
            with (
                self._control.observe_call("read_graph", ctx),
                mask_internal_errors(),
                self.access.run_as_caller(ctx, OPERATIONS["read_graph"]),
            ):
                memory = await self._memory_of(ctx)
                async with self._control.wait_for_turn(ctx, self.access.principal_of(ctx)):
                    graph = await memory.entities.read_graph()
        except GraphError as error:
            raise MCPError(types.INTERNAL_ERROR, f"{error.code}: {error.message}") from error
        text = types.TextResourceContents(uri=URI, mime_type=_JSON, text=pretty_json(graph.to_dict()))
        return types.ReadResourceResult(contents=[text])

    async def listen(
        self, ctx: McpContext, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer `subscriptions/listen` with a stream of changes."""
        return await ListenHandler(CallerBus(self.streams, self.access.notification_check(ctx)))(ctx, params)

    async def subscribe(self, ctx: McpContext, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/subscribe` by notifying the client of changes until its session ends."""
        if str(params.uri) == URI and (key := id(ctx.session.client_params)) not in self._subscribers:
            self._subscribers[key] = Subscriber(ctx.session, self.access.notification_check(ctx))
            exit_stack = ctx.session._connection.exit_stack  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - no public object lives as long as a session
            exit_stack.callback(self._subscribers.pop, key, None)
        return types.EmptyResult()

    async def unsubscribe(self, ctx: McpContext, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Answer `resources/unsubscribe` by ending the client's notifications."""
        if str(params.uri) == URI:
            self._subscribers.pop(id(ctx.session.client_params), None)
        return types.EmptyResult()

    async def notify_change(self, ctx: Context, domains: Collection[str]) -> None:
        """Notify the subscribers of a change.

        The caller is notified before its call returns, and other subscribers in the background. `domains` are the
        changed domains. They are needed only if the server has keys.
        """
        session: ServerSession | None = getattr(ctx, "session", None)  # only clients of MCP have one
        caller = None if session is None else id(session.client_params)
        for key, subscriber in [*self._subscribers.items()]:
            if key != caller and await subscriber.may_notify(domains):
                ctx.lifespan_context.start_task(subscriber.notify)
        for may_notify, deliver in [*self.streams.values()]:
            if await may_notify(domains):
                deliver(ResourceUpdated(uri=URI))
        await anyio.lowlevel.checkpoint()
        if session is not None and caller in self._subscribers and await self._subscribers[caller].may_notify(domains):
            await session.send_resource_updated(URI)

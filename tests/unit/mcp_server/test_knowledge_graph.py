"""Who is told of changes of the knowledge graph, and that nobody is remembered whose session has ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any, cast

import anyio
import anyio.lowlevel
import pytest
from mcp.server.subscriptions import ServerEvent
from mcp.types import ClientCapabilities, Implementation, InitializeRequestParams, SubscribeRequestParams

from graph_memory.mcp_server.access import Access, KeyToken
from graph_memory.mcp_server.control import CallControl
from graph_memory.mcp_server.knowledge_graph import URI, CallerBus, KnowledgeGraphResource
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Grant, Principal, Right

pytestmark = pytest.mark.anyio

SUBSCRIBE: Any = SubscribeRequestParams(uri=URI)


class Caller:
    """The context of a client whose session is open until it ends; what goes on behind its calls is in `after`."""

    def __init__(self) -> None:
        own = Implementation(name="agent", version="1")
        self.logged: list[str] = []
        client = InitializeRequestParams(
            protocol_version="2025-06-18", capabilities=ClientCapabilities(), client_info=own
        )
        self._connection = SimpleNamespace(exit_stack=AsyncExitStack())
        self.session = SimpleNamespace(
            client_params=client, send_resource_updated=self._note, _connection=self._connection
        )
        self.after: list[Callable[[], Awaitable[None]]] = []
        self.lifespan_context = SimpleNamespace(start_task=self.after.append)

    async def end(self) -> None:
        await self._connection.exit_stack.aclose()

    async def _note(self, uri: str) -> None:
        self.logged.append(uri)


async def _nothing(_: object) -> Any:
    raise AssertionError


async def test_each_client_is_told_until_it_unsubscribes_or_its_session_ends() -> None:
    resource = KnowledgeGraphResource(_nothing, Access(None), CallControl())
    caller: Any = Caller()
    other: Any = Caller()
    await resource.subscribe(caller, SUBSCRIBE)
    await resource.subscribe(caller, SUBSCRIBE)
    await resource.notify_change(caller, ())
    assert (caller.logged, caller.after) == ([URI], [])
    await resource.notify_change(other, ())
    [tell] = other.after
    assert (caller.logged, other.logged) == ([URI], [])
    await tell()
    assert (caller.logged, other.logged) == ([URI, URI], [])
    await resource.subscribe(other, SUBSCRIBE)
    await resource.unsubscribe(caller, SUBSCRIBE)
    await resource.notify_change(caller, ())
    assert (len(caller.logged), len(caller.after)) == (2, 1)
    await other.end()
    await resource.notify_change(caller, ())
    assert len(caller.after) == 1


class Verifier:
    """Knows one key, which has the right to read one domain, until it is revoked."""

    def __init__(self) -> None:
        principal = Principal("ann", (Grant("mine", Right.READ),))
        self.token: KeyToken | None = KeyToken(token="", client_id="ann", scopes=[], principal=principal, hash="h")

    async def verify_hash(self, key_hash: str) -> KeyToken | None:
        assert key_hash == "h"
        return self.token


async def test_a_client_with_a_key_is_told_only_of_domains_that_it_may_read_while_its_key_is_valid() -> None:
    verifier = Verifier()
    reader: Any = Caller()
    writer: Any = Caller()
    reader.request = SimpleNamespace(scope={"user": SimpleNamespace(access_token=verifier.token)})
    resource = KnowledgeGraphResource(_nothing, Access(cast("Any", verifier)), CallControl())
    await resource.subscribe(reader, SUBSCRIBE)
    delivered: list[ServerEvent] = []
    stream = CallerBus(resource.streams, resource.access.notification_check(reader))
    unsubscribe = stream.subscribe(delivered.append)
    for domains, count in ((["theirs"], 0), ([], 0), (["theirs", "mine"], 1)):
        await resource.notify_change(writer, domains)
        assert (len(writer.after), len(delivered)) == (count, count), domains
    verifier.token = None
    await resource.notify_change(writer, ["mine"])
    assert (len(writer.after), len(delivered)) == (1, 1)
    unsubscribe()
    assert resource.streams == {}


async def test_a_request_without_a_key_has_no_caller_on_a_server_with_keys() -> None:
    access, caller = Access(cast("Any", Verifier())), Caller()
    for request in (None, SimpleNamespace(scope={}), SimpleNamespace(scope={"user": SimpleNamespace()})):
        with pytest.raises(GraphError) as caught:
            access.principal_of(cast("Any", SimpleNamespace(request=request, session=caller.session)))
        assert caught.value.code is Code.INSUFFICIENT_RIGHTS


async def test_a_client_that_takes_nothing_holds_up_nobody_and_is_told_once_of_much() -> None:
    resource = KnowledgeGraphResource(_nothing, Access(None), CallControl())
    writer: Any = Caller()
    slow: Any = Caller()
    takes = anyio.Event()
    note = slow.session.send_resource_updated

    async def when_it_takes(uri: str) -> None:
        await takes.wait()
        await note(uri)

    slow.session.send_resource_updated = when_it_takes
    await resource.subscribe(slow, SUBSCRIBE)
    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            await resource.notify_change(writer, ())
            tasks.start_soon(writer.after[-1])
            await anyio.lowlevel.checkpoint()
        takes.set()
    assert slow.logged == [URI, URI]

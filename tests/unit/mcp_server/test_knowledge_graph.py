"""Who is told of changes of the knowledge graph, and that nobody is remembered whose session has ended."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import pytest
from mcp.types import ClientCapabilities, Implementation, InitializeRequestParams, SubscribeRequestParams

from graph_memory.mcp_server.knowledge_graph import URI, KnowledgeGraphResource

pytestmark = pytest.mark.anyio

SUBSCRIBE: Any = SubscribeRequestParams(uri=URI)


class Caller:
    """The context of a client whose session is open as long as this is held."""

    def __init__(self) -> None:
        own = Implementation(name="agent", version="1")
        self.told: list[str] = []
        client = InitializeRequestParams(
            protocol_version="2025-06-18", capabilities=ClientCapabilities(), client_info=own
        )
        self.session = SimpleNamespace(client_params=client, send_resource_updated=self._note)

    async def _note(self, uri: str) -> None:
        self.told.append(uri)


async def _nothing(_: object) -> Any:
    raise AssertionError


async def test_each_client_is_told_until_it_unsubscribes_or_its_session_ends() -> None:
    resource = KnowledgeGraphResource(_nothing)
    one: Any = Caller()
    other: Any = Caller()
    await resource.subscribe(one, SUBSCRIBE)
    await resource.subscribe(one, SUBSCRIBE)
    for each in (one, other):
        await resource.changed(each)
    assert (one.told, other.told) == ([URI], [])
    await resource.subscribe(other, SUBSCRIBE)
    assert resource.subscribers == 2
    await resource.unsubscribe(one, SUBSCRIBE)
    await resource.changed(one)
    assert one.told == [URI]
    del other, each
    gc.collect()
    assert resource.subscribers == 0

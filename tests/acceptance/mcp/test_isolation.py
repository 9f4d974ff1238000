"""Domains full of links to one: a read there tells nothing of them, but to who names them or says to cross."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st
from mcp import types

from acceptance.mcp.fuzzing import Arguments, fitting
from graph_memory import Memory, Settings, ontology_from, open_memory
from graph_memory.mcp_server.running import CallRunner
from graph_memory.mcp_server.server import ToolHandlers
from graph_memory.mcp_server.table import tools_of
from graph_memory.model.events import Origin
from graph_memory.model.subjects.links import INVERSES
from graph_memory.operations.operation import AnyOperation, Effect
from graph_memory.operations.table import TOOLSETS
from profiles import EXAMPLES, profile

pytestmark = pytest.mark.long

TOOLS = {tool.name: tool for tools in TOOLSETS.values() for tool in tools}
READING = [tool for tool in TOOLS.values() if tool.effect is Effect.READS and tool.name != "query_cypher"]
"""Tools that only read. `query_cypher` reads all domains, and needs the right `admin` for them all."""
MARK = "zyx" + uuid4().hex[:8]
"""A text in every word and id of the other domains, and in no call."""
BAIT = "Wintering bees need candy"
"""Words that both sides store, and that the calls ask for."""
NODES, NAMES = ("n0", "n1", "n2"), ("Ann", "Bob")
KNOWN: dict[str, list[Any]] = {
    **{key: [*NODES, "door"] for key in ("node_id", "from_id", "to_id", "from_node_id", "to_node_id", "subject")},
    "connection_id": ["c0", "c1"],
    **{key: [BAIT, "bees", "candy", "human"] for key in ("query", "label")},
    "names": [[*NAMES]],
    "start": [[*NODES], ["n0"]],
    "focus": [["n0"], ["Ann"]],
    "direction": ["both", "out", "in"],
    **{key: ["Note", "Person"] for key in ("type", "node_type", "from_node_type", "to_node_type")},
    **{key: ["RelatesTo"] for key in ("connection_type", "relation")},
    **{key: ["now", 2, 9] for key in ("at", "as_of", "since", "until", "against")},
    "valid_at": ["now"],
    "properties": [{}, {"rank": 1}],
    "tool": ["query_nodes", "get_connected_nodes", "search_content"],
    "arguments": [{}, {"node_id": "n0", "direction": "both"}, {"query": "bees"}],
    "max_tokens": [500, 2_000],
    "search_mode": ["hybrid", "lexical", "semantic"],
    "depth": ["shallow", "medium", "deep"],
    "types": [["Note"], ["node"]],
    "session": ["current"],
    "session_id": ["isolation"],
    "subgraph": [[*NODES]],
    **{key: [{}] for key in ("filters", "weightings", "edge_filter", "node_filter", "context")},
}
CROSSING = ("cross_domains",)


@dataclass(frozen=True)
class World:
    """A domain, and a server's way of making calls there."""

    portal: BlockingPortal
    memory: Memory
    calls: ToolHandlers
    home: str

    def call(self, tool: AnyOperation, arguments: Arguments) -> types.CallToolResult:
        """Return the answer of a call."""

        async def open_memory_(_tell: object) -> Memory:
            return self.memory

        lifespan, session = SimpleNamespace(memory=open_memory_), SimpleNamespace(client_params=None)
        context = cast("Any", SimpleNamespace(lifespan_context=lifespan, session=session, request=None, request_id=1))
        params = types.CallToolRequestParams.model_construct(name=tool.name, arguments=arguments)
        return cast("types.CallToolResult", self.portal.call(partial(self.calls.call_tool, context, params)))

    def confine(self, arguments: Arguments) -> Arguments:
        """Return arguments that name no other domain and cross to none."""
        fields = {key: value for key, value in arguments.items() if key not in CROSSING}
        return {**fields, **{key: [self.home] for key in ("domains",) if key in fields}}


@pytest.fixture(scope="module")
def world(settings: Settings) -> Iterator[World]:
    """A domain to which all nodes of three others are linked, which say the same and have nodes of the same ids."""
    with (
        start_blocking_portal("asyncio") as portal,
        portal.wrap_async_context_manager(open_memory(settings, origin=Origin(session="isolation"))) as memory,
    ):
        home = f"test-{uuid4().hex[:20]}"
        memory = memory.in_domain(home)
        portal.call(_fill, memory, "")
        for number in range(3):
            portal.call(_surround, memory, memory.in_domain(f"{home}-far{number}"))
        yield World(portal, memory, ToolHandlers(CallRunner(tools_of(["all"]), settings), settings), home)
        for name in (home, *(f"{home}-far{number}" for number in range(3))):
            assert portal.call(partial(memory.upkeep.verify, domain=name)).clean


async def _fill(memory: Memory, mark: str) -> None:
    """Fill a domain with what reading tools tell of; every text of it has the mark, but those asked for."""
    way = {"name": "RelatesTo", "from_types": ["*"], "to_types": ["*"]}
    declared = {"node_types": ["Note", "Person", *([mark] if mark else [])], "connection_types": [way], "open": True}
    await memory.create_ontology(ontology_from(declared))
    text, more = f"{BAIT} {mark}".strip(), {"properties": {"rank": 1, f"p{mark}": mark}, "tags": [f"t{mark}"]}
    for node in NODES:
        await memory.create_node("Note", f"# Note {mark}\n\n{text}", id=node, path=f"/{mark}", **more)
    for number, node_type in enumerate(NODES[1:]):
        await memory.create_connection("RelatesTo", NODES[0], node_type, id=f"c{number}", properties={f"q{mark}": mark})
    for name in NAMES:
        await memory.entities.remember(name=name, type="Person", observations=[text], aliases=[f"{name} {mark}x"])
    await memory.entities.edit_block("human", text)
    await memory.entities.session_end(text)


async def _surround(home: Memory, other: Memory) -> None:
    """Fill another domain, and link all of its nodes to all at home; of those led to from there one tells its title."""
    await _fill(other, MARK)
    door = await other.create_node("Note", f"# Door\n\n{BAIT} {MARK}", id="door")
    far = [node.id for node in (await other.query_nodes(detail=True)).nodes or ()]
    for node in NODES:
        for kind in INVERSES if node == NODES[0] else ("reference",):
            for text in far:
                make = partial(other.links.create_cross_domain_link, text, home._domain(None), node)
                await make(link_type=cast("Any", kind), bidirectional=text == door.node_id)
            link = partial(home.links.create_cross_domain_link, node, other._domain(None), door.node_id)
            await link(link_type=cast("Any", kind), bidirectional=True)
    await other.recall.search_memories(BAIT)


def arguments_of(tool: AnyOperation, home: str) -> st.SearchStrategy[Arguments]:
    """Return arguments that the schema of a tool allows, about the home domain."""
    is_of_domains = tool in TOOLSETS["domains"]
    return fitting(tool.input_schema, {**KNOWN, "domain": [home], "name": [home] if is_of_domains else [*NAMES]})


@pytest.mark.parametrize("tool", READING, ids=lambda tool: tool.name)
def test_no_read_tells_anything_of_domains_that_only_link_to_its_own(world: World, tool: AnyOperation) -> None:
    done: list[bool] = []

    @profile(examples=24)
    @given(arguments_of(tool, world.home).map(world.confine))
    def property_holds(arguments: Arguments) -> None:
        answer = world.call(tool, arguments)
        assert MARK not in answer.model_dump_json()
        done.append(not answer.is_error)

    property_holds()
    assert any(done) or tool.name in ("memory_synthesize", "view_file") or EXAMPLES == "few"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("traverse_memories", {"start": ["n0"], "cross_domains": True}),
        ("search_memories", {"query": BAIT, "max_results": 100}),
        ("recall", {"query": BAIT, "max_tokens": 4_000}),
        ("query_nodes", {}),
    ],
)
def test_who_names_them_or_says_to_cross_is_told(world: World, tool: str, arguments: Arguments) -> None:
    names = [world.home, *(f"{world.home}-far{number}" for number in range(3))]
    where = {} if "cross_domains" in arguments else {"domains": names}
    text = world.call(TOOLS[tool], {**arguments, **where}).model_dump_json()
    assert MARK in text
    assert all(name in text for name in names[1:])

"""A memory that records what it is asked and answers what it is told to, and a client that talks to it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Any

from mcp import Client
from mcp.types import CallToolResult

from graph_memory.mcp_server.server import build_server
from graph_memory.memory.history.results import NamedSubject
from graph_memory.memory.recall.results import QueryResult, RecallResult
from graph_memory.memory.search.results import Hit, SearchResult, Synthesis
from graph_memory.memory.traversal.results import (
    AdjacentConnection,
    FollowedConnection,
    Neighbors,
    OmittedCounts,
    Path,
    Paths,
    ReachedNode,
    TraversalResult,
)
from graph_memory.model import domain_results, results
from graph_memory.model.ontology.ontology import ontology_from
from graph_memory.settings import Settings

MOMENT = datetime(2025, 10, 31, 10, 0, tzinfo=UTC)
ONTOLOGY = ontology_from(
    {
        "node_types": ["Project", {"name": "Person", "description": "Somebody"}],
        "connection_types": [
            {
                "name": "WaitingFor",
                "from_types": ["Project"],
                "to_types": ["Person"],
                "required_properties": ["since"],
                "unique_source": True,
            },
            {"name": "Knows", "from_types": ["Person"], "to_types": ["Person"]},
        ],
    }
)
NODE = results.NodeInfo(
    id="mem_1",
    type="Project",
    created=MOMENT,
    modified=MOMENT,
    title="Kitchen",
    properties={"status": "active", "urgent": True, "priority": 1},
    content_format="markdown",
    content_encoding="utf-8",
    content_size=70,
    version=7,
)
CONNECTION = results.ConnectionInfo(
    id="conn_1",
    type="WaitingFor",
    from_node_id="mem_1",
    to_node_id="mem_2",
    created=MOMENT,
    modified=MOMENT,
    properties={},
    has_content=False,
    version=8,
)
HIT = Hit(
    id="mem_1",
    kind="node",
    type="Project",
    title="Kitchen",
    score=0.75,
    why="has tiles",
    passage="The tiles come in May.",
    place="content",
    age_days=3,
)

KITCHEN = results.NodeBrief(id="mem_1", type="Project", title="Kitchen")
ANN = results.NodeBrief(id="mem_2", type="Person", title="Ann")
LINK = FollowedConnection(
    id="conn_1", type="WorksWith", from_id="mem_1", to_id="mem_2", weight=0.45, since=date(2026, 5, 8)
)

ANSWERS: Mapping[str, Any] = {
    "create_node": results.NodeCreationResult(node_id="mem_1", version=7),
    "get_node": NODE,
    "get_node_content": results.NodeContent(content="Größe 🏠", encoding="utf-8", format="markdown"),
    "update_node": results.ChangeResult(version=9),
    "delete_node": results.NodeDeletionResult(version=10, connections=3),
    "create_connection": results.ConnectionCreationResult(connection_id="conn_1", version=8),
    "get_connection": CONNECTION,
    "update_connection": results.ChangeResult(version=11),
    "delete_connection": results.ChangeResult(version=12),
    "query_nodes": results.NodeIds(node_ids=("mem_1", "mem_2"), next_cursor="more"),
    "query_connections": results.ConnectionIds(connection_ids=()),
    "get_connected_nodes": results.ConnectedNodes(node_ids=("mem_2",)),
    "search_content": results.NodeIds(node_ids=()),
    "validate_connection": results.Validity(valid=True),
    "create_ontology": results.OntologyChangeResult(version=1),
    "add_node_type": results.OntologyChangeResult(version=2),
    "add_connection_type": results.OntologyChangeResult(version=3),
    "get_ontology": ONTOLOGY,
    "search_memories": SearchResult(hits=(HIT,), mode="hybrid", found=1),
    "search_semantic": SearchResult(hits=(HIT.model_copy(update={"distance": 0.25}),), mode="semantic", found=1),
    "hybrid_search": SearchResult(hits=(), mode="hybrid", found=0),
    "recall": RecallResult(depth="medium", tokens_used=2, content="- Tiles"),
    "memory_context": RecallResult(depth="deep", tokens_used=9, content={"things": []}),
    "memory_query": QueryResult(depth="medium", tokens_used=2, content="- Tiles", why="medium: it asks so."),
    "traverse_memories": TraversalResult(
        nodes=(
            ReachedNode(id="mem_1", type="Project", title="Kitchen", depth=0, content="Tiles, paint"),
            ReachedNode(id="mem_2", type="Person", title="Ann", depth=1, via="conn_1", parent="mem_1"),
        ),
        connections=(LINK,),
        left_out=OmittedCounts(max_depth=1),
    ),
    "find_path": Paths(
        paths=(Path(nodes=(KITCHEN, ANN), connections=(LINK,), length=1, weight=0.45),),
    ),
    "get_neighbors": Neighbors(
        node=results.NodeSummary(**KITCHEN.model_dump(), modified=NODE.modified, version=7),
        outgoing=(
            AdjacentConnection(
                id="conn_1",
                type="WorksWith",
                from_id="mem_1",
                from_title="Kitchen",
                to_id="mem_2",
                to_title="Ann",
                weight=0.45,
                until=date(2026, 6, 30),
            ),
        ),
        incoming=(),
        neighbors=(ANN,),
    ),
    "memory_synthesize": Synthesis(
        text="Tiles are late [mem_1].",
        citations=(results.NodeBrief(id="mem_1", type="Note", title="Tiles"),),
        style="summary",
        model="ollama/llama3.2",
        material=3,
    ),
    "verify": results.Verification(domain="default", events=3, subjects=2, differences=()),
    "rebuild": results.Verification(domain="default", events=3, subjects=2, differences=()),
    "collect_blobs": ("aa", "bb"),
    "list_domains": domain_results.Domains(domains=()),
}

ARGUMENTS: Mapping[str, dict[str, Any]] = {
    "create_node": {"type": "Project", "content": "# Kitchen", "format": "markdown"},
    "get_node": {"node_id": "mem_1"},
    "get_node_content": {"node_id": "mem_1"},
    "update_node": {"node_id": "mem_1", "properties": {"status": "done"}},
    "delete_node": {"node_id": "mem_1"},
    "create_connection": {"type": "Knows", "from_node_id": "mem_1", "to_node_id": "mem_2"},
    "get_connection": {"connection_id": "conn_1"},
    "update_connection": {"connection_id": "conn_1", "content": ""},
    "delete_connection": {"connection_id": "conn_1"},
    "query_nodes": {},
    "query_connections": {},
    "get_connected_nodes": {"node_id": "mem_1", "direction": "both"},
    "search_content": {"query": "kitchen"},
    "validate_connection": {"connection_type": "Knows", "from_node_type": "Person", "to_node_type": "Person"},
    "create_ontology": {"node_types": ["Project"], "connection_types": []},
    "add_node_type": {"type_name": "Document"},
    "add_connection_type": {"type_name": "RelatedTo", "from_types": ["Project"], "to_types": ["Document"]},
    "get_ontology": {},
    "search_memories": {"query": "When do the tiles come?"},
    "search_semantic": {"query": "tiles"},
    "hybrid_search": {"query": "tiles"},
    "recall": {},
    "memory_context": {"depth": "deep"},
    "memory_query": {"query": "tiles"},
    "traverse_memories": {"start": ["mem_1"]},
    "find_path": {"from_id": "mem_1", "to_id": "mem_2"},
    "get_neighbors": {"node_id": "mem_1"},
    "memory_synthesize": {"query": "tiles"},
}
"""The least that each tool takes, by the specification."""


class RecordingMemory:
    """Records every call as `(method, positional arguments, named arguments)`."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {**ANSWERS, **answers}
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.domain: dict[str, str] = {}

    def acting_as(self, _actor: str | None, _session: str | None = None, **_: object) -> RecordingMemory:
        return self

    def in_domain(self, domain: str) -> RecordingMemory:
        other = RecordingMemory()
        other.answers, other.calls, other.domain = self.answers, self.calls, {"domain": domain}
        return other

    @property
    def upkeep(self) -> RecordingMemory:
        return self

    @property
    def agent(self) -> RecordingMemory:
        """The layer of an agent, which forwards."""
        return self

    @property
    def entities(self) -> RecordingMemory:
        return self

    @property
    def recall(self) -> RecordingMemory:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A part of a memory that is called is the method of its name: there is one, `recall`."""
        return self.__getattr__("recall")(*args, **kwargs)

    @property
    def history(self) -> RecordingMemory:
        return self

    async def find_named(self, _text: str, *, domain: str | None = None) -> tuple[NamedSubject, ...]:
        """Return the subjects that a person may mean. No tool asks for them, so the call is not recorded."""
        answer = self.answers.get("named", ())
        if isinstance(answer, Exception):
            raise answer
        return answer

    named = find_named

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any, **kwargs: Any) -> Any:
            self.calls.append((name, args, {**kwargs, **self.domain}))
            answer = self.answers[name]
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call


def opens(memory: RecordingMemory) -> Any:
    """Return an opener that gives this memory at once."""

    @asynccontextmanager
    async def open_memory_(_progress: object) -> AsyncIterator[RecordingMemory]:
        yield memory

    return open_memory_


def client_of(opener: Any, mode: str = "auto", **settings: Any) -> Client:
    """Return a client of a server of its own; `legacy` speaks the handshake that most clients use."""
    arguments = {"home": "/nowhere", "cache": "/nowhere", **settings}
    chosen = Settings(**arguments)
    return Client(build_server(opener, chosen, chosen.toolsets), mode=mode)


def error_of(result: CallToolResult) -> dict[str, Any]:
    """Return the structured error of a call, which must have failed."""
    assert result.is_error
    assert set(result.structured_content) == {"code", "message", "details"}
    return result.structured_content


def text_of(result: CallToolResult) -> str:
    """Return the only block of text."""
    [block] = result.content
    assert block.type == "text"
    return block.text


def json_of(result: CallToolResult) -> Any:
    """Return the JSON value in the text of a success."""
    assert not result.is_error, text_of(result)
    return json.loads(text_of(result))

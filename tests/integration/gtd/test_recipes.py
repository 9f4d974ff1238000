"""The recipes of the Cypher guide, the guide in Neo4j Browser and its saved queries run as they are written."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from neo4j import READ_ACCESS, Driver, Session

from graph_memory import Memory, Settings, load_ontology, open_memory, parse_ontology
from graph_memory.local.browser.jar import read_saved_queries
from graph_memory.model.events import Origin
from support import observe

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[3]
SCANS = ("AllNodesScan", "NodeByLabelScan", "AllRelationshipsScan", "RelationshipTypeScan", "UnionNodeByLabelsScan")


def recipes() -> Iterator[Any]:
    """Give each statement by the sentence above it."""
    text = (ROOT / "docs" / "guides" / "cypher.md").read_text("utf-8")
    for above, statement in re.findall(r"([^\n]+)\n\n```cypher\n(.*?)```", text, re.S):
        yield pytest.param(statement, id=f"guide: {above}")
    shown = files("graph_memory.local.browser").joinpath("assets", "guide.html").read_text("utf-8")
    for block in re.findall(r"<pre [^>]*>(.*?)</pre>", shown, re.S):
        statement = html.unescape(block).strip()
        if not statement.startswith(":"):
            yield pytest.param(statement, id=f"browser: {statement}")
    for title, statement in read_saved_queries().items():
        yield pytest.param(statement, id=f"saved: {title}")


@pytest.fixture(scope="module")
async def parameters(settings: Settings, anyio_backend: str) -> dict[str, Any]:
    """Make a graph in which each recipe finds a node. Yield the parameters of the recipes."""
    domain, origin = f"recipes-{datetime.now(UTC):%H%M%S%f}", Origin(session="session_1", source="agent")
    async with open_memory(settings, origin=origin) as opened:
        memory = opened.in_domain(domain)
        gtd = ROOT / "ontologies" / "gtd.yaml"
        await memory.create_ontology(parse_ontology(gtd.read_text("utf-8"), gtd.name))
        return {"domain": domain, **await fill(memory, domain)}


async def fill(memory: Memory, domain: str) -> dict[str, Any]:
    kitchen = await memory.create_node(
        "Project",
        "# Kitchen\n\nFarmhouse",
        properties={"status": "active", "priority": 1, "rate": 0.5, "ours": True},
        tags=["home"],
        path="house/kitchen",
    )
    call = await memory.create_node("Action", "# Call Anna", properties={"status": "next", "context": "phone"})
    result = await memory.create_node("Note", "# Gone")
    await memory.create_node("Note", "# Alone")
    await memory.create_connection("NextAction", kitchen.node_id, call.node_id)
    await memory.update_node(kitchen.node_id, properties={"status": "waiting"})
    await memory.delete_node(result.node_id)
    await observe(memory, domain, call.node_id)
    await memory.apply_ontology(load_ontology("standard"))
    parts = [(await memory.create_node("Note", f"# Part {number}")).node_id for number in range(3)]
    first, _ = [(await memory.create_connection("contains", *pair)).connection_id for pair in pairwise(parts)]
    await memory.infer_connections(dry_run=False)
    await memory.delete_connection(first)
    return {
        "id": kitchen.node_id,
        "other": call.node_id,
        "type": "Project",
        "connection": "NextAction",
        "text": "KITCH",
        "tag": "home",
        "path": "house/",
        "session": "session_1",
        "at": datetime.now(UTC) + timedelta(minutes=1),
    }


@pytest.fixture
def reader(driver: Driver) -> Iterator[Session]:
    with driver.session(default_access_mode=READ_ACCESS) as session:
        yield session


def operators(plan: Mapping[str, Any]) -> Iterator[str]:
    yield plan["operatorType"]
    for child in plan.get("children", []):
        yield from operators(child)


@pytest.mark.parametrize("statement", list(recipes()))
async def test_a_recipe_finds_something_by_an_index_and_changes_nothing(
    statement: str, parameters: dict[str, Any], reader: Session
) -> None:
    result = reader.run(statement, parameters)  # pyright: ignore[reportArgumentType]
    assert len(list(result)) > 0
    assert result.consume().query_type == "r"
    plan = reader.run(f"EXPLAIN {statement}", parameters).consume().plan  # pyright: ignore[reportArgumentType]
    assert plan
    assert [operator for operator in operators(plan) if operator.startswith(SCANS)] == []


async def test_there_are_recipes_and_each_asks_for_what_it_is_given(parameters: dict[str, Any]) -> None:
    statements = [recipe.values[0] for recipe in recipes()]
    assert len(statements) > 35
    requests = {name for statement in statements for name in re.findall(r"\$(\w+)", str(statement))}
    assert requests == set(parameters)

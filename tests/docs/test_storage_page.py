"""The storage page has the labels and properties of a real graph."""

from __future__ import annotations

from typing import LiteralString, cast

import pytest
from neo4j import Driver

from graph_memory import Memory, ontology_from
from pages import ROOT, blocks

pytestmark = pytest.mark.anyio

PAGE = ROOT / "docs" / "guides" / "storage.md"
TEXT = PAGE.read_text(encoding="utf-8")
ONTOLOGY = ontology_from(
    {
        "node_types": ["Project", {"name": "Action", "properties": [{"name": "status", "indexed": True}]}],
        "connection_types": [{"name": "NextAction", "from_types": ["Project"], "to_types": ["Action"]}],
    }
)


@pytest.fixture
async def filled_domain(memory: Memory, domain: str) -> str:
    """A domain with everything in it that the tools write."""
    await memory.create_ontology(ONTOLOGY)
    kitchen = await memory.create_node("Project", "# Kitchen", tags=["home"], path="home/kitchen")
    call = await memory.create_node("Action", "# Call", properties={"status": "next"})
    await memory.create_connection("NextAction", kitchen.node_id, call.node_id, content="first")
    await memory.update_node(call.node_id, properties={"status": "done"})
    await memory.entities.create_entities(
        [{"name": "Ann", "type": "Project", "observations": ["likes tea", "is kind"]}]
    )
    await memory.recall.search_memories("kitchen")
    return domain


def values(driver: Driver, query: str, domain: str) -> set[str]:
    """Return the one column of a query."""
    return {row[0] for row in driver.execute_query(cast("LiteralString", query), domain=domain).records}


def missing_names(names: set[str]) -> set[str]:
    """Return the names of the service that the page does not name; `_content…` stands for several."""
    return {name for name in names if name.startswith("_") and f"`{name}`" not in TEXT}


async def test_every_label_is_on_the_page(filled_domain: str, driver: Driver):
    labels = values(
        driver, "MATCH (n) WHERE n._domain = $domain OR n._id = $domain UNWIND labels(n) AS l RETURN l", filled_domain
    )
    assert {"_Domain", "_Event", "_Content", "_Key", "_Window", "_Ontology", "_Passage", "_Name", "_Index"} <= labels
    assert missing_names(labels | {"_SchemaStep"}) == set()


@pytest.mark.parametrize("pattern", ["(n:_Node)", "()-[n:NextAction]->()", "(n:_Event)"])
async def test_every_property_of_nodes_connections_and_events_is_on_the_page(
    pattern: str, filled_domain: str, driver: Driver
):
    keys = values(driver, f"MATCH {pattern} WHERE n._domain = $domain UNWIND keys(n) AS k RETURN k", filled_domain)
    assert "_version" in keys or "_seq" in keys
    assert missing_names(keys) == set()


async def test_what_is_derived_is_tied_to_no_node(filled_domain: str, driver: Driver):
    query = "MATCH (n:_Node {_domain: $domain})-[r]-() RETURN type(r)"
    assert values(driver, query, filled_domain) == {"NextAction", "_OBSERVES"}


async def test_the_queries_of_the_page_find_something(filled_domain: str, driver: Driver):
    queries = [block.text for block in blocks("cypher") if block.page == PAGE]
    assert len(queries) == 2
    for query in queries:
        records = driver.execute_query(cast("LiteralString", query.replace("'default'", f"'{filled_domain}'"))).records
        assert records

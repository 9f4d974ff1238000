"""The schema: the first process applies its steps once, in order, with exactly the expected result."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import anyio
import pytest
from neo4j import Driver, GraphDatabase

from container.images import address_of
from graph_memory import Code, GraphError, Memory, Settings
from graph_memory.model.text.analysers import LABELS
from graph_memory.storage.connecting import Address
from graph_memory.storage.queries import Query
from graph_memory.storage.schema import (
    AppliedStep,
    ensure_defined,
    migrate,
    missing_steps,
    steps,
)
from graph_memory.storage.store import Store, open_store

pytestmark = pytest.mark.anyio

CONSTRAINTS = {
    ("_Domain", ("_id",)),
    ("_Node", ("_domain", "_id")),
    ("_Observation", ("_domain", "_id")),
    ("_Link", ("_domain", "_id")),
    ("_Ontology", ("_domain",)),
    ("_NodeType", ("_domain", "_name")),
    ("_ConnectionType", ("_domain", "_name")),
    ("_Event", ("_domain", "_seq")),
    ("_Event", ("_domain", "_id")),
    ("_Content", ("_domain", "_sha256")),
    ("_Index", ("_domain",)),
    ("_Access", ("_domain", "_id")),
    ("_AccessKey", ("_hash",)),
    ("_SchemaStep", ("_version",)),
}
FILTERED = ("_domain", "_model", "_type", "_since", "_until", "_created", "_valid_from", "_valid_to")
ANALYSERS = {"_Window": "whitespace", "_English": "english"}
CHOSEN = LABELS.keys() - ANALYSERS.keys()
"""Labels whose indexes are made when a domain asks for them, as another test may."""
INDEXES = {
    ("RANGE", "_Domain", ("_parent",)),
    ("RANGE", "_Node", ("_domain", "_type", "_id")),
    ("RANGE", "_Node", ("_domain", "_path")),
    ("RANGE", "_Node", ("_domain", "_namespace", "_id")),
    ("RANGE", "_Node", ("_domain", "_created")),
    ("RANGE", "_Node", ("_domain", "_entity_name")),
    ("TEXT", "_Node", ("_folded",)),
    ("TEXT", "_Observation", ("_folded",)),
    ("RANGE", "_Node", ("_domain", "_is_long")),
    ("RANGE", "_Node", ("_domain", "_called")),
    ("RANGE", "_Observation", ("_domain", "_is_long")),
    ("RANGE", "_Link", ("_target_domain", "_target")),
    ("RANGE", "_Event", ("_domain", "_subject", "_seq")),
    ("RANGE", "_Event", ("_domain", "_from", "_type", "_seq", "_subject")),
    ("RANGE", "_Event", ("_domain", "_to", "_type", "_seq", "_subject")),
    ("RANGE", "_Key", ("_domain", "_kind", "_type", "_property", "_value")),
    ("RANGE", "_Key", ("_domain", "_owner")),
    ("RANGE", "_Window", ("_domain", "_owner")),
    ("RANGE", "_NewWindow", ("_domain", "_owner")),
    ("FULLTEXT", "_Window", ("_grams",)),
    ("RANGE", "_Passage", ("_domain", "_owner", "_until")),
    ("RANGE", "_Passage", ("_domain", "_sequence", "_position", "_order")),
    ("RANGE", "_Passage", ("_domain", "_sha256")),
    ("RANGE", "_NewPassage", ("_domain", "_since")),
    ("RANGE", "_Name", ("_domain", "_key", "_until")),
    ("RANGE", "_Name", ("_domain", "_owner", "_until")),
    ("RANGE", "_Access", ("_domain", "_count")),
    ("RANGE", "_Access", ("_domain", "_together")),
    ("FULLTEXT", "_English", ("_text", "_head", "_words", "_filter")),
    ("VECTOR", "_Passage", ("_embedding", *FILTERED)),
}


@pytest.fixture
async def store(settings: Settings, shared_memory: Memory) -> AsyncIterator[Store]:
    server = address_of(settings)

    async def find() -> Address:
        return Address(server.uri, server.username, server.password)

    async with open_store(find) as store:
        yield store


@pytest.mark.usefixtures("shared_memory")
def test_the_steps_give_exactly_the_expected_constraints(driver: Driver) -> None:
    rows = driver.execute_query("SHOW CONSTRAINTS YIELD type, entityType, labelsOrTypes, properties").records
    ours = [row for row in rows if row["entityType"] == "NODE"]
    assert {(row["labelsOrTypes"][0], tuple(row["properties"])) for row in ours} == CONSTRAINTS
    assert all("UNIQUENESS" in row["type"] for row in rows)


@pytest.mark.usefixtures("shared_memory")
def test_the_steps_give_exactly_the_expected_indexes(driver: Driver) -> None:
    rows = driver.execute_query(
        "SHOW INDEXES YIELD type, labelsOrTypes, properties, owningConstraint, state, options, name "
        "WHERE owningConstraint IS NULL AND type <> 'LOOKUP'"
    ).records
    rows = [row for row in rows if row["labelsOrTypes"][0] not in CHOSEN]
    assert {(row["type"], row["labelsOrTypes"][0], tuple(row["properties"])) for row in rows} == INDEXES
    assert {row["state"] for row in rows} == {"ONLINE"}
    fulltext = {row["labelsOrTypes"][0]: row["options"]["indexConfig"] for row in rows if row["type"] == "FULLTEXT"}
    assert {label: config["fulltext.analyzer"] for label, config in fulltext.items()} == ANALYSERS
    assert not any(config["fulltext.eventually_consistent"] for config in fulltext.values())


async def test_a_migrated_database_needs_nothing(store: Store) -> None:
    assert await migrate(store) == 0


def test_a_changed_step_is_refused() -> None:
    known = steps()
    with pytest.raises(GraphError) as caught:
        missing_steps([replace(known[0], sha256="changed"), *known[1:]], [AppliedStep(1, known[0].sha256)])
    assert caught.value.code is Code.STORE_INCOMPATIBLE


def test_a_database_of_newer_code_is_refused() -> None:
    known = steps()
    applied = [AppliedStep(step.version, step.sha256) for step in known] + [AppliedStep(len(known) + 1, "new")]
    with pytest.raises(GraphError) as caught:
        missing_steps(known, applied)
    assert caught.value.code is Code.STORE_INCOMPATIBLE
    assert "Update graph-memory" in str(caught.value.hint)


@pytest.mark.usefixtures("shared_memory")
def test_an_index_that_a_broken_off_start_left_behind_gives_way_to_its_constraint(settings: Settings) -> None:
    server = address_of(settings)
    name = "left_behind"

    async def find() -> Address:
        return Address(server.uri, server.username, server.password)

    async def make() -> list[str]:
        async with open_store(find) as store:
            await ensure_defined(
                store, "CREATE CONSTRAINT left_behind FOR ()-[r:LeftBehind]-() REQUIRE r._id IS UNIQUE"
            )
            return [row.type for row in await store.read(SHOWN) if row.name == name]

    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        left: Any = f"CREATE INDEX {name} FOR ()-[r:LeftBehind]-() ON (r._id)"
        result: Any = f"DROP CONSTRAINT {name} IF EXISTS"
        driver.execute_query(left)
        try:
            assert anyio.run(make) == ["LeftBehind"]
        finally:
            driver.execute_query(result)


class Shown:
    def __init__(self, name: str, type_name: str) -> None:
        self.name, self.type = name, type_name


SHOWN = Query(
    "test/shown",
    "SHOW CONSTRAINTS YIELD name, labelsOrTypes, entityType WHERE entityType = 'RELATIONSHIP' "
    "RETURN name, labelsOrTypes[0] AS type_name",
    "read",
    frozenset(),
    ("name", "type_name"),
    Shown,
)

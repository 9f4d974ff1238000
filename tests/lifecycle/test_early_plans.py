"""A statement that Neo4j planned while the database was empty is not slow when it is full a moment later.

On a Neo4j of its own, because that of the other tests is never empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import LiteralString, cast

import pytest
from neo4j import GraphDatabase

from container.images import address_of
from graph_memory import Settings, local, open_memory
from graph_memory.memory.changes.rules import BROKEN_RULES
from graph_memory.storage.queries import cypher_root
from support import hits_of

pytestmark = pytest.mark.anyio

LITTLE = 100
KEY: Mapping[str, object] = {
    "domain": "d",
    "types": ["Tree"],
    "property": "p",
    "value": "s:7",
    "filter": {},
    "valid_at": None,
    "after": "",
    "limit": 10,
}
GROW_HUB = """CREATE (hub:_Node {_domain: 'd', _id: 'hub'})
CREATE (:_ConnectionType {_domain: 'd', _name: 'Tree'})
WITH hub
UNWIND range(1, 3000) AS number
CREATE (hub)-[:Tree {_domain: 'd', _id: 'c' + number, _version: number}]->(:_Node {_domain: 'd', _id: 'b' + number})
CREATE (:_Event {_domain: 'd', _subject: 'c' + number, _seq: number, _kind: 'connection', _op: 'create',
  _type: 'Tree', _from: 'hub', _to: 'b' + number})
CREATE (:_Key {_domain: 'd', _kind: 'connection', _type: 'Tree', _property: 'p', _value: 's:' + number,
  _owner: 'c' + number})"""
GROW = """UNWIND range(1, 3000) AS number
CREATE (:_Node {_domain: 'd', _id: 'a' + number})
  -[:Tree {_domain: 'd', _id: 'c' + number}]->(:_Node {_domain: 'd', _id: 'b' + number})"""


@pytest.fixture
def settings_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that lead to an empty Neo4j."""
    settings = Settings(home=tmp_path_factory.mktemp("early") / "home", neo4j_heap="512m")
    local.ensure_running(settings)
    yield settings
    local.stop(settings)


def text(name: str, folder: str = "log") -> LiteralString:
    """Return the text of a statement."""
    return cast("LiteralString", (cypher_root() / folder / f"{name}.cypher").read_text(encoding="utf-8"))


async def test_rules_about_other_connections_never_look_at_all_connections_of_the_database(
    settings_of_its_own: Settings,
) -> None:
    async with open_memory(settings_of_its_own):
        pass  # the schema is there now
    address = address_of(settings_of_its_own)
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:

        def hits(*rules: str) -> int:
            row = {"id": "asked", "type": "Tree", "from": "a1", "to": "b2", "rules": list(rules)}
            return hits_of(driver, BROKEN_RULES.text, domain="d", rows=[row], turns={})

        hits("source", "target", "pair", "cycle")  # Neo4j plans the statement, and keeps the plan for ten seconds
        driver.execute_query(GROW)
        counts = {rule: hits(rule) for rule in ("source", "target", "pair", "cycle")}
    assert max(counts.values()) < LITTLE, counts


async def test_a_connection_of_a_large_node_is_found_at_its_other_end(settings_of_its_own: Settings) -> None:
    async with open_memory(settings_of_its_own):
        pass  # the schema is there now
    address = address_of(settings_of_its_own)
    row = {"id": "c7", "type": "Tree", "from": "hub", "to": "b7", "state": {}}
    writes = [(text(step), {"domain": "d", "rows": {step: [row]}}) for step in ("put_connections", "drop_connections")]
    statements = [
        (text("connection", "graph"), {"domain": "d", "id": "c7", "with_text": False}),
        (text("connections_by_key", "graph"), KEY),
        (text("unlike_inverses", "verify"), {"domain": "d", "after": "b7", "last": "b70", "inverses": {"Tree": "In"}}),
        *writes,
    ]
    with GraphDatabase.driver(address.uri, auth=(address.username, address.password)) as driver:
        for statement, params in statements:  # Neo4j plans the statements, and keeps the plans for ten seconds
            hits_of(driver, statement, **params)
        driver.execute_query(GROW_HUB)
        counts = {statement.splitlines()[0]: hits_of(driver, statement, **params) for statement, params in statements}
        left = driver.execute_query("MATCH ()-[r:Tree {_domain: 'd', _id: 'c7'}]->() RETURN r").records
    assert max(counts.values()) < LITTLE, counts
    assert left == []

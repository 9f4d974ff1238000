"""A statement that Neo4j planned while the database was empty is not slow when it is full a moment later.

On a Neo4j of its own, because that of the other tests is never empty.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from neo4j import GraphDatabase

from container.images import address_of
from graph_memory import Settings, local, open_memory
from graph_memory.memory.changes.rules import BROKEN_RULES
from support import hits_of

pytestmark = pytest.mark.anyio

LITTLE = 100
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

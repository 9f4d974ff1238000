"""The cost of rules about other connections at a node with many, counted in accesses to the store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from neo4j import Driver

from graph_memory.memory.changes.rules import BROKEN_RULES
from support import hits_of
from tables import for_rows

HUB, LEAF, NEW = "hub", "leaf", "new"
OTHERS = 2_000
LITTLE = 100
MAKE = """CREATE (hub:_Node {_domain: $domain, _id: 'hub'}), (:_Node {_domain: $domain, _id: 'new'})
CREATE (leaf:_Node {_domain: $domain, _id: 'leaf'})-[:Link {_domain: $domain, _id: 'up'}]->(hub)
WITH hub, leaf
UNWIND range(1, $others) AS number
CREATE (hub)-[:Link {_domain: $domain, _id: 'out' + number}]->(n:_Node {_domain: $domain, _id: 'n' + number}),
       (n)-[:Link {_domain: $domain, _id: 'in' + number}]->(hub)"""


@pytest.fixture(scope="module")
def hub(driver: Driver, shared_memory: object) -> Iterator[str]:
    """A domain with a node that has thousands of connections of another type, out and in."""
    domain = "cost-of-rules"
    driver.execute_query(MAKE, domain=domain, others=OTHERS)
    yield domain
    driver.execute_query("MATCH (n:_Node {_domain: $domain}) WHERE n._id > '' DETACH DELETE n", domain=domain)


def hits(driver: Driver, domain: str, from_id: str, to_id: str, *rules: str) -> int:
    row = {"id": "asked", "type": "Tree", "from": from_id, "to": to_id, "rules": list(rules)}
    return hits_of(driver, BROKEN_RULES.text, domain=domain, rows=[row], turns={})


@for_rows("rule", ["pair", "cycle"])
@for_rows(("from_id", "to_id"), [(HUB, NEW), (NEW, HUB), (HUB, LEAF), (LEAF, HUB)])
def test_a_rule_that_either_end_answers_begins_at_the_end_with_few_connections(
    driver: Driver, hub: str, rule: str, from_id: str, to_id: str
) -> None:
    assert hits(driver, hub, from_id, to_id, rule) < LITTLE


@pytest.mark.parametrize(("rule", "from_id", "to_id"), [("source", LEAF, HUB), ("target", HUB, LEAF)])
def test_a_rule_about_one_end_does_not_look_at_the_other(
    driver: Driver, hub: str, rule: str, from_id: str, to_id: str
) -> None:
    assert hits(driver, hub, from_id, to_id, rule) < LITTLE


@pytest.mark.parametrize(("rule", "from_id", "to_id"), [("source", HUB, LEAF), ("target", LEAF, HUB)])
def test_a_rule_about_a_hub_looks_at_its_connections_in_one_direction_once(
    driver: Driver, hub: str, rule: str, from_id: str, to_id: str
) -> None:
    assert hits(driver, hub, from_id, to_id, rule) < 2 * OTHERS + LITTLE


def test_rules_that_are_not_asked_cost_nothing(driver: Driver, hub: str) -> None:
    assert hits(driver, hub, HUB, LEAF) < LITTLE

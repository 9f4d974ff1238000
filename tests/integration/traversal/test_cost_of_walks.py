"""The cost of steps of walks and of past reads, in accesses to the store: in proportion to their neighbourhoods."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, LiteralString, cast

import pytest
from neo4j import Driver

from graph_memory import ontology_from
from graph_memory.memory.core import Core
from graph_memory.memory.graph.connection_weights import WEIGHED, ConnectionWeigher
from graph_memory.memory.graph.neighbours import LINKS
from graph_memory.memory.history.past import CONNECTED_NODES, CONNECTIONS
from graph_memory.memory.traversal.frontier import FRONTIER, DomainState, Frontier
from graph_memory.memory.traversal.request import EdgeFilter
from graph_memory.memory.traversal.walks.edges import MAX_WEIGHED, EdgeRequest
from support import hits_of

pytestmark = pytest.mark.long
FEW, MANY = MAX_WEIGHED, 4 * MAX_WEIGHED
HALFWAY, LAST = 100_000, 200_000
ANY = {"from": ["*"], "to": ["*"]}
ONTOLOGY = ontology_from(
    {"node_types": ["Note"], "connection_types": [{"name": name, **ANY} for name in ("Link", "To")]}
)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LIVE = """CREATE (hub:_Node {_domain: $domain, _id: 'hub'}), (one:_Node {_domain: $domain, _id: 'one'})
CREATE (one)-[:To {_domain: $domain, _id: 'rare', _type: 'To', _version: 1, _modified: $now}]->(hub)
WITH hub, one
UNWIND range(1, $others) AS number
CREATE (n:_Node {_domain: $domain, _id: 'n' + number})
CREATE (hub)-[:Link {_domain: $domain, _id: 'e' + number, _type: 'Link', _version: number, _modified: $now}]->(n)
FOREACH (_ IN CASE WHEN number <= 5 THEN [0] ELSE [] END |
  CREATE (one)-[:Link {_domain: $domain, _id: 'o' + number, _type: 'Link', _version: number, _modified: $now}]->(n))"""
LOGGED = """UNWIND range(0, $others) AS number
UNWIND [
  {seq: 1, from: 'hub', id: 'e'}, {seq: $halfway, from: 'hub', id: 'e'}, {seq: 2 * $halfway, from: 'one', id: 'o'}
] AS row
WITH number, row
WHERE row.id = 'e' OR number <= 5
CREATE (:_Event {_domain: $domain, _seq: row.seq + number, _kind: 'connection', _op: 'update', _type: 'Link',
  _subject: row.id + number, _from: row.from, _to: 'n' + number, _modified: $now})
WITH count(*) AS made
UNWIND [
  {seq: $halfway - 9, id: 'rare', to: 'hub', type: 'To'}, {seq: $halfway - 8, id: 'o1', to: 'n1', type: 'Link'}
] AS row
CREATE (:_Event {_domain: $domain, _seq: row.seq, _kind: 'connection', _op: 'create', _subject: row.id,
  _type: row.type, _from: 'one', _to: row.to, _modified: $now})"""


@pytest.fixture(scope="module")
def domains(driver: Driver, shared_memory: object) -> Iterator[tuple[str, str]]:
    """Two domains with a hub, one of which has four times as many connections, in the graph and in the log."""
    made = ("cost-of-walks-few", "cost-of-walks-many")
    for domain, others in zip(made, (FEW + 100, MANY), strict=True):
        driver.execute_query(LIVE, domain=domain, others=others, now=NOW)
        driver.execute_query(LOGGED, domain=domain, others=others, halfway=HALFWAY, now=NOW)
    yield made
    for domain in made:
        for label, key in (("_Node", "_id"), ("_Event", "_seq")):
            text = f"MATCH (n:{label}) WHERE n._domain = $domain AND n.{key} IS NOT NULL CALL (n) {{ DETACH DELETE n }}"
            driver.execute_query(cast("Any", text), domain=domain)


def frontier(domain: str, at: int | None, **arguments: Any) -> Frontier:
    core = cast("Core", None)
    scale = (
        ConnectionWeigher(core, domain, ONTOLOGY, NOW)
        if at is None
        else ConnectionWeigher(core, domain, ONTOLOGY, NOW, at)
    )
    return Frontier(DomainState(core, domain, at), scale, EdgeFilter(**arguments))


def profile_request(
    driver: Driver, domain: str, request: EdgeRequest, at: int | None = None, **arguments: Any
) -> tuple[int, set[str]]:
    """Return the number of accesses to the store of a step, and the connections that it found."""
    text, params = FRONTIER.text, frontier(domain, at, **arguments).params(request)
    rows = driver.execute_query(text, domain=domain, parameters_=params).records
    results = {edge[0] for row in rows for items in row["_rows"] or () for edge in items[3]}
    return hits_of(driver, text, domain=domain, **params), results


@pytest.mark.parametrize("at", [None, HALFWAY - 1, LAST], ids=["now", "halfway", "at the end"])
def test_a_step_from_a_node_beside_a_hub_costs_the_same_however_large_the_domain_is(
    driver: Driver, domains: tuple[str, str], at: int | None
) -> None:
    few, many = (profile_request(driver, domain, EdgeRequest(("one",)), at) for domain in domains)
    assert few[1] == many[1] >= {"o1", "rare"}
    assert many[0] == few[0] < 500


@pytest.mark.parametrize("at", [None, HALFWAY - 1, LAST], ids=["now", "halfway", "at the end"])
@pytest.mark.parametrize("towards", [None, ("one", "n7")])
@pytest.mark.parametrize("types", [(), ("To",)])
def test_a_step_from_a_hub_costs_the_same_however_many_connections_it_has(
    driver: Driver, domains: tuple[str, str], at: int | None, towards: tuple[str, ...] | None, types: tuple[str, ...]
) -> None:
    request = EdgeRequest(("hub",), 10, towards=towards)
    few, many = (profile_request(driver, domain, request, at, types=types) for domain in domains)
    assert many[0] <= few[0] * 1.1
    if towards or (types and at is None):
        assert few[1] == many[1] == ({"rare"} if types else {"rare", "e7"})
    elif not types:
        assert len(few[1]) == len(many[1]) == 11


ENDS = {"from_id": None, "to_id": None, "along": None, "against": [], "types": None}
MATCHED = {**ENDS, "filter": {}, "valid_at": None, "after": "", "limit": 100}
WEIGHTS = {"now": 1_800_000_000_000, "half_lives": {}, "co_access": {}, "least": 0.0, "below": 2.0}
READS: dict[str, tuple[LiteralString, dict[str, object]]] = {
    "connected nodes": (
        CONNECTED_NODES.text,
        {"id": "one", "leaving": None, "arriving": None, "valid_at": None, "after": "", "limit": 100},
    ),
    "links": (LINKS.text, {"id": "one", "ids": ["n1", "hub"], "types": None, "valid_at": None}),
    "connections from": (CONNECTIONS.text, {**MATCHED, "from_id": "one"}),
    "connections to": (CONNECTIONS.text, {**MATCHED, "to_id": "n1"}),
    "weighed from": (WEIGHED.text, {**MATCHED, **WEIGHTS, "from_id": "one", "heaviest": True}),
    "weighed to": (WEIGHED.text, {**MATCHED, **WEIGHTS, "to_id": "n1", "heaviest": False}),
}


@pytest.mark.parametrize("read", READS)
def test_a_read_of_the_past_of_a_node_costs_the_same_however_much_changed_elsewhere_since(
    driver: Driver, domains: tuple[str, str], read: str
) -> None:
    text, arguments = READS[read]
    few, many = (hits_of(driver, text, domain=domain, at=HALFWAY - 1, **arguments) for domain in domains)
    assert many == few < 1_000
